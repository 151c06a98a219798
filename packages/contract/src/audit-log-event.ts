import { z } from 'zod';
import { byActor, byKind, idOf, idToldBy } from './id-of.ts';
import { instant, nullableText } from './scalar.ts';

/** One activity event. Members stand in this order in every stored and served document. */
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
    actorId: idToldBy('actorType', byActor, 'Who acted: the directory id where one can be derived.'),
    actorName: nullableText('User principal name or display name as received.'),
    actorType: nullableText(
      'user, guest, servicePrincipal, application, agent, system, policy, partner, anonymous or unknown.',
    ),
    actorIp: nullableText('Address the action came from, IPv4 or IPv6 in canonical form.'),
    resourceId: idToldBy('resourceType', byKind, 'What was acted on.'),
    resourceName: nullableText('Display name of what was acted on.'),
    resourceType: nullableText('Kind of what was acted on.'),
    workload: nullableText('Workload of the provider, for example SharePoint, Exchange or Okta.'),
    sourceType: nullableText('microsoft365, entra, defender, intune, googleWorkspace, okta, platform or other.'),
    sourceName: nullableText('Feed of the provider, for example Audit.SharePoint or SignInLogs.'),
    clientApp: nullableText('Client application that was used.'),
    deviceId: idOf('device', 'Device that was used.'),
    deviceName: nullableText('Display name of the device.'),
    isManagedDevice: z
      .boolean()
      .nullable()
      .meta({ description: 'Whether the device is managed; null where it is not known.' }),
    applicationId: idOf('app', 'Id of the application among the apps of the tenant.'),
    applicationClientId: idOf('app', 'Client id (GUID) of the application.'),
    applicationDisplayName: nullableText('Display name of the application.'),
    externalEventId: nullableText("The provider's own id of the event. An attribute: distinct events may share it."),
  })
  .meta({
    id: 'AuditLogEvent',
    description: 'A normalized activity event of the productivity suite. Log rows never change.',
  });

export type AuditLogEvent = z.infer<typeof auditLogEvent>;
