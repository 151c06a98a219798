import { type DatabasePool, sql } from 'slonik';
import { z } from 'zod';
import type { CellPools } from './cell-pools.ts';

/** Closes a tenant, or finds it closed. In force when this returns. Returns how many of its keys ended. */
export async function closeTenant(control: DatabasePool, tenantId: string): Promise<number> {
  return control.oneFirst(sql.type(z.object({ ended: z.number() }))`select control.close_tenant(${tenantId}) as ended`);
}

/** Keys find the tenant again; its own keys stay revoked. */
export async function reopenTenant(control: DatabasePool, tenantId: string): Promise<void> {
  await control.query(sql.unsafe`select control.reopen_tenant(${tenantId})`);
}

export interface Erasure {
  readonly begunAt: string;
  readonly finishedAt: string;
  /** Deleted rows by table, of this call and of those before. Of the control schema: of this call. */
  readonly tables: readonly { readonly table: string; readonly rows: number }[];
}

const erasure = z.object({ begunAt: z.string(), finishedAt: z.string(), rowCounts: z.record(z.string(), z.number()) });

/**
 * Deletes the rows of a closed tenant, a few thousand in each transaction, until none is left in any database: the topics of another cell may have had records of it, which are dead letters there. It may be interrupted and repeated.
 * The tenant's own row, its keys and the audit log stay.
 */
export async function eraseTenant(
  { control, cells }: { control: DatabasePool; cells: CellPools },
  tenantId: string,
  onProgress: (rows: number) => void,
): Promise<Erasure> {
  const pools = await cells.openAll();
  const own = await cells.openOf(tenantId);
  const tables = new Map<string, number>();
  const deleteControlRows = async () => {
    const deleted = await control.any(
      sql.type(z.object({ table: z.string(), rows: z.number() }))`
        select of_table as "table", deleted as rows from control.erase_tenant(${tenantId})`,
    );
    for (const { table, rows } of deleted) tables.set(table, (tables.get(table) ?? 0) + rows);
    return deleted.some(({ rows }) => rows > 0);
  };
  const deleteModelRows = (models: DatabasePool) =>
    models.oneFirst(sql.type(z.object({ done: z.boolean() }))`select models.erase_tenant(${tenantId}) as done`);
  const readErasure = (models: DatabasePool) =>
    models.maybeOne(sql.type(erasure.extend({ finishedAt: z.string().nullable() }))`
      select begun_at as "begunAt", finished_at as "finishedAt", row_counts as "rowCounts" from models.tenant_erasure where tenant_id = ${tenantId}`);
  while (await deleteControlRows());
  const erased: z.infer<typeof erasure>[] = [];
  // The database of its cell last: where another one does not respond, nothing of the certificate exists yet.
  for (const { pool: models } of pools.toSorted(
    (one, other) => Number(one.pool === own) - Number(other.pool === own),
  )) {
    for (let done = false; !done; ) {
      done = await deleteModelRows(models);
      const { rowCounts = {} } = (await readErasure(models)) ?? {};
      onProgress(Object.values(rowCounts).reduce((sum, rows) => sum + rows, 0));
    }
    erased.push(erasure.parse(await readErasure(models)));
  }
  for (const { rowCounts } of erased)
    for (const [table, rows] of Object.entries(rowCounts)) tables.set(table, (tables.get(table) ?? 0) + rows);
  const begunAt = erased.map((each) => each.begunAt).toSorted()[0] ?? '';
  const finishedAt =
    erased
      .map((each) => each.finishedAt)
      .toSorted()
      .at(-1) ?? '';
  const counted = [...tables].filter(([, rows]) => rows > 0).sort(([one], [other]) => (one < other ? -1 : 1));
  return { begunAt, finishedAt, tables: counted.map(([table, rows]) => ({ table, rows })) };
}
