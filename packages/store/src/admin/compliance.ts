import { type DatabasePool, sql } from 'slonik';
import { z } from 'zod';
import { openPool, withConnection } from '../connection/pool.ts';
import { type RecordState, type StateOutcome, writeStates } from '../ingest/record/record-batch.ts';
import { complianceRecordTable } from '../resource/compliance-record.ts';
import { addActor } from './database.ts';

/** Writes a state that an operator created, under the same version rule as records from Kafka. In force, and in the audit log, when this returns. */
export async function writeComplianceState(
  url: string,
  actor: string,
  state: RecordState,
): Promise<StateOutcome | undefined> {
  const pool = openPool(addActor(url, actor), { name: 'tenantscope operator', maxConnections: 1 });
  try {
    return await withConnection(pool, async (client) => {
      await client.query('begin');
      const { rows } = await client.query<{ stamp: Date }>(
        `select date_trunc('milliseconds', clock_timestamp()) as stamp`,
      );
      const stamp = (rows[0]?.stamp ?? new Date()).toISOString();
      const [outcome] = await writeStates(client, complianceRecordTable, [state], () => stamp);
      await client.query('commit');
      return outcome;
    });
  } finally {
    await pool.end();
  }
}

/** Whether the tenant has a detection or an alert with this id. */
export function incidentExists(pool: DatabasePool, tenantId: string, id: string): Promise<boolean> {
  return pool.oneFirst(
    sql.type(z.object({ exists: z.boolean() }))`select models.incident_exists(${tenantId}, ${id}) as exists`,
  );
}
