import type { RecordTable } from '../ingest/record/record-batch.ts';

/** Stored for rules and reports; there is no list of it. */
export const complianceRecordTable: RecordTable = {
  name: 'compliance_record',
  columns: { kind: 'text', record_id: 'text', subject_type: 'text', subject_id: 'text', requirement_key: 'text' },
  times: ['changed_at'],
};
