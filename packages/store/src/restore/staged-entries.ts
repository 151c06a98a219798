import type pg from 'pg';

export type Schema = 'control' | 'models';

/** A message of the topic. */
export interface WrittenMessage {
  readonly offset: bigint;
  readonly text: string;
  readonly schema: string | null;
}

/** An entry that the database lacks. Its row is in `pg_temp.staged_<schema>`, which may have more of them than memory. */
export interface MissingEntry {
  readonly number: number;
  /** The table. */
  readonly subject: string;
  readonly isRemoval: boolean;
  /** Of the row, as the version that wrote it has them. */
  readonly columns: readonly string[];
}

const missingAtOnce = 1_000;

/** `state` is null where the database has the entry. */
export async function createStage(client: pg.Client, schema: Schema): Promise<void> {
  await client.query(
    `create temp table staged_${schema}
       (number bigint primary key, recorded_at timestamptz, subject text, is_removal boolean, topic_offset bigint, state jsonb)`,
  );
}

/** Returns how many of the messages are entries of this database. Of one that was published twice the later one counts. */
export async function stageEntries(
  client: pg.Client,
  schema: Schema,
  messages: readonly WrittenMessage[],
): Promise<number> {
  const named = messages.filter((message) => message.schema === schema);
  if (named.length === 0) return 0;
  const { rows } = await client.query<{ count: number }>(
    `with own as materialized (
       select m.* from unnest($1::jsonb[], $2::bigint[]) m (entry, topic_offset) where ${schema}.is_ledger_entry(m.entry)
     ), read as (
       select distinct on (number) (entry ->> 'number')::bigint as number, (entry ->> 'recordedAt')::timestamptz as recorded_at,
              entry ->> 'subject' as subject, (entry ->> 'isRemoval')::boolean as is_removal, topic_offset, entry -> 'state' as state
         from own order by number, topic_offset desc
     ), staged as (
       insert into pg_temp.staged_${schema} as s
       select r.number, r.recorded_at, r.subject, r.is_removal, r.topic_offset, case when e.number is null then r.state end
         from read r left join ${schema}.ledger_entry e on e.number = r.number and e.recorded_at = r.recorded_at
       on conflict (number) do update set recorded_at = excluded.recorded_at, subject = excluded.subject,
          is_removal = excluded.is_removal, topic_offset = excluded.topic_offset, state = excluded.state
     )
     select count(*)::float8 as count from own`,
    [named.map(({ text }) => text), named.map(({ offset }) => String(offset))],
  );
  return rows[0]?.count ?? 0;
}

/** Throws where the database was changed between the restore and now: such a change has the number of one that the ledger has. */
export async function countMissing(client: pg.Client, schema: Schema): Promise<number> {
  const { rows } = await client.query<{ count: number; changed: number | null }>(
    `select count(*)::float8 as count, min(e.number)::float8 as changed
       from pg_temp.staged_${schema} s left join ${schema}.ledger_entry e using (number) where e.recorded_at is distinct from s.recorded_at`,
  );
  const { count = 0, changed = null } = rows[0] ?? {};
  if (changed !== null) throw new ChangedAfterRestore(schema, changed);
  return count;
}

/** In the order of their numbers. */
export async function* readMissing(client: pg.Client, schema: Schema): AsyncGenerator<MissingEntry> {
  for (let last = -1, isFull = true; isFull; ) {
    const { rows } = await client.query<MissingEntry>(
      `select s.number::float8 as number, s.subject, s.is_removal as "isRemoval", array(select jsonb_object_keys(s.state)) as columns
         from pg_temp.staged_${schema} s
        where s.number > $1 and not exists (select from ${schema}.ledger_entry e where e.number = s.number)
        order by s.number limit ${missingAtOnce}`,
      [last],
    );
    yield* rows;
    last = rows.at(-1)?.number ?? last;
    isFull = rows.length === missingAtOnce;
  }
}

/**
 * All of them are in the topic, also those that were not yet published at the time of the backup. The next number is greater than each of them. An entry of the database
 * that has the number of another one is published later, and counts then.
 */
export async function recordEntries(client: pg.Client, schema: Schema, end: bigint): Promise<void> {
  await client.query(
    `insert into ${schema}.ledger_entry as e (number, recorded_at, subject, is_removal, topic_offset) overriding system value
     select number, recorded_at, subject, is_removal, topic_offset from pg_temp.staged_${schema}
     on conflict (number) do update set state = null, mac = null, topic_offset = greatest(e.topic_offset, excluded.topic_offset)
      where e.recorded_at = excluded.recorded_at`,
  );
  await client.query(
    `select setval(pg_get_serial_sequence('${schema}.ledger_entry', 'number'), max(number)) from ${schema}.ledger_entry having max(number) is not null`,
  );
  if (end > 0n && (await hasPosition(client, schema)))
    await client.query(`update ${schema}.ledger_position set compared_to = greatest(compared_to, $1)`, [String(end)]);
}

/** As above, without the states of the entries. The topic may have been created again since the backup, so that it ends before positions that the database has. */
export async function skipEntries(client: pg.Client, schema: Schema, end: bigint): Promise<void> {
  await client.query(`update ${schema}.ledger_entry set topic_offset = $1::bigint - 1 where topic_offset >= $1`, [
    String(end),
  ]);
  await recordEntries(client, schema, end);
  if (await hasPosition(client, schema))
    await client.query(`update ${schema}.ledger_position set compared_to = $1`, [String(end)]);
}

/** Null where the topic was never compared. */
export async function readComparedEnd(client: pg.Client, schema: Schema): Promise<bigint | null> {
  if (!(await hasPosition(client, schema))) return null;
  const { rows } = await client.query<{ end: string | null }>(
    `select compared_to::text as "end" from ${schema}.ledger_position`,
  );
  const end = rows[0]?.end ?? null;
  return end === null ? null : BigInt(end);
}

/** A backup of an earlier version is not yet migrated. */
async function hasPosition(client: pg.Client, schema: Schema): Promise<boolean> {
  const { rows } = await client.query<{ has: boolean }>(
    `select to_regclass('${schema}.ledger_position') is not null as has`,
  );
  return rows[0]?.has === true;
}

/** The restored database was changed before its restore was finished. */
export class ChangedAfterRestore extends Error {
  override name = 'ChangedAfterRestore';
  constructor(schema: string, number: number) {
    super(
      `the database was changed after it was restored: its entry ${number} in ${schema}.ledger_entry is another one than that of the ledger; restore the backup again, and finish the restore before any process starts`,
    );
  }
}
