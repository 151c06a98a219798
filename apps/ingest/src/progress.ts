import type { RecordOutcome, RecordTableName } from '@tenantscope/intake';
import { type Progress, progressOfState, type StateOutcome, sourceOfEntities } from '@tenantscope/store';
import { entityChangeOf } from './entity-changes.ts';

/** How far a change that applied brings its source; none where it did not, or belongs to no source that is watched. */
export function progressOf(change: RecordOutcome, outcome: StateOutcome, stamp: string): Progress[] {
  if (outcome !== 'applied') return [];
  if (change.kind === 'state') {
    const source = sourceOf(change.table, String(change.state.columns.kind));
    return source === null ? [] : [progressOfState(change.state, source, stamp)];
  }
  return entityChangeOf(change).map(({ tenantId, entityKind, changedAtMs }) => ({
    tenantId,
    source: sourceOfEntities[entityKind],
    rowCount: 1,
    lastOccurredAtMs: changedAtMs,
    lastStamp: stamp,
  }));
}

/** Some tables hold kinds of several sources, and kinds that people tell, which are never late. */
function sourceOf(table: RecordTableName, kind: string): string | null {
  if (table === 'agent_evidence') return kind.startsWith('restriction') ? 'data_restrictions' : 'agent_evidence';
  if (table === 'compliance_record') return kind === 'securityScore' ? 'security_score' : null;
  return sourceOfTable[table];
}

const sourceOfTable = {
  detection: 'detections',
  policy_scan: 'policy_scans',
  notification: 'notifications',
  action: 'actions',
  security_alert: 'security_alerts',
} as const satisfies Record<Exclude<RecordTableName, 'agent_evidence' | 'compliance_record'>, string>;
