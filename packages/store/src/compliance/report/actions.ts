import type { EvidenceQuery } from '../evidence/ordered.ts';
import { bounds, epochMilliseconds } from '../evidence/section-rows.ts';

/** Actions of the window by the rung they reached. */
export interface RungFigures {
  readonly rung: string;
  readonly actions: number;
  readonly items: number;
  readonly failedItems: number;
}

/** Hours from being staged to being settled. */
export interface SettlementFigures {
  readonly settled: number;
  readonly medianHours: number | null;
  readonly slowestTenthHours: number | null;
  readonly due: number;
  readonly onTime: number;
}

export interface ListedAction {
  readonly id: string;
  readonly name: string | null;
  readonly type: string;
  readonly rung: string;
  readonly resourceName: string | null;
  readonly actorName: string | null;
  readonly items: number | null;
  readonly failedItems: number | null;
  readonly createdMs: number;
  readonly dueMs: number | null;
  readonly revertedMs: number | null;
}

export type ActionCondition = 'failed' | 'overdue' | 'reverted';

/** A simulation remedies nothing and counts nowhere. The rung is that of now: what was settled after the end of the window was open at its end. */
function actions(reading: EvidenceQuery): string {
  const { tenant, from, to, storedThrough } = bounds(reading);
  return `action as (
    select a.id, a.rung, a.action_type, a.created_at, a.settled_at::timestamptz as settled_at, f."actionName" as name, f."resourceName" as resource_name,
           f."actorName" as actor_name, f."itemsTotal" as items, f."failedCount" as failed_items, f."dueAt" as due_at, a.steps,
           a.created_at >= ${from} as is_of_window,
           a.rung in ('staged', 'approved', 'applied') or coalesce(a.settled_at::timestamptz > ${to}, false) as is_open
      from models.action a
     cross join lateral json_to_record(a.document::json) as f ("actionName" text, "resourceName" text, "actorName" text, "itemsTotal" bigint, "failedCount" bigint, "dueAt" timestamptz)
     where a.tenant_id = ${tenant} and a.created_at <= ${to} and a.updated_at <= ${storedThrough} and not a.is_simulated)`;
}

export async function readRungFigures(reading: EvidenceQuery): Promise<readonly RungFigures[]> {
  const { rows } = await reading.client.query<RungFigures>(
    `with ${actions(reading)}
     select rung, count(*)::int as actions, coalesce(sum(items), 0)::float8 as items, coalesce(sum(failed_items), 0)::float8 as "failedItems"
       from action where is_of_window group by rung order by rung`,
  );
  return rows;
}

export async function readSettlementFigures(reading: EvidenceQuery): Promise<SettlementFigures> {
  const { from, to } = bounds(reading);
  const hours = 'extract(epoch from settled_at - created_at) / 3600';
  const isSettled = `is_of_window and not is_open and settled_at between created_at and ${to}`;
  const isDue = `due_at between ${from} and ${to}`;
  const { rows } = await reading.client.query<SettlementFigures>(
    `with ${actions(reading)}
     select (count(*) filter (where ${isSettled}))::int as settled,
            (percentile_cont(0.5) within group (order by ${hours}) filter (where ${isSettled}))::float8 as "medianHours",
            (percentile_cont(0.9) within group (order by ${hours}) filter (where ${isSettled}))::float8 as "slowestTenthHours",
            (count(*) filter (where ${isDue}))::int as due,
            (count(*) filter (where ${isDue} and not is_open and settled_at <= due_at))::int as "onTime"
       from action`,
  );
  return rows[0] ?? { settled: 0, medianHours: null, slowestTenthHours: null, due: 0, onTime: 0 };
}

const conditions: Readonly<Record<ActionCondition, (to: string) => string>> = {
  failed: () => 'is_of_window and failed_items > 0',
  overdue: (to) => `is_open and due_at < ${to}`,
  reverted: () => `is_of_window and (rung = 'reverted' or reverted_at is not null)`,
};

/** Those of the window, and what is overdue at its end; the newest first, of the overdue the longest overdue. */
export async function readActionsByCondition(
  reading: EvidenceQuery,
  condition: ActionCondition,
  limit: number,
): Promise<{ readonly rows: readonly ListedAction[]; readonly total: number }> {
  const { to } = bounds(reading);
  const order = condition === 'overdue' ? 'due_at' : 'created_at desc';
  const { rows } = await reading.client.query<ListedAction & { total: number }>(
    `with ${actions(reading)}, stepped as (
       select a.*, s.reverted_at from action a
        cross join lateral (select max(one.at) filter (where one.rung = 'reverted') as reverted_at
                              from json_to_recordset(coalesce(a.steps, '[]')::json) as one (rung text, at timestamptz)) s)
     select id, name, action_type as type, rung, resource_name as "resourceName", actor_name as "actorName", items::float8 as items, failed_items::float8 as "failedItems",
            ${epochMilliseconds('created_at')} as "createdMs", ${epochMilliseconds('due_at')} as "dueMs", ${epochMilliseconds('reverted_at')} as "revertedMs", (count(*) over ())::int as total
       from stepped where ${conditions[condition](to)} order by ${order}, id collate "C" limit $1`,
    [limit],
  );
  return { rows, total: rows[0]?.total ?? 0 };
}
