import type { Ledger } from './lane.ts';

/** Undecided dead letters by reason, from the partial index on pending ones. */
export async function countPendingDeadLetters({ pool, schema }: Ledger): Promise<ReadonlyMap<string, number>> {
  const { rows } = await pool.query<{ reason: string; count: string }>({
    name: `pending dead letters ${schema}`,
    text: `select reason, count(*) as count from ${schema}.dead_letter where state = 'pending' group by reason`,
  });
  return new Map(rows.map(({ reason, count }) => [reason, Number(count)]));
}
