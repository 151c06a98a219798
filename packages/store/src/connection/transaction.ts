import type pg from 'pg';

/** Work in a transaction. */
export async function inTransaction<Value>(client: pg.ClientBase, work: () => Promise<Value>): Promise<Value> {
  await client.query('begin');
  try {
    const value = await work();
    await client.query('commit');
    return value;
  } catch (error) {
    await client.query('rollback').catch(() => {});
    throw error;
  }
}
