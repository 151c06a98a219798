import type { RecordTableName } from '@tenantscope/contract';
import type { RecordTable } from '../ingest/record/record-batch.ts';
import { actionTable } from './action.ts';
import { agentEvidenceTable } from './agent-evidence.ts';
import { complianceRecordTable } from './compliance-record.ts';
import { detectionTable } from './detection.ts';
import { notificationTable } from './notification.ts';
import { policyScanTable } from './policy-scan.ts';
import { securityAlertTable } from './security-alert.ts';

/** The tables that store the newest state of each record. */
export const recordTables: Readonly<Record<RecordTableName, RecordTable>> = {
  detection: detectionTable,
  policy_scan: policyScanTable,
  notification: notificationTable,
  action: actionTable,
  security_alert: securityAlertTable,
  agent_evidence: agentEvidenceTable,
  compliance_record: complianceRecordTable,
};
