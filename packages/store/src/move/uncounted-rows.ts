import type pg from 'pg';
import { toTimeText } from '../connection/time-text.ts';

/**
 * Why counts of the log cannot be copied yet: the backfill of a tally has one position for all tenants of a database. From a source that has not
 * finished it, counts would be copied that nothing completes; a target that has not would count the copied rows again. Null: they can. Backfills with a
 * key are of rows that triggers write in the target.
 */
export async function findUncountedProblem({
  source,
  target,
}: {
  source: pg.Client;
  target: pg.Client;
}): Promise<string | null> {
  for (const [client, cell] of [
    [source, 'source'],
    [target, 'target'],
  ] as const) {
    const { rows } = await client.query<{ tally: string; nextAt: string; untilAt: string }>(
      `select tally, ${toTimeText('next_at')} as "nextAt", ${toTimeText('until_at')} as "untilAt"
         from models.log_tally_backfill where next_at is not null and next_key is null order by tally limit 1`,
    );
    const [first] = rows;
    if (first) return `the ${cell} has counted older rows for ${first.tally} until ${first.nextAt} of ${first.untilAt}`;
  }
  return null;
}
