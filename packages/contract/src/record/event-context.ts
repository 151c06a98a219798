import { z } from 'zod';
import { idReference } from './id-reference.ts';
import { nullableText } from './scalar.ts';

/** Most elements of `targets` and of `changes`, and most characters of each value of a change. */
export const targetsMax = 32;
export const changesMax = 32;
export const changeTextMax = 1_024;
/** Most members of `details`, and most bytes of all their names and values in UTF-8. */
export const detailsMax = 64;
export const detailsBytesMax = 8_192;

export const eventLocation = z
  .object({
    country: nullableText('Country or region, as the provider names it.'),
    region: nullableText('State or province.'),
    city: nullableText('City.'),
    latitude: z.number().nullable(),
    longitude: z.number().nullable(),
    asn: z.int().nullable().meta({ description: 'Number of the autonomous system.' }),
    asOrganization: nullableText('Organization of the autonomous system.'),
    isProxy: z.boolean().nullable().meta({ description: 'Whether the provider recognized a proxy.' }),
  })
  .meta({ id: 'EventLocation' });
export type EventLocation = z.infer<typeof eventLocation>;

export const eventSignIn = z
  .object({
    isInteractive: z.boolean().nullable(),
    authenticationRequirement: nullableText('For example multiFactorAuthentication.'),
    authenticationProtocol: nullableText('For example deviceCode or oAuth2.'),
    conditionalAccessStatus: nullableText('For example success, failure or notApplied.'),
    incomingTokenType: nullableText('For example primaryRefreshToken.'),
    mfaResult: nullableText('Result of the second factor.'),
    riskLevel: nullableText('Risk of the sign-in.'),
    riskState: nullableText('For example atRisk or remediated.'),
    riskEventTypes: z
      .array(z.string())
      .nullable()
      .meta({ description: 'Risks that were detected, for example unfamiliarFeatures.' }),
  })
  .meta({ id: 'EventSignIn', description: 'Values are those of the provider.' });
export type EventSignIn = z.infer<typeof eventSignIn>;

export const eventTarget = z
  .object({
    id: nullableText('Id of the target.'),
    name: nullableText('Display name, else user principal name.'),
    type: nullableText('Type as the provider spells it.'),
  })
  .meta({ id: 'EventTarget' });
export type EventTarget = z.infer<typeof eventTarget>;

export const eventChange = z
  .object({
    name: nullableText('Name of the property.'),
    before: nullableText('Value before the change; null if unknown.'),
    after: nullableText('Value after the change; null if unknown.'),
  })
  .meta({ id: 'EventChange' });
export type EventChange = z.infer<typeof eventChange>;

export const eventThreat = z
  .object({
    verdict: nullableText('For example malware, phishing or atRisk.'),
    level: nullableText("The provider's level, for example high."),
    name: nullableText('Name of the threat, the malware or the rule.'),
    source: nullableText('The product or engine that gave the verdict.'),
  })
  .meta({ id: 'EventThreat', description: "The provider's own verdict on the event." });
export type EventThreat = z.infer<typeof eventThreat>;

const aiResource = z.object({
  id: nullableText('Id or URL of the resource.'),
  name: nullableText('Name of the resource.'),
  type: nullableText('Type as the provider spells it.'),
  sensitivityLabelId: nullableText('Sensitivity label of the resource.'),
});
export type AiResource = z.infer<typeof aiResource>;

export const eventAi = z
  .object({
    agentId: idReference('agent', 'The agent that took part.'),
    agentName: nullableText('Name of the agent.'),
    host: nullableText('Application in which the interaction took place.'),
    model: nullableText('Name of the model.'),
    plugins: z.array(z.string()).nullable().meta({ description: 'Names of the plugins that were used.' }),
    resources: z.array(aiResource).nullable().meta({ description: 'Resources that were read.' }),
    jailbreak: z
      .boolean()
      .nullable()
      .meta({ description: 'Whether an attempt to circumvent safeguards was detected.' }),
    crossPromptInjection: z
      .boolean()
      .nullable()
      .meta({ description: 'Whether instructions hidden in a resource were detected.' }),
    blocked: z.boolean().nullable().meta({ description: 'Whether a resource was refused.' }),
  })
  .meta({ id: 'EventAi', description: 'An interaction with an AI application or agent.' });
export type EventAi = z.infer<typeof eventAi>;
