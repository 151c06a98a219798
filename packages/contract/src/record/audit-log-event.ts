import { z } from 'zod';
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
    actorName: nullableText('User principal name or display name as received.'),
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
  })
  .meta({
    id: 'AuditLogEvent',
    description: 'A normalized activity event of the productivity suite. Log rows never change.',
  });

export type AuditLogEvent = z.infer<typeof auditLogEvent>;
