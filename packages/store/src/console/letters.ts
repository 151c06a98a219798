import { type DatabasePool, sql } from 'slonik';
import { z } from 'zod';
import { asked } from '../admin/database.ts';
import { type LedgerSchema, type OriginalDeadLetter, showDeadLetter } from '../admin/dead-letters.ts';
import { type LetterAct, letterActs, letterOutcomes, mostReplays } from '../letter-requests.ts';
import type { Change } from './acting.ts';

export interface LetterPools {
  readonly models: DatabasePool;
  readonly control: DatabasePool;
}

/** Whose letters a person may look at: those of its tenants. */
export interface LetterSight {
  readonly tenantIds: readonly string[];
  /** Somebody of the whole organization also sees what belongs to no tenant at all, unless there are other organizations it may be of. */
  readonly hasEveryTenant: boolean;
}

export const letterStates = ['parked', 'replayed', 'settled', 'discarded'] as const;
export type LetterState = (typeof letterStates)[number];

export interface LetterQuery extends LetterSight {
  readonly state: LetterState | null;
  readonly reason?: string;
  readonly topic?: string;
  readonly tenantId?: string;
  /** Epoch ms, both bounds of when it was set aside. */
  readonly fromMs?: number;
  readonly toMs?: number;
}

/** The last letter of a page. */
export interface LetterPlace {
  readonly setAsideAt: string;
  readonly id: string;
}

const letter = z.object({
  id: z.string(),
  reason: z.string(),
  stage: z.string(),
  detail: z.string(),
  topic: z.string(),
  partition: z.number(),
  offset: z.number(),
  element: z.number(),
  tenantId: z.string().nullable(),
  state: z.enum(letterStates),
  replays: z.number(),
  replaysLeft: z.number(),
  setAsideAt: z.string(),
  changedAt: z.string(),
});
/** A dead letter without its message. */
export type ConsoleLetter = z.infer<typeof letter>;

const columns = sql.fragment`l.id, l.reason, l.stage, l.detail, m.topic, m.partition, m."offset", l.element, l.tenant_id as "tenantId", l.state,
  l.replays, greatest(0, ${mostReplays} - l.replays) as "replaysLeft", l.set_aside_at as "setAsideAt", l.changed_at as "changedAt"`;

const ledgersOf = ({ models, control }: LetterPools) =>
  [
    { pool: models, schema: 'models' },
    { pool: control, schema: 'control' },
  ] as const satisfies readonly { pool: DatabasePool; schema: LedgerSchema }[];

const from = (schema: LedgerSchema) => sql.fragment`
  ${sql.identifier([schema, 'dead_letter'])} l join ${sql.identifier([schema, 'dead_letter_message'])} m on m.id = l.message_id`;

/** What a person sees, as a condition; to be asked for anew each time, for tenants come and go. */
async function seen({ control }: LetterPools, { tenantIds, hasEveryTenant }: LetterSight) {
  const own = sql.fragment`l.tenant_id = any(${sql.array([...tenantIds], 'uuid')})`;
  if (!hasEveryTenant) return own;
  const { organizations, known } = await asked(
    control.one(sql.type(z.object({ organizations: z.number(), known: z.array(z.string()) }))`
      select (select count(*) from control.organization) as organizations, array(select id from control.tenant) as known`),
  );
  if (organizations > 1) return own;
  return sql.fragment`(${own} or l.tenant_id is null or l.tenant_id <> all(${sql.array([...known], 'uuid')}))`;
}

const conditionsOf = async (pools: LetterPools, query: LetterQuery) => [
  await seen(pools, query),
  ...[
    query.state === null ? null : sql.fragment`l.state = ${query.state}`,
    query.reason === undefined ? null : sql.fragment`l.reason = ${query.reason}`,
    query.topic === undefined ? null : sql.fragment`m.topic = ${query.topic}`,
    query.tenantId === undefined ? null : sql.fragment`l.tenant_id = ${query.tenantId}`,
    query.fromMs === undefined ? null : sql.fragment`l.set_aside_at >= ${sql.timestamp(new Date(query.fromMs))}`,
    query.toMs === undefined ? null : sql.fragment`l.set_aside_at <= ${sql.timestamp(new Date(query.toMs))}`,
  ].filter((condition) => condition !== null),
];

const reasonCount = z.object({ reason: z.string(), count: z.number(), firstAt: z.string(), lastAt: z.string() });
/** How many letters there are for a reason, and when the first and the last was set aside. */
export type ReasonCount = z.infer<typeof reasonCount>;

/** The most frequent reason first. */
export async function countReasons(pools: LetterPools, query: LetterQuery): Promise<readonly ReasonCount[]> {
  const conditions = await conditionsOf(pools, query);
  const counts = await Promise.all(
    ledgersOf(pools).map(({ pool, schema }) =>
      asked(
        pool.any(sql.type(reasonCount)`
          select l.reason, count(*) as count, min(l.set_aside_at) as "firstAt", max(l.set_aside_at) as "lastAt"
            from ${from(schema)} where ${sql.join(conditions, sql.fragment` and `)} group by l.reason`),
      ),
    ),
  );
  return [...Map.groupBy(counts.flat(), ({ reason }) => reason)]
    .map(([reason, parts]) => ({
      reason,
      count: parts.reduce((sum, { count }) => sum + count, 0),
      firstAt: parts.map(({ firstAt }) => firstAt).sort()[0] ?? '',
      lastAt:
        parts
          .map(({ lastAt }) => lastAt)
          .sort()
          .at(-1) ?? '',
    }))
    .sort((one, other) => other.count - one.count || (one.reason < other.reason ? -1 : 1));
}

const topicCount = z.object({ topic: z.string(), count: z.number() });
/** How many letters came from a topic. */
export type TopicCount = z.infer<typeof topicCount>;

export async function countTopics(pools: LetterPools, query: LetterQuery): Promise<readonly TopicCount[]> {
  const conditions = await conditionsOf(pools, query);
  const counts = await Promise.all(
    ledgersOf(pools).map(({ pool, schema }) =>
      asked(
        pool.any(sql.type(topicCount)`
          select m.topic, count(*) as count from ${from(schema)}
           where ${sql.join(conditions, sql.fragment` and `)} group by m.topic order by m.topic`),
      ),
    ),
  );
  return counts.flat();
}

/** Newest first, by keyset on when they were set aside. */
export async function listLetters(
  pools: LetterPools,
  query: LetterQuery,
  after: LetterPlace | null,
  limit: number,
): Promise<readonly ConsoleLetter[]> {
  const conditions = await conditionsOf(pools, query);
  if (after !== null)
    conditions.push(
      sql.fragment`(l.set_aside_at < ${after.setAsideAt}::timestamptz or l.set_aside_at = ${after.setAsideAt}::timestamptz and l.id > ${after.id})`,
    );
  const pages = await Promise.all(
    ledgersOf(pools).map(({ pool, schema }) =>
      asked(
        pool.any(sql.type(letter)`
          select ${columns} from ${from(schema)} where ${sql.join(conditions, sql.fragment` and `)}
           order by l.set_aside_at desc, l.id limit ${limit}`),
      ),
    ),
  );
  return pages.flat().sort(newestFirst).slice(0, limit);
}

const newestFirst = (one: ConsoleLetter, other: ConsoleLetter): number =>
  one.setAsideAt === other.setAsideAt ? (one.id < other.id ? -1 : 1) : one.setAsideAt > other.setAsideAt ? -1 : 1;

/** Those of the letters that the person may look at. */
export async function seenLetters(pools: LetterPools, sight: LetterSight, ids: readonly string[]): Promise<string[]> {
  const condition = await seen(pools, sight);
  const found = await Promise.all(
    ledgersOf(pools).map(({ pool, schema }) =>
      asked(
        pool.anyFirst(sql.type(z.object({ id: z.string() }))`
          select l.id from ${sql.identifier([schema, 'dead_letter'])} l where l.id = any(${sql.array([...ids], 'uuid')}) and ${condition}`),
      ),
    ),
  );
  return found.flat();
}

/** With its message as it arrived; null where there is none that the person may look at. */
export async function openLetter(
  pools: LetterPools,
  sight: LetterSight,
  id: string,
): Promise<OriginalDeadLetter | null> {
  if ((await seenLetters(pools, sight, [id])).length === 0) return null;
  for (const { pool, schema } of ledgersOf(pools)) {
    const found = await asked(showDeadLetter(pool, schema, id));
    if (found !== null) return found;
  }
  return null;
}

export interface NewLetterRequest {
  readonly organizationId: string;
  readonly personId: string;
  readonly act: LetterAct;
  readonly letterIds: readonly string[];
  readonly reason: string | null;
}

/** Asks ingestion to do something with letters; the database puts it into the audit. */
export async function requestLetters(transaction: Change, wanted: NewLetterRequest): Promise<string> {
  const { organizationId, personId, act, letterIds, reason } = wanted;
  return transaction.oneFirst(sql.type(z.object({ id: z.string() }))`
    insert into control.letter_request (organization_id, act, letter_ids, reason, requested_by)
    values (${organizationId}, ${act}, ${sql.array([...letterIds], 'uuid')}, ${reason}, ${personId}) returning id`);
}

const request = z.object({
  id: z.string(),
  act: z.enum(letterActs),
  reason: z.string().nullable(),
  letters: z.number(),
  requestedBy: z.string(),
  requestedAt: z.string(),
  doneAt: z.string().nullable(),
  state: z.enum(['waiting', 'running', 'done']),
  trouble: z.string().nullable(),
  results: z.array(
    z.object({
      letterId: z.string(),
      result: z.enum(letterOutcomes),
      reason: z.string().nullable(),
      detail: z.string().nullable(),
    }),
  ),
});
/** How far ingestion has come with what was asked. */
export type ConsoleLetterRequest = z.infer<typeof request>;

export function showLetterRequest(
  control: DatabasePool,
  of: { organizationId: string; personId: string | null; id: string },
): Promise<ConsoleLetterRequest | null> {
  return asked(
    control.maybeOne(sql.type(request)`
      select id, act, reason, cardinality(letter_ids) as letters, requested_by as "requestedBy", requested_at as "requestedAt", done_at as "doneAt",
             case when done_at is not null then 'done' when taken_at is not null then 'running' else 'waiting' end as state, trouble, results
        from control.letter_request
       where id = ${of.id} and organization_id = ${of.organizationId} and (${of.personId}::uuid is null or requested_by = ${of.personId})`),
  );
}
