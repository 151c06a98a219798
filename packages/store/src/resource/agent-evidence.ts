import type pg from 'pg';
import type { RecordTable } from '../record-batch.ts';

/** Stored for the evidence pack; there is no list of it. */
export const agentEvidenceTable: RecordTable = {
  name: 'agent_evidence',
  columns: { kind: 'text', record_id: 'text', agent_id: 'text', restriction_id: 'text', is_deletion: 'boolean' },
  times: ['happened_at'],
};

/** Whether the row `r` is a record that nothing deleted. */
export const isLiveEvidence = `not r.is_deletion and not exists (
  select from models.agent_evidence d
   where d.tenant_id = r.tenant_id and d.id = r.id || '/deleted' and (d.version, d.digest) > (r.version, r.digest))`;

/** Whether a record stands and no deletion is above it. */
export async function isLiveEvidenceRecord(
  client: pg.PoolClient,
  name: { tenantId: string; id: string },
): Promise<boolean> {
  const { rowCount } = await client.query(
    `select from models.agent_evidence r where r.tenant_id = $1 and r.id = $2 and ${isLiveEvidence}`,
    [name.tenantId, name.id],
  );
  return rowCount === 1;
}
