import { z } from 'zod';
import {
  changesMax,
  changeTextMax,
  detailsBytesMax,
  detailsMax,
  eventAi,
  eventChange,
  eventLocation,
  eventSignIn,
  eventTarget,
  eventThreat,
  targetsMax,
} from './event-context.ts';
import { discriminatedIdReference, idReference, resourceByActorType, resourceByKind } from './id-reference.ts';
import { instant, nullableText } from './scalar.ts';

/** One activity event. Stored and served documents have the members in this order. */
export const auditLogEvent = z
  .object({
    id: z
      .string()
      .meta({ description: 'Stable id of the event: a UUID of version 8 whose first 48 bits are occurredAt.' }),
    occurredAt: instant('When the action happened in the productivity suite.'),
    discoveredAt: instant(
      'When the service ingested the event: the field to poll on. A late event has an old occurredAt and a current discoveredAt.',
    ),
    action: z.string().meta({ description: "The provider's name of the operation, verbatim." }),
    description: nullableText('One English sentence about the event.'),
    severity: nullableText('informational, low, medium, high or critical.'),
    actorId: discriminatedIdReference(
      'actorType',
      resourceByActorType,
      'Id of the actor: the directory id if it can be derived.',
    ),
    actorName: nullableText(
      'User principal name or display name; of a guest the address at home, without the spelling of the directory or of SharePoint.',
    ),
    actorType: nullableText(
      'user, guest, servicePrincipal, application, agent, system, policy, partner, anonymous or unknown.',
    ),
    actorIp: nullableText('Source address of the action, IPv4 or IPv6 in canonical form.'),
    resourceId: discriminatedIdReference('resourceType', resourceByKind, 'Id of the target resource.'),
    resourceName: nullableText('Display name of the target resource.'),
    resourceType: nullableText('Kind of the target resource.'),
    workload: nullableText('Workload of the provider, for example SharePoint, Exchange or Okta.'),
    sourceType: nullableText('microsoft365, entra, defender, intune, googleWorkspace, okta, platform or other.'),
    sourceName: nullableText('Feed of the provider, for example Audit.SharePoint or SignInLogs.'),
    clientApp: nullableText('Client application that was used.'),
    deviceId: idReference('device', 'Device that was used.'),
    deviceName: nullableText('Display name of the device.'),
    isManagedDevice: z.boolean().nullable().meta({ description: 'Whether the device is managed; null if unknown.' }),
    applicationId: idReference('app', 'Id of the application among the apps of the tenant.'),
    applicationClientId: idReference('app', 'Client id (GUID) of the application.'),
    applicationDisplayName: nullableText('Display name of the application.'),
    externalEventId: nullableText("The provider's own id of the event. An attribute: distinct events may share it."),
    tenantId: z.string().meta({ description: 'The tenant that the event belongs to: a GUID in lower case.' }),
    outcome: nullableText('success, failure or partial; null if unknown.'),
    recordType: nullableText("The provider's record type, a number or a name, verbatim."),
    category: nullableText("The provider's category or event type, verbatim."),
    errorCode: nullableText("The provider's error code, verbatim."),
    outcomeReason: nullableText("The provider's reason for the result, verbatim."),
    sessionId: nullableText('Session in which the action took place, as the provider identifies it.'),
    correlationId: nullableText('Id that the provider gives to all events of one operation.'),
    userAgent: nullableText('User agent in full.'),
    deviceOs: nullableText('Operating system of the device.'),
    location: eventLocation
      .nullable()
      .meta({ description: 'Location and network as the record states them; nothing is looked up.' }),
    actorUserId: nullableText(
      'Id of the user, agent or app that the actor was resolved to when the event was ingested.',
    ),
    signIn: eventSignIn.nullable().meta({ description: 'Present for sign-ins and tokens.' }),
    targets: z
      .array(eventTarget)
      .max(targetsMax)
      .nullable()
      .meta({ description: `Every target in the provider's order, at most ${targetsMax}.` }),
    changes: z
      .array(eventChange)
      .max(changesMax)
      .nullable()
      .meta({
        description: `What was modified, at most ${changesMax} properties, each value at most ${changeTextMax} characters. Secrets are masked.`,
      }),
    details: z
      .record(z.string(), z.string())
      .nullable()
      .meta({
        description: `Parameters and other members of the record that describe the action: at most ${detailsMax} members and ${detailsBytesMax} bytes, sorted by name. Secrets are masked.`,
      }),
    threat: eventThreat.nullable(),
    ai: eventAi.nullable(),
    truncated: z
      .boolean()
      .meta({ description: 'Whether a member was shortened to its limit; rawData of GET /logs/{id} is complete.' }),
  })
  .meta({
    id: 'AuditLogEvent',
    description: 'A normalized activity event of the productivity suite. Log rows never change.',
  });

export type AuditLogEvent = z.infer<typeof auditLogEvent>;

export const auditLogEventDetail = auditLogEvent
  .extend({
    rawData: z.unknown().meta({
      description:
        "The provider's record as first received, without the wrapper it was delivered in; an event that was delivered with others in one " +
        'envelope has the envelope with this event alone. Digits and duplicate names are unchanged, nothing is shortened and invisible ' +
        'characters are not escaped. Text from third parties. Secrets that a provider writes into its records are not masked here.',
    }),
  })
  .meta({ id: 'AuditLogEventDetail', description: "An activity event and the provider's record behind it." });
