import type { RecordTable } from '../ingest/record/record-batch.ts';

/** Whether the row `r` is a record that nothing deleted: a deletion is a row of its own. */
export const isLiveEvidence = `not r.is_deletion and not exists (
  select from models.agent_evidence d
   where d.tenant_id = r.tenant_id and d.is_deletion and d.id = r.id || '/deleted' and (d.version, d.digest) > (r.version, r.digest))`;

/** Stored for the evidence pack; there is no list of it. */
export const agentEvidenceTable: RecordTable = {
  name: 'agent_evidence',
  columns: { kind: 'text', record_id: 'text', agent_id: 'text', restriction_id: 'text', is_deletion: 'boolean' },
  times: ['happened_at'],
  live: isLiveEvidence,
};
