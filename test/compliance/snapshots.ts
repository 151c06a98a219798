import { randomUUID } from 'node:crypto';
import { openTestPool } from '../services/pool.ts';
import type { FactDatabase } from './fact-database.ts';
import { at } from './input-records.ts';

/** Inserts a chain of snapshots that were taken at these times, oldest first. */
export async function insertSnapshots(
  { database }: Pick<FactDatabase, 'database'>,
  tenantId: string,
  takenMs: readonly number[],
): Promise<void> {
  const pool = openTestPool(database.superuser, { max: 1 });
  for (const [index, ms] of takenMs.entries())
    await pool.query(
      `insert into models.compliance_snapshot (tenant_id, id, taken_at, trigger, late, taken_by, catalogue_version, previous_sha256, sha256, document)
       values ($1, $2, $3, 'manual', false, 'operator', '2026.11', $4, $5, $6)`,
      [tenantId, randomUUID(), at(ms), index === 0 ? null : linkOf(index - 1), linkOf(index), document],
    );
  await pool.end();
}

/** The members that later snapshots are compared with. */
const document = JSON.stringify({ status: { frameworks: [], requirements: [] } });
const linkOf = (index: number) => index.toString(16).padStart(64, '0');
