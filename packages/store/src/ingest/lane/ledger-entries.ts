import { withConnection } from '../../connection/pool.ts';
import type { Ledger } from './lane.ts';
import type { LedgerEnds } from './ledger-end.ts';

export interface PendingEntry {
  /** Unique within its schema, also across restores. */
  readonly number: number;
  /** The value of its message as text: numbers of a row may be larger than those of JavaScript. */
  readonly text: string;
}

/** Entries that are not in the topic yet, oldest first. */
export async function readPendingEntries({ pool, schema }: Ledger, limit: number): Promise<PendingEntry[]> {
  const { rows } = await withConnection(pool, (client) =>
    client.query<PendingEntry>(
      `select number::float8 as number,
              (${schema}.build_ledger_entry(number, recorded_at, subject, is_removal, state) || jsonb_build_object('mac', mac))::text as text
         from ${schema}.ledger_entry where topic_offset is null and ${schema}.has_open_epoch() order by number limit $1`,
      [limit],
    ),
  );
  return rows;
}

/** Entries with their positions in the topic. */
export interface PublishedEntries {
  readonly numbers: readonly number[];
  readonly offsets: readonly bigint[];
}

/** Their rows are no longer needed. */
export async function markPublished({ pool, schema }: Ledger, { numbers, offsets }: PublishedEntries): Promise<void> {
  await withConnection(pool, (client) =>
    client.query(
      `update ${schema}.ledger_entry e set state = null, mac = null, topic_offset = greatest(e.topic_offset, p.topic_offset)
         from unnest($1::bigint[], $2::bigint[]) p (number, topic_offset) where e.number = p.number`,
      [numbers, offsets.map(String)],
    ),
  );
}

/** Messages of the topic, compared with a database. */
export interface ComparedMessages {
  /** Entries that the database has. */
  readonly present: PublishedEntries;
  /** How many it does not have, or has others with their numbers: it was restored to a time before them. */
  readonly missing: number;
  /** How many neither it nor the database that it was restored from has recorded. */
  readonly foreign: number;
}

export async function compareMessages(
  { pool, schema }: Ledger,
  messages: readonly { readonly offset: bigint; readonly text: string }[],
): Promise<ComparedMessages> {
  const { rows } = await withConnection(pool, (client) =>
    client.query<{ index: number; number: number | null; isOwn: boolean }>(
      `select m.index::integer - 1 as index, e.number::float8 as number, o.is_own as "isOwn"
         from unnest($1::jsonb[]) with ordinality m (entry, index)
        cross join lateral (select ${schema}.is_ledger_entry(m.entry) as is_own offset 0) o
         left join ${schema}.ledger_entry e
           on e.number = case when o.is_own then (m.entry ->> 'number')::bigint end
          and e.recorded_at = case when o.is_own then (m.entry ->> 'recordedAt')::timestamptz end
        order by m.index`,
      [messages.map(({ text }) => text)],
    ),
  );
  const own = rows.filter(({ isOwn }) => isOwn);
  const present = own.flatMap(({ index, number }) => {
    const message = messages[index];
    return number === null || message === undefined ? [] : [{ number, offset: message.offset }];
  });
  return {
    present: { numbers: present.map(({ number }) => number), offsets: present.map(({ offset }) => offset) },
    missing: own.length - present.length,
    foreign: rows.length - own.length,
  };
}

export interface LedgerPosition extends LedgerEnds {
  readonly pending: number;
  /** Seconds since the oldest pending entry was recorded; 0 without one. */
  readonly oldestSeconds: number;
  readonly hasOpenEpoch: boolean;
  /** Whether this server has no epoch at all, open or closed. */
  readonly needsEpoch: boolean;
}

export async function readLedgerPosition({ pool, schema }: Ledger): Promise<LedgerPosition> {
  const { rows } = await withConnection(pool, (client) =>
    client.query<Omit<LedgerPosition, 'topicEnd' | 'comparedEnd'> & { topicEnd: string; comparedEnd: string | null }>(
      `select (coalesce((select max(topic_offset) from ${schema}.ledger_entry), -1) + 1)::text as "topicEnd",
              (select compared_to from ${schema}.ledger_position)::text as "comparedEnd",
              count(*)::float8 as pending,
              coalesce(extract(epoch from clock_timestamp() - min(recorded_at)), 0)::float8 as "oldestSeconds",
              ${schema}.has_open_epoch() as "hasOpenEpoch",
              not exists (select from ${schema}.ingest_epoch where timeline = ${schema}.current_timeline()) as "needsEpoch"
         from ${schema}.ledger_entry where topic_offset is null`,
    ),
  );
  const [row] = rows;
  if (row === undefined) throw new Error('an aggregate returns one row');
  const { topicEnd, comparedEnd } = row;
  return { ...row, topicEnd: BigInt(topicEnd), comparedEnd: comparedEnd === null ? null : BigInt(comparedEnd) };
}

/** The database has every entry of the topic before an offset. */
export async function recordComparison({ pool, schema }: Ledger, end: bigint): Promise<void> {
  await withConnection(pool, (client) =>
    client.query(
      `update ${schema}.ledger_position set compared_to = $1 where compared_to is null or compared_to < $1`,
      [String(end)],
    ),
  );
}

/** Nothing is served or written until `tenantscope restore finish`. */
export async function closeEpoch({ pool, schema }: Ledger): Promise<void> {
  await withConnection(pool, (client) => client.query(`select ${schema}.close_epoch()`));
}

/** Runs work while no other process does; null where one does. The lock ends with its connection. */
export async function withLedgerLock<Value>({ pool }: Ledger, work: () => Promise<Value>): Promise<Value | null> {
  return withConnection(pool, async (client) => {
    const lock = "hashtext('tenantscope.ledger')";
    const { rows } = await client.query<{ isLocked: boolean }>(`select pg_try_advisory_lock(${lock}) as "isLocked"`);
    if (!rows[0]?.isLocked) return null;
    const value = await work();
    // After a failure the connection is destroyed, and the lock with it.
    await client.query(`select pg_advisory_unlock(${lock})`);
    return value;
  });
}
