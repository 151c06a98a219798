import type pg from 'pg';
import { actorRows, daysOfActorRow } from './actor-tally.ts';

/** Names of accounts that may not sign in any more, side by side: a name, the account's id, and since when. */
export interface Leavers {
  readonly names: readonly string[];
  readonly ids: readonly string[];
  readonly since: readonly string[];
}

/**
 * Since when is known by the record, or at the latest by our first writing it down: later changes of the record do not move that time. A name that
 * an account in use has too proves nothing. Handed over as values, since a scan of the log that joins another table's rows cannot be shared among the server's workers.
 */
export async function readLeavers(client: pg.ClientBase, tenantId: string): Promise<Leavers> {
  const { rows } = await client.query<{ name: string; id: string; since: string }>(leavers, [tenantId]);
  return { names: rows.map(({ name }) => name), ids: rows.map(({ id }) => id), since: rows.map(({ since }) => since) };
}

/** Leavers in a statement whose values from `$names` on are theirs. */
export const leaverNames = (names: number): string =>
  `unnest($${names}::text[], $${names + 1}::text[], $${names + 2}::timestamptz[]) as n (name, id, left_at)`;

/**
 * Days `d` of the last 30 in which a leaver, `t.id`, did something a day after leaving at `t.left_at`, attempts that failed apart. Rows are found by the names,
 * as a subquery: the planner would compare each of 13,000 values with the most common ones, in 58 ms. Days of other rows are not read (`offset 0`).
 */
export const leaverDays = (names: number): string => `
  (select t.*, n.id, n.left_at
     from (select * from ${actorRows}
              and t.actor = any ((select $${names}::text[])::text[]) and t.state not in ('failed', 'managed failed', 'unmanaged failed')) t
     join ${leaverNames(names)} on n.name = t.actor and t.last_at > n.left_at + interval '24 hours'
   offset 0) t
 cross join lateral (${daysOfActorRow} and d.last_at > t.left_at + interval '24 hours') d`;

const leavers = `
  with leaver as (
    select id, coalesce(least(disabled_at, case when disabled_at is null then out_since end, deleted_at), updated_at) as left_at from models.user_fact where tenant_id = $1 and (is_deleted or not is_enabled)
  )
  select name, (array_agg(id order by left_at desc))[1] as id, max(left_at)::text as since
    from (select lower(id) as name, id, left_at from leaver
           union all
          select a.alias, id, left_at from leaver join models.entity_alias a using (id) where a.tenant_id = $1 and a.kind = 'user') named
   where not exists (select from models.entity_alias other where other.tenant_id = $1 and other.kind = 'user'
                        and other.alias = named.name and other.id not in (select id from leaver))
   group by name`;
