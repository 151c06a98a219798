import { type DatabasePool, type DatabaseTransactionConnection, sql } from 'slonik';
import { z } from 'zod';
import {
  columns,
  type DeadLetterFilter,
  filterCondition,
  type LedgerSchema,
  type OriginalDeadLetter,
  original,
  tables,
} from './dead-letters.ts';

const time = z.string().transform((value) => new Date(value).toISOString());
const cause = z.object({ count: z.number(), firstAt: time, lastAt: time, detail: z.string(), exampleId: z.string() });

const summary = z.object({
  tenantId: z.string().nullable(),
  topic: z.string(),
  format: z.string().nullable(),
  reason: z.string(),
  count: z.number(),
  firstAt: z.string(),
  lastAt: z.string(),
  /** How many different details there are, numbers aside. */
  causeCount: z.number(),
  /** The most frequent of them, with the last dead letter of each. */
  causes: z.array(cause),
});
/** Dead letters of one tenant, source and reason. */
export type DeadLetterSummary = z.infer<typeof summary>;

/** A detail may quote what the record says, so that there may be as many as dead letters. */
const maxCauses = 5;

/** The most frequent first. Details that differ in numbers only, such as a position in the text, are one cause. */
export async function summarizeDeadLetters(
  pool: DatabasePool,
  schema: LedgerSchema,
  filter: DeadLetterFilter,
): Promise<readonly DeadLetterSummary[]> {
  const { deadLetters } = tables(schema);
  return readAtLength(pool, (transaction) =>
    transaction.any(sql.type(summary)`
    with cause as (
      select l.tenant_id, l.topic, l.format, l.reason, count(*) as count, min(l.dead_lettered_at) as first_at, max(l.dead_lettered_at) as last_at,
             (array_agg(l.id order by l.dead_lettered_at desc, l.id))[1] as example_id, (array_agg(l.detail order by l.dead_lettered_at desc, l.id))[1] as detail
        from ${deadLetters} l where ${filterCondition(schema, filter)}
       group by 1, 2, 3, 4, regexp_replace(l.detail, '[0-9]+', '0', 'g')
    ), ranked as (
      select *, row_number() over (partition by tenant_id, topic, format, reason order by count desc, last_at desc, example_id) as rank from cause
    )
    select tenant_id as "tenantId", topic, format, reason, sum(count)::bigint as count, min(first_at) as "firstAt", max(last_at) as "lastAt", count(*) as "causeCount",
           jsonb_agg(jsonb_build_object('count', count, 'firstAt', first_at, 'lastAt', last_at, 'detail', detail, 'exampleId', example_id) order by rank) filter (where rank <= ${maxCauses}) as causes
      from ranked group by 1, 2, 3, 4 order by 5 desc, 1, 2, 3, 4`),
  );
}

/** A summary of 200,000 dead letters took 7 s on a busy machine, and an operator waits for it: it may take ten minutes rather than the 30 s of the login. */
function readAtLength<Value>(
  pool: DatabasePool,
  read: (transaction: DatabaseTransactionConnection) => Promise<Value>,
): Promise<Value> {
  return pool.transaction(async (transaction) => {
    await transaction.query(sql.unsafe`set local statement_timeout = '10min'`);
    return read(transaction);
  });
}

/** Where the next page of a walk begins. */
export interface DeadLetterPosition {
  readonly at: string;
  readonly id: string;
}

/** Dead letters about which a decision is still possible. */
export async function countUndecided(
  pool: DatabasePool,
  schema: LedgerSchema,
  filter: DeadLetterFilter,
): Promise<number> {
  return readAtLength(pool, (transaction) =>
    transaction.oneFirst(sql.type(z.object({ count: z.number() }))`
    select count(*) as count from ${tables(schema).deadLetters} l where ${filterCondition(schema, filter)} and l.state in ('pending', 'replayed')`),
  );
}

const undecided = z.object({ id: z.string(), at: z.string(), bytes: z.number() });

/** Undecided dead letters, oldest first, with the sizes of their messages. */
export async function listUndecided(
  pool: DatabasePool,
  schema: LedgerSchema,
  filter: DeadLetterFilter,
  after: DeadLetterPosition | null,
  limit: number,
): Promise<readonly z.infer<typeof undecided>[]> {
  const { deadLetters, messages } = tables(schema);
  const behind =
    after === null
      ? sql.fragment`true`
      : sql.fragment`(l.dead_lettered_at, l.id) > (${after.at}::timestamptz, ${after.id}::uuid)`;
  return pool.any(sql.type(undecided)`
    select l.id, l.dead_lettered_at as at, coalesce(length(m.value), 0) as bytes from ${deadLetters} l join ${messages} m on m.id = l.message_id
     where ${filterCondition(schema, filter)} and l.state in ('pending', 'replayed') and ${behind} order by l.dead_lettered_at, l.id limit ${limit}`);
}

/** Dead letters with their messages, in the order of the ids; those that exist. */
export async function readOriginals(
  pool: DatabasePool,
  schema: LedgerSchema,
  ids: readonly string[],
): Promise<readonly OriginalDeadLetter[]> {
  const { deadLetters, messages } = tables(schema);
  return pool.any(sql.type(original)`
    select ${columns}, m.produced_at as "producedAt", m.binding_id as "bindingId", m.key, m.value, m.headers, m.value_bytes as "valueBytes", encode(m.value_sha256, 'hex') as "valueSha256"
      from unnest(${sql.array([...ids], 'uuid')}) with ordinality as requested (id, place)
      join ${deadLetters} l on l.id = requested.id join ${messages} m on m.id = l.message_id order by requested.place`);
}

/** An operator's decision about many dead letters. The audit log has one event of it per statement and tenant, with its id, its filter and what was changed. */
export interface BulkAction {
  readonly id: string;
  readonly filter: DeadLetterFilter;
}

/** Counts replays before they are published. Returns the ids that may be replayed: not those that were decided meanwhile. */
export async function beginReplays(
  pool: DatabasePool,
  schema: LedgerSchema,
  action: BulkAction,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const { deadLetters } = tables(schema);
  return inBulkAction(pool, action, async (transaction) => {
    const begun = await transaction.anyFirst(sql.type(z.object({ id: z.string() }))`
      update ${deadLetters} set state = 'replayed', replays = replays + 1, changed_at = clock_timestamp()
       where id = any(${sql.array([...ids], 'uuid')}) and state in ('pending', 'replayed') returning id`);
    return new Set(begun);
  });
}

/** Settles replayed dead letters whose messages were sent to the topics of another cell. */
export async function settleForwarded(
  pool: DatabasePool,
  schema: LedgerSchema,
  action: BulkAction,
  ids: readonly string[],
): Promise<void> {
  const { deadLetters } = tables(schema);
  await inBulkAction(pool, action, (transaction) =>
    transaction.query(sql.unsafe`
      update ${deadLetters} set state = 'settled', changed_at = clock_timestamp()
       where id = any(${sql.array([...ids], 'uuid')}) and state = 'replayed'`),
  );
}

/** Discards dead letters that are not decided yet; they are deleted after their retention. Returns how many. */
export async function discardMany(
  pool: DatabasePool,
  schema: LedgerSchema,
  action: BulkAction,
  ids: readonly string[],
): Promise<number> {
  const { deadLetters } = tables(schema);
  return inBulkAction(pool, action, async (transaction) => {
    const { rowCount } = await transaction.query(sql.unsafe`
      update ${deadLetters} set state = 'discarded', changed_at = clock_timestamp()
       where id = any(${sql.array([...ids], 'uuid')}) and state in ('pending', 'replayed')`);
    return rowCount;
  });
}

function inBulkAction<Value>(
  pool: DatabasePool,
  action: BulkAction,
  work: (transaction: DatabaseTransactionConnection) => Promise<Value>,
): Promise<Value> {
  return pool.transaction(async (transaction) => {
    await transaction.query(sql.unsafe`select set_config('tenantscope.bulk_action', ${JSON.stringify(action)}, true)`);
    return work(transaction);
  });
}

/** The states of these dead letters. */
export async function readStates(
  pool: DatabasePool,
  schema: LedgerSchema,
  ids: readonly string[],
): Promise<readonly { readonly id: string; readonly state: string }[]> {
  const { deadLetters } = tables(schema);
  return pool.any(sql.type(z.object({ id: z.string(), state: z.string() }))`
    select id, state from ${deadLetters} where id = any(${sql.array([...ids], 'uuid')})`);
}
