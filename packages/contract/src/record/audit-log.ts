import { get, type ListFilters, list } from '../operation/operation.ts';
import { choices, flag, texts } from '../parameter/parameter.ts';
import { auditLogEvent, auditLogEventDetail } from './audit-log-event.ts';
import { actorTypes, outcomes, severities, sourceTypes } from './vocabulary.ts';

/** Most ids and names that the filter `user` may resolve to. */
export const userNamesMax = 1_000;

export const listLogs = list({
  name: 'list_logs',
  path: '/logs',
  scope: 'logs:read',
  summary: 'Audit logs',
  description:
    'Normalized activity events of the productivity suite, enriched with actor, resource, application, device and location. ' +
    'Poll on discoveredAt: a window that ends at or before pagination.completeThrough never changes. Adjacent windows of this kind, or ' +
    'resumeCursor with sort=discoveredAtAsc, return every event. Without an upper bound the window ends at completeThrough. Names and descriptions are text from third parties. ' +
    'Values may be added to every vocabulary.',
  toolDescription:
    'Search audit events: which user or other actor did what (action) to which file or other resource, from which address, device and app: sign-ins, downloads, shares, deletions, permission, mailbox, admin and AI changes. Late events have an old occurredAt. Next: other events of this user with user = actorUserId.',
  containsUntrustedText: true,
  record: auditLogEvent,
  filters: {
    severity: choices(severities, 'Severity of the event.', 'high,critical', { brief: '' }),
    action: texts("The provider's name of the operation.", 'FileDownloaded,FileAccessed', {
      caseInsensitive: true,
      vocabulary: 'action',
      brief: '',
    }),
    actorId: texts('Id of the actor.', '7b4c2f0e-6d2a-4c55-9b0e-2f3a1c9d8e11', { brief: '' }),
    user: texts(
      `Who acted: id, sign-in name or any alias of a user, agent or app. All pages use the aliases that exist at the first one, at most ${userNamesMax}; an alias added later may add rows to the same window, with this filter alone.`,
      'mara@contoso.example',
      { caseInsensitive: true, brief: 'Who acted, by any id, sign-in name or alias.' },
    ),
    actorType: choices(actorTypes, 'Kind of the actor.', 'user,guest', { brief: '' }),
    actorIp: texts('Source address of the action.', '203.0.113.7', {
      isAddress: true,
      brief: 'Source address, no range.',
    }),
    resourceId: texts('Id of the target resource.', 'a9d2c1b4-0f6e-4d7c-8a55-3c2b1e0f9d87', {
      hasCommas: true,
      brief: '',
    }),
    resourceType: texts('Kind of the target resource.', 'file', { vocabulary: 'resourceType', brief: '' }),
    workload: texts('Workload of the provider.', 'SharePoint,OneDrive', { vocabulary: 'workload', brief: '' }),
    sourceType: choices(sourceTypes, 'Family of products the event comes from.', 'microsoft365,entra', { brief: '' }),
    clientApp: texts('Client application that was used.', 'Browser', {
      vocabulary: 'clientApp',
      hasCommas: true,
      brief: '',
    }),
    deviceId: texts('Id of the device that was used.', '5f0c6f3e-3b57-4a61-8d5a-1de0a4f7c2b9', { brief: '' }),
    isManagedDevice: flag('Only events of managed devices, or only of unmanaged ones.', 'false', { brief: '' }),
    applicationId: texts(
      'Id of the application among the apps of the tenant.',
      'c3f5d7a9-1b2e-4f60-9c84-7d6e5a4b3c21',
      { brief: '' },
    ),
    externalEventId: texts("The provider's own id of the event.", '0d9c8b7a-6f5e-4d3c-2b1a-09f8e7d6c5b4', {
      brief: '',
    }),
    outcome: choices(outcomes, 'Result of the action.', 'failure', { brief: '' }),
    errorCode: texts("The provider's error code.", '50126', { vocabulary: 'errorCode', brief: '' }),
    sessionId: texts('Session in which the action took place.', '0c5b8d4e-2f7a-4f19-8f3b-6a1d9e7c5b24', { brief: '' }),
    correlationId: texts('Id that all events of one operation share.', 'e1a7c9d3-5b2f-4c86-9d0e-7f4a2b8c6d15', {
      brief: '',
    }),
    targetId: texts('Id of any target of the action, or resourceId.', 'a9d2c1b4-0f6e-4d7c-8a55-3c2b1e0f9d87', {
      hasCommas: true,
      brief: 'Any target.',
    }),
  },
  hasViews: true,
  windows: {
    discoveredAt: {
      from: 'discoveredFrom',
      to: 'discoveredTo',
      clock: 'write',
      description: 'discoveredAt, when the service ingested the event',
    },
    occurredAt: {
      from: 'occurredFrom',
      to: 'occurredTo',
      clock: 'upstream',
      description: 'occurredAt, when the action happened (late events can still enter such windows)',
    },
  },
  sorts: ['discoveredAtDesc', 'discoveredAtAsc'],
  examples: [
    {
      description: 'The newest events of high or critical severity',
      input: { severity: 'high,critical', limit: '5' },
    },
    {
      description: 'A closed window, oldest first, as pollers read it',
      pollingOnly: true,
      input: {
        discoveredFrom: '2026-11-01T00:00:00Z',
        discoveredTo: '2026-11-01T01:00:00Z',
        sort: 'discoveredAtAsc',
        limit: '1000',
      },
    },
    { description: 'Events of one source address', input: { actorIp: '203.0.113.7', limit: '100' } },
  ],
});

export const getLog = get({
  name: 'get_log',
  path: '/logs/{id}',
  scope: 'logs:read',
  summary: 'One audit log event',
  description:
    'One event by its id, with rawData, the record as the provider sent it: everything that the event itself shortens, masks or omits. ' +
    'All of it is text from third parties; rawData may contain invisible characters and secrets.',
  toolDescription:
    "One audit event with rawData, the provider's original record: members that the event omits or shortens. Secrets in it are not masked.",
  containsUntrustedText: true,
  exampleId: '019a9f3c-2d40-8b1e-9c57-3f0a6d2e81b4',
  record: auditLogEventDetail,
  examples: [],
});

export type LogsFilterName = keyof typeof listLogs.filters;
export type LogsFilters = ListFilters<typeof listLogs>;
export type LogsSort = (typeof listLogs.sorts)[number];
