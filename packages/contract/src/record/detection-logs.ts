import { rowsBehind } from '../operation/operation.ts';
import { listLogs } from './audit-log.ts';
import { auditLogEvent } from './audit-log-event.ts';
import { getDetection } from './detection.ts';

const { severity, action, outcome } = listLogs.filters;

/** The events of the entity of a detection during its episode. */
export const listDetectionLogs = rowsBehind({
  name: 'list_detection_logs',
  path: '/detections/{id}/logs',
  scope: 'logs:read',
  otherScopes: ['detections:read'],
  summary: 'Events behind a detection',
  description:
    'The events behind a detection: those of its entity with occurredAt from openedAt to lastSeenAt, both included. ' +
    'Of a user: what the user did, under any id or alias. Of an agent or app: what it did, what was done through it (applicationId) and to it. ' +
    'Of a device: what was done on it or to it. Of any other entity: events that have it as a target. Agents, apps, devices, files and sites are found under all their ids. Of the whole tenant: all events. ' +
    'The detector counts some of these events, by actionGroup: narrow them by action. ' +
    'pagination.episode is the time from which to which the rows occurred: an open episode grows, and all pages show that of the first one. Pages are those of /logs.',
  toolDescription:
    'The events behind an anomaly: what its user, agent, app, device or file did, or what was done to it, during the episode. Next: list_logs for events before or after.',
  containsUntrustedText: true,
  record: auditLogEvent,
  filters: { severity, action, outcome },
  orderedBy: 'discoveredAt',
  sorts: listLogs.sorts,
  exampleId: getDetection.exampleId,
  examples: [{ description: 'The newest five downloads', input: { action: 'FileDownloaded', limit: '5' } }],
});
