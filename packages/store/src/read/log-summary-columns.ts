import { lineMembers, type SummaryKey } from '@tenantscope/contract';

/** How rows are grouped by a key, and how a group shows its value. */
interface SummaryColumn {
  /** SQL of a text or null, by which the rows `log` are grouped. */
  readonly group: string;
  /** SQL of a text whose least value a group shows instead. */
  readonly shown?: string;
  /** Whether the text is the JSON text of the value. */
  readonly isJson?: true;
}

const line = (member: (typeof lineMembers)[number]): string =>
  `split_part(log.member_lines, e'\\n', ${lineMembers.indexOf(member) + 1})`;

const hour = (column: string): SummaryColumn => ({
  group: `to_char(log.${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24":00:00.000Z"')`,
});
const day = (column: string): SummaryColumn => ({
  group: `to_char(log.${column} at time zone 'UTC', 'YYYY-MM-DD"T00:00:00.000Z"')`,
});
const column = (name: string): SummaryColumn => ({ group: `log.${name}` });

export const summaryColumns: Readonly<Record<SummaryKey, SummaryColumn>> = {
  // The column is in lower case.
  action: { group: 'log.action', shown: line('action'), isJson: true },
  severity: column('severity'),
  outcome: column('outcome'),
  workload: column('workload'),
  sourceType: column('source_type'),
  actorId: column('actor_id'),
  actorUserId: column('actor_user_id'),
  actorType: column('actor_type'),
  actorIp: column('actor_ip'),
  // A quotation mark inside of a text follows a backslash, so that this is the member, wherever it is in the line.
  country: { group: `substring(${line('location')} from '"country":("(?:[^"\\\\]|\\\\.)*")')`, isJson: true },
  resourceId: column('resource_id'),
  resourceType: column('resource_type'),
  clientApp: column('client_app'),
  deviceId: column('device_id'),
  isManagedDevice: { group: 'log.is_managed_device::text' },
  applicationId: column('application_id'),
  errorCode: column('error_code'),
  sessionId: column('session_id'),
  occurredHour: hour('occurred_at'),
  occurredDay: day('occurred_at'),
  discoveredHour: hour('discovered_at'),
  discoveredDay: day('discovered_at'),
};
