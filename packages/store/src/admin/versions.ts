import { type DatabasePool, sql } from 'slonik';
import { z } from 'zod';
import { DirectoryError } from './directory.ts';

const resetVersion = z.object({
  part: z.string().nullable(),
  isRemoval: z.boolean(),
  before: z.number(),
  after: z.number(),
});
/** A version that was set back: of a record, or of a part of an entity. */
export type ResetVersion = z.infer<typeof resetVersion>;

/** A row by its table; `tenantId` is null for tenants and organizations, which are their own. The id of an entity is its kind, a slash and its id. */
export interface VersionedRow {
  readonly table: string;
  readonly tenantId: string | null;
  readonly id: string;
}

/**
 * Sets a version more than a day ahead of the clock back, so that later states apply; `to` null: the time at which that state was stored. Without
 * `apply` the change is rolled back: the result is what would change. Throws DirectoryError where there is no such version.
 */
export async function resetRowVersion(
  pool: DatabasePool,
  { table, tenantId, id }: VersionedRow,
  { to, apply }: { to: number | null; apply: boolean },
): Promise<readonly ResetVersion[]> {
  const call =
    tenantId === null
      ? sql.fragment`control.reset_version(${table}, ${id}, ${to}::bigint)`
      : sql.fragment`models.reset_version(${table}, ${tenantId}, ${id}, ${to}::bigint)`;
  const rows = await pool.connect(async (connection) => {
    await connection.query(sql.unsafe`begin`);
    try {
      const changed = await connection.any(sql.type(resetVersion)`
        select part, is_removal as "isRemoval", version_before as before, version_after as after from ${call}`);
      await connection.query(apply ? sql.unsafe`commit` : sql.unsafe`rollback`);
      return changed;
    } catch (error) {
      await connection.query(sql.unsafe`rollback`);
      throw toDirectoryError(error);
    }
  });
  return rows;
}

/** What the function refuses is safe to show: it names the row. */
function toDirectoryError(error: unknown): unknown {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    const { code } = cause as { code?: string };
    if (code === 'P0002' || code === '22023') return new DirectoryError(`${cause.message}.`);
  }
  return error;
}
