import { type Topic, topics } from '@tenantscope/contract';
import type { RecordTableName, RecordTopic } from '@tenantscope/intake';
import {
  actionTable,
  agentEvidenceTable,
  complianceRecordTable,
  detectionTable,
  notificationTable,
  policyScanTable,
  type RecordTable,
  securityAlertTable,
} from '@tenantscope/store';

/** The topics of mutable records. On those of our own the loser of an equal version is set aside; providers' is merely stale. */
export const recordTopics: readonly { topic: Topic; reads: RecordTopic; ours: boolean }[] = [
  { topic: topics.detection, reads: 'detection', ours: true },
  { topic: topics.policyScan, reads: 'policyScan', ours: true },
  { topic: topics.notification, reads: 'notification', ours: true },
  { topic: topics.action, reads: 'action', ours: true },
  { topic: topics.agentEvidence, reads: 'agentEvidence', ours: true },
  { topic: topics.compliance, reads: 'compliance', ours: true },
  { topic: topics.rawAlert, reads: 'rawAlert', ours: false },
  { topic: topics.entity, reads: 'entity', ours: true },
  { topic: topics.rawEntity, reads: 'rawEntity', ours: false },
];

export const recordTables: Readonly<Partial<Record<RecordTableName, RecordTable>>> = {
  detection: detectionTable,
  policy_scan: policyScanTable,
  notification: notificationTable,
  action: actionTable,
  agent_evidence: agentEvidenceTable,
  compliance_record: complianceRecordTable,
  security_alert: securityAlertTable,
};

export function recordTableOf(name: RecordTableName): RecordTable {
  const table = recordTables[name];
  if (!table) throw new TypeError(`no table takes ${name}`);
  return table;
}
