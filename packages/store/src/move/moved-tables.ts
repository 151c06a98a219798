/** A table whose rows of a tenant are copied when it moves to another cell. */
export interface MovedTable {
  readonly name: string;
  /** The column by which rows are compared and copied in portions. */
  readonly portionBy: string;
  /** Rows at or before the watermark never change: later passes leave them out. Absent: rows change, and each pass compares all of them. */
  readonly stamp?: string;
  /** Rows of a portion: what is copied at once is in memory. */
  readonly portionRows?: number;
}

const entityKinds = [
  'agent',
  'app',
  'device',
  'email',
  'file',
  'group',
  'license',
  'sensitive_info_type',
  'site',
  'user',
];
const byId = (name: string): MovedTable => ({ name, portionBy: 'id' });
/** Rows of these have the content of up to 256 others. */
const blockRows = 100;

/** In an order that respects foreign keys. `test/cells/moved-tables.test.ts` compares them with the catalog. */
export const movedTables: readonly MovedTable[] = [
  { name: 'log_identity', portionBy: 'id', stamp: 'discovered_at' },
  { name: 'audit_log', portionBy: 'discovered_at', stamp: 'discovered_at' },
  { name: 'audit_log_raw', portionBy: 'discovered_at', stamp: 'discovered_at', portionRows: blockRows },
  { name: 'log_fact', portionBy: 'log_id', stamp: 'discovered_at' },
  { name: 'log_read', portionBy: 'name_digest', stamp: 'discovered_at' },
  // Written under the lock of the tenant that a move holds.
  { name: 'log_block', portionBy: 'first_at', stamp: 'first_at' },
  { name: 'log_sealed', portionBy: 'first_at', stamp: 'first_at', portionRows: blockRows },
  { name: 'log_tally', portionBy: 'at' },
  { name: 'actor_tally', portionBy: 'actor' },
  { name: 'log_receipt', portionBy: 'day' },
  ...['action', 'agent_evidence', 'compliance_record', 'compliance_snapshot', 'detection', 'notification'].map(byId),
  ...['policy_scan', 'security_alert', 'security_alert_part', 'snapshot_request', 'statement_history'].map(byId),
  ...entityKinds.map((kind) => byId(`entity_${kind}`)),
  byId('entity_fact'),
  byId('entity_part'),
  { name: 'entity_alias', portionBy: 'alias' },
  { name: 'source_progress', portionBy: 'source' },
];

/** Tables of a tenant that are not copied row by row, and why. */
export const otherTables: Readonly<Record<string, string>> = {
  dead_letter: 'of the topics of its cell; a replay sends it to the cell of the tenant',
  dead_letter_count: 'as dead_letter',
  file_exposure: 'written by triggers with the rows of entity_fact and entity_alias',
  file_tally: 'as file_exposure',
  incident_fact: 'written by triggers with the rows of detection and security_alert',
  import: 'lanes of the cell in which it began go on counting it: see moved-imports.ts',
  import_lane: 'as import',
  interaction_fact: 'written by triggers with the rows of log_fact',
  tenant_erasure: 'an erasure is of one database',
  tenant_move: 'the move itself',
  tenant_retention: 'with the retention of the cell, see log-partitions.ts',
  user_fact: 'as file_exposure',
};
