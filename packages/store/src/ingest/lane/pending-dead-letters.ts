import type { Ledger } from './lane.ts';

/** Undecided dead letters by reason. */
export async function countPendingDeadLetters({ pool, schema }: Ledger): Promise<ReadonlyMap<string, number>> {
  const { rows } = await pool.query<{ reason: string; count: string }>({
    name: `pending dead letters ${schema}`,
    text: `select reason, sum(amount) as count from ${schema}.dead_letter_count where state = 'pending' group by reason having sum(amount) > 0`,
  });
  return new Map(rows.map(({ reason, count }) => [reason, Number(count)]));
}

/** Replaces the differences that were written with dead letters by their sums, so that they stay few. */
export async function sumDeadLetterCounts({ pool, schema }: Ledger): Promise<void> {
  await pool.query(`select ${schema}.sum_dead_letter_counts()`);
}
