import type pg from 'pg';

/** The cell of a process as the databases know it. */
export interface OwnCell {
  /** Of the topics of a further cell; null: that of the configuration. */
  readonly topicPrefix: string | null;
}

/**
 * Checks that the read models are those of the cell, since rows in the database of another one would never be served, and reads its topic prefix. Throws
 * an Error that says what to correct.
 */
export async function readOwnCell(pools: { control: pg.Pool; models: pg.Pool }, cell: string): Promise<OwnCell> {
  const { rows: databases } = await pools.models.query<{ cell: string }>('select models.own_cell() as cell');
  const found = databases[0]?.cell;
  if (found !== cell)
    throw new Error(
      `The database of the read models is that of the cell ${found}, and this process belongs to the cell ${cell}. Correct TENANTSCOPE_CELL or the database URL.`,
    );
  const { rows } = await pools.control.query<OwnCell>(
    'select topic_prefix as "topicPrefix" from control.cell where id = $1',
    [cell],
  );
  if (!rows[0]) throw new Error(`The control database has no cell ${cell}. Create it with "tenantscope cell create".`);
  return rows[0];
}

/** Where the records of a tenant belong; null for an unknown tenant. */
export async function readTenantCell(
  control: pg.Pool,
  tenantId: string,
): Promise<(OwnCell & { readonly cell: string }) | null> {
  const { rows } = await control.query<OwnCell & { cell: string }>({
    name: 'tenant cell',
    text: `select t.cell, c.topic_prefix as "topicPrefix" from control.tenant t join control.cell c on c.id = t.cell where t.id = $1`,
    values: [tenantId],
  });
  return rows[0] ?? null;
}
