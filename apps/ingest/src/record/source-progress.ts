import { type RecordTableName, type SourceName, sourceByRecordName } from '@tenantscope/contract';
import type { RecordOutcome } from '@tenantscope/intake';
import { createStateProgress, type ProgressDelta, type StateOutcome } from '@tenantscope/store/ingest';
import { readEntityParts } from './entity-changes.ts';

/** How far an applied change advances its source; empty if the change was not applied or belongs to no tracked source. */
export function collectSourceProgress(change: RecordOutcome, outcome: StateOutcome, stamp: string): ProgressDelta[] {
  if (outcome !== 'applied') return [];
  if (change.kind === 'state') {
    const source = sourceOfTable[change.table](String(change.state.columns.kind));
    return source === null ? [] : [createStateProgress(change.state, source, stamp)];
  }
  return readEntityParts(change).map(({ tenantId, entityKind, changedAtMs }) => ({
    tenantId,
    source: sourceByRecordName[entityKind],
    rowCount: 1,
    lastOccurredAtMs: changedAtMs,
    lastStamp: stamp,
  }));
}

/** The source of a record by its table and kind. Kinds that people record, such as attestations, have none: they are never late. */
const sourceOfTable: Readonly<Record<RecordTableName, (kind: string) => SourceName | null>> = {
  detection: () => 'detections',
  policy_scan: () => 'policy_scans',
  notification: () => 'notifications',
  action: () => 'actions',
  security_alert: () => 'security_alerts',
  agent_evidence: (kind) => (kind.startsWith('restriction') ? 'data_restrictions' : 'agent_evidence'),
  compliance_record: (kind) => (kind === 'securityScore' ? 'security_score' : null),
};
