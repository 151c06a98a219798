import { type DatabasePool, sql } from 'slonik';
import { z } from 'zod';

const snapshotFields = {
  id: z.string(),
  takenAt: z.string(),
  trigger: z.enum(['scheduled', 'manual']),
  period: z.string().nullable(),
  late: z.boolean(),
  takenBy: z.string(),
  catalogueVersion: z.string(),
  previousSha256: z.string().nullable(),
  sha256: z.string(),
  signature: z.string().nullable(),
};
const listed = z.object(snapshotFields);
const stored = z.object({ ...snapshotFields, document: z.string() });
const request = z.object({
  id: z.string(),
  state: z.enum(['waiting', 'taken', 'failed']),
  snapshotId: z.string().nullable(),
  failure: z.string().nullable(),
});

/** A snapshot without its document. */
export type ListedSnapshot = z.infer<typeof listed>;
export type StoredSnapshot = z.infer<typeof stored>;
export type SnapshotRequest = z.infer<typeof request>;

const columns = sql.fragment`id, taken_at as "takenAt", trigger, period, late, taken_by as "takenBy", catalogue_version as "catalogueVersion",
  previous_sha256 as "previousSha256", sha256, signature`;
const requestColumns = sql.fragment`id, state, snapshot_id as "snapshotId", failure`;

/** Newest first. */
export async function listSnapshots(
  pool: DatabasePool,
  tenantId: string,
  limit: number,
): Promise<readonly ListedSnapshot[]> {
  return pool.any(sql.type(listed)`
    select ${columns} from models.compliance_snapshot where tenant_id = ${tenantId} order by taken_at desc, id desc limit ${limit}`);
}

export async function findSnapshot(pool: DatabasePool, tenantId: string, id: string): Promise<ListedSnapshot | null> {
  return pool.maybeOne(
    sql.type(listed)`select ${columns} from models.compliance_snapshot where tenant_id = ${tenantId} and id = ${id}`,
  );
}

/** The whole chain with its documents, oldest first, in batches: together they may be larger than memory. */
export async function* readChain(pool: DatabasePool, tenantId: string): AsyncGenerator<StoredSnapshot> {
  const perRead = 20;
  let after: StoredSnapshot | undefined;
  for (;;) {
    const rows: readonly StoredSnapshot[] = await pool.any(sql.type(stored)`
      select ${columns}, document from models.compliance_snapshot
       where tenant_id = ${tenantId} and ${after ? sql.fragment`(taken_at, id) > (${after.takenAt}::timestamptz, ${after.id}::uuid)` : sql.fragment`true`}
       order by taken_at, id limit ${perRead}`);
    yield* rows;
    after = rows.at(-1);
    if (rows.length < perRead) return;
  }
}

/** Requests a snapshot; the job scheduler takes it. */
export async function requestSnapshot(
  pool: DatabasePool,
  tenantId: string,
  requestedBy: string,
): Promise<SnapshotRequest> {
  return pool.one(sql.type(request)`
    insert into models.snapshot_request (tenant_id, requested_by) values (${tenantId}, ${requestedBy}) returning ${requestColumns}`);
}

export async function readRequest(pool: DatabasePool, id: string): Promise<SnapshotRequest> {
  return pool.one(sql.type(request)`select ${requestColumns} from models.snapshot_request where id = ${id}`);
}
