import { z } from 'zod';
import { document } from '../operation/operation.ts';
import { idReferences } from '../record/id-reference.ts';
import { instant, nullableInstant, nullableText } from '../record/scalar.ts';

const text = (description: string) => z.string().meta({ description });
const count = (description: string) => z.int().min(0).nullable().meta({ description });
const nullableBoolean = (description: string) => z.boolean().nullable().meta({ description });
const readinessValues = 'ready, attention, blocked or unknown.';

const restrictionLevels = ['none', 'monitored', 'noAiAccess', 'noAccess'];

const dimension = z.object({
  key: text('Key.'),
  title: text('Name in English.'),
  titlePl: text('Name in Polish.'),
  blocking: z.boolean().meta({ description: 'Whether it alone can block.' }),
  status: text(`The worst of its applicable requirements: ${readinessValues}`),
  statusWithoutExceptions: text('The same without exceptions.'),
  metWithExceptionsCount: z.int().min(0).meta({ description: 'Requirements that are met only because of exceptions.' }),
  requirementKeys: z
    .array(z.string())
    .meta({ description: 'Requirements of the compliance status that determine it.' }),
  metrics: z
    .record(z.string(), z.number().nullable())
    .meta({ description: 'Its own metrics, and those of its requirements as requirement/metric.' }),
  findings: z
    .array(
      z.object({
        requirementKey: text('Key of the requirement.'),
        title: text('Name in English.'),
        titlePl: text('Name in Polish.'),
        status: text('As in the compliance status.'),
        reason: nullableText('As in the compliance status.'),
        statusWithoutExceptions: text('The status without exceptions.'),
      }),
    )
    .meta({ description: 'Requirements that are not met, at risk or not evaluated.' }),
  dataAsOf: nullableInstant('How far the oldest of its sources reaches.'),
});

const site = z.object({
  siteId: text('Id.').register(idReferences, { resource: 'site' }),
  name: nullableText('Name.'),
  url: nullableText('Address.'),
  sensitiveFiles: count('Files with sensitive information.'),
  anyoneLinks: count('Files that anyone with a link can open, among individually listed files.'),
  orgLinks: count('Files that everyone in the organization with a link can open.'),
  guestLinks: count('Files that external users can open.'),
  everyoneGrants: count('1 if everyone in the organization can open the site, else 0.'),
  externalUsers: count('External users who can open the site.'),
  owners: count('Owners and administrators.'),
  sensitivityLabel: nullableText('Its sensitivity label.'),
  restrictedAccess: nullableBoolean('Whether access is restricted to a group.'),
  restrictedDiscovery: nullableBoolean('Whether AI is excluded from discovering it.'),
  lastActivityAt: nullableInstant('Last activity.'),
  riskRank: z.int().min(1).meta({ description: '1 is the most exposed.' }),
});

const copilotReadiness = z
  .object({
    generatedAt: instant('When it was evaluated.'),
    catalogueVersion: text('Version of the catalogue.'),
    evaluatorVersion: text('Version of the evaluation rules.'),
    overall: text(readinessValues),
    overallWithoutExceptions: text('The same without exceptions.'),
    readinessPercent: z
      .int()
      .min(0)
      .max(100)
      .nullable()
      .meta({ description: 'floor(100 × ready / evaluated dimensions); null if no dimension is evaluated.' }),
    readinessPercentWithoutExceptions: z
      .int()
      .min(0)
      .max(100)
      .nullable()
      .meta({ description: 'The same without exceptions.' }),
    users: z
      .object({
        eligible: count('Enabled members with a license that Copilot requires.'),
        licensed: count('Users with a Copilot license.'),
        enabled: count('Of these, enabled accounts.'),
        active30d: count('Of these, seen using AI within 30 days.'),
        activeByApp: z
          .array(
            z.object({ app: text('App where it was used.'), users: z.int().min(0).meta({ description: 'Users.' }) }),
          )
          .meta({ description: 'Most used first.' }),
      })
      .meta({ description: 'Users who are eligible, licensed and active.' }),
    dimensions: z.array(dimension).meta({ description: 'Dimensions of readiness.' }),
    topSites: z.array(site).max(50).meta({ description: 'The most exposed sites, at most 50.' }),
    topSensitiveTypes: z
      .array(
        z.object({
          id: text('Id.'),
          name: nullableText('Name.'),
          filesInReach: z.int().min(0).meta({ description: 'Files that contain it and that AI can reach.' }),
          labeledPct: z
            .number()
            .nullable()
            .meta({ description: 'Percent of these with a label, truncated to one decimal.' }),
          restriction: text(`Declared restriction: ${restrictionLevels.join(', ')}.`),
        }),
      )
      .max(50)
      .meta({ description: 'Kinds of sensitive information that AI can reach, most files first.' }),
    actions: z
      .array(
        z.object({
          rank: z.int().min(1).meta({ description: '1 is first.' }),
          title: text('What to do, in English.'),
          titlePl: text('What to do, in Polish.'),
          dimension: text('Key of the dimension.'),
          expectedEffect: text('Expected effect, in English.'),
          expectedEffectPl: text('Expected effect, in Polish.'),
          link: text('Path in this API with the supporting rows.'),
        }),
      )
      .meta({ description: 'Next steps, in order.' }),
    limitations: z.array(z.string()).meta({ description: 'What could not be evaluated, in English.' }),
    limitationsPl: z.array(z.string()).meta({ description: 'The same in Polish.' }),
  })
  .meta({
    id: 'CopilotReadiness',
    description:
      'Whether the tenant is ready for an AI assistant over its data. Follows from the compliance status and never contradicts it.',
  });

export type CopilotReadiness = z.infer<typeof copilotReadiness>;

export const getCopilotReadiness = document({
  name: 'get_copilot_readiness',
  path: '/copilot-readiness',
  scope: 'evidence:read',
  tenant: 'required',
  returns: 'record',
  summary: 'Copilot readiness',
  description:
    'Whether the tenant is ready for an AI assistant: nine dimensions that follow from the compliance status, users by licence and use, the most exposed sites, sensitive information that AI can reach, and next steps.',
  toolDescription:
    'Is the tenant ready to roll out Copilot: blockers by dimension (identity, oversharing, labelling, monitoring …), most exposed sites, sensitive data in reach of AI, next steps. Next: list_sites, list_files, get_compliance_status.',
  containsUntrustedText: true,
  record: copilotReadiness,
  examples: [{ description: 'What blocks a Copilot rollout?', input: {} }],
});
