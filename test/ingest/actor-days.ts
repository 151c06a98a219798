import { createHash } from 'node:crypto';
import type pg from 'pg';

/** What an actor did on a day, by the names of `models.actor_tally`; `at` is the begin of the day, or the time of events ahead of our clock. */
interface ActorDay {
  readonly key: readonly [tenantId: string, actor: string, device: string, state: string, at: string];
  readonly events: number;
  readonly firstAt: string;
  readonly lastAt: string;
}

/** The stored days, of all shards together. Throws where a row does not agree with its elements. */
export async function readActorDays(client: pg.Client, tenantIds: readonly string[]): Promise<ActorDay[]> {
  const { rows: wrong } = await client.query(
    `select t.* from models.actor_tally t
      cross join lateral (
             select sum(events) as events, min(t.at + (number + array_lower(t.counts, 1) - 2) * interval '1 day' + first_ms * interval '1 ms') as first_at,
                    max(t.at + (number + array_lower(t.counts, 1) - 2) * interval '1 day' + last_ms * interval '1 ms') as last_at,
                    count(*) filter (where (events is null) <> (first_ms is null) or (events is null) <> (last_ms is null)) as mixed
               from unnest(t.counts, t.first_ms, t.last_ms) with ordinality d (events, first_ms, last_ms, number)) d
      where t.tenant_id = any($1)
        and ((t.events, t.first_at, t.last_at, 0) is distinct from (d.events, d.first_at, d.last_at, d.mixed)
             or array_dims(t.counts) <> array_dims(t.first_ms) or array_dims(t.counts) <> array_dims(t.last_ms)
             or array_lower(t.counts, 1) < 1 or array_upper(t.counts, 1) > 32
             or t.at <> date_bin('32 days', t.at, '2000-01-01Z') and array_upper(t.counts, 1) > 1)`,
    [tenantIds],
  );
  if (wrong.length > 0) throw new Error(`rows differ from their elements: ${JSON.stringify(wrong)}`);
  const { rows } = await client.query(
    `select tenant_id, actor, device, state, day_at, sum(d.events)::integer as events,
            min(day_at + d.first_ms * interval '1 ms') as first_at, max(day_at + d.last_ms * interval '1 ms') as last_at
       from models.actor_tally t
      cross join lateral unnest(t.counts, t.first_ms, t.last_ms) with ordinality d (events, first_ms, last_ms, number)
      cross join lateral (select t.at + (d.number + array_lower(t.counts, 1) - 2) * interval '1 day' as day_at) begins
      where t.tenant_id = any($1) and d.events is not null group by 1, 2, 3, 4, 5`,
    [tenantIds],
  );
  return sortDays(
    rows.map((row) => ({
      key: [row.tenant_id, row.actor, row.device, row.state, row.day_at.toISOString()],
      events: row.events,
      firstAt: row.first_at.toISOString(),
      lastAt: row.last_at.toISOString(),
    })),
  );
}

const dayMs = 86_400_000;

/** The same of the stored rows, one by one, or of those that were discovered from a time on. */
export async function recountActorDays(
  client: pg.Client,
  tenantIds: readonly string[],
  from: Date | null = null,
): Promise<ActorDay[]> {
  const { rows } = await client.query<StoredRow>(
    `select tenant_id, occurred_at, discovered_at, actor_id, device_id, is_managed_device, outcome
       from models.audit_log where tenant_id = any($1) and actor_id is not null and ($2::timestamptz is null or discovered_at >= $2) order by occurred_at`,
    [tenantIds, from],
  );
  const days = new Map<string, ActorDay>();
  for (const row of rows) {
    const lastAt = row.occurred_at.toISOString();
    const key = nameKey(row);
    const name = JSON.stringify(key);
    const { events, firstAt } = days.get(name) ?? { events: 0, firstAt: lastAt };
    days.set(name, { key, events: events + 1, firstAt, lastAt });
  }
  return sortDays([...days.values()]);
}

interface StoredRow {
  readonly tenant_id: string;
  readonly occurred_at: Date;
  readonly discovered_at: Date;
  readonly actor_id: string;
  readonly device_id: string | null;
  readonly is_managed_device: boolean | null;
  readonly outcome: string | null;
}

function nameKey(row: StoredRow): ActorDay['key'] {
  const { is_managed_device: isManaged, occurred_at: at } = row;
  const state = isManaged === null ? [] : [isManaged ? 'managed' : 'unmanaged'];
  if (row.outcome === 'failure') state.push('failed');
  const day = at > row.discovered_at ? at : new Date(Math.floor(at.getTime() / dayMs) * dayMs);
  const device = isManaged === null ? (row.device_id ?? '') : '';
  return [row.tenant_id, bound(row.actor_id.toLowerCase()), bound(device), state.join(' '), day.toISOString()];
}

const bound = (text: string): string =>
  Buffer.byteLength(text) > 512 ? `sha256:${createHash('sha256').update(text).digest('hex')}` : text;

const sortDays = (days: ActorDay[]): ActorDay[] =>
  days.sort((one, other) => (JSON.stringify(one.key) < JSON.stringify(other.key) ? -1 : 1));
