import type { SummaryKey } from '@tenantscope/contract';
import { countryText, memberText } from '../../resource/sealed-columns.ts';

/** SQL over a row `log` of models.audit_log, and over a sealed one where that differs. */
type RowSql = string | { readonly stored: string; readonly sealed: string };

/** How rows are grouped by a key, and how a group shows its value. */
interface SummaryColumn {
  /** A text or null, by which the rows are grouped. */
  readonly group: RowSql;
  /** A text whose least value a group shows instead. */
  readonly shown?: RowSql;
  /** Whether the text is the JSON text of the value. */
  readonly isJson?: true;
}

export const sqlOf = (sql: RowSql, kind: 'stored' | 'sealed'): string => (typeof sql === 'string' ? sql : sql[kind]);

const hour = (column: string): SummaryColumn => ({
  group: `to_char(log.${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24":00:00.000Z"')`,
});
const day = (column: string): SummaryColumn => ({
  group: `to_char(log.${column} at time zone 'UTC', 'YYYY-MM-DD"T00:00:00.000Z"')`,
});
const column = (name: string): SummaryColumn => ({ group: `log.${name}` });

export const summaryColumns: Readonly<Record<SummaryKey, SummaryColumn>> = {
  // The column is in lower case.
  action: {
    group: 'log.action',
    shown: { stored: memberText('log', 'action'), sealed: 'log.action_text' },
    isJson: true,
  },
  severity: column('severity'),
  outcome: column('outcome'),
  workload: column('workload'),
  sourceType: column('source_type'),
  actorId: column('actor_id'),
  actorUserId: column('actor_user_id'),
  actorType: column('actor_type'),
  actorIp: column('actor_ip'),
  country: { group: { stored: countryText('log'), sealed: 'log.country' }, isJson: true },
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
