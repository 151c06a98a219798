import { defaultCell } from '@tenantscope/runtime';
import { type DatabasePool, sql } from 'slonik';
import { z } from 'zod';
import type { CellPool } from '../admin/cell-pools.ts';
import { translateErrors } from '../admin/database.ts';
import { type LedgerSchema, type OriginalDeadLetter, showDeadLetter, tables } from '../admin/dead-letters.ts';
import {
  type DeadLetterAction,
  deadLetterActions,
  deadLetterOutcomes,
  maxReplays,
} from '../ingest/lane/dead-letter-requests.ts';
import type { AuditedTransaction } from './audited-transaction.ts';

export interface DeadLetterPools {
  /** The read models of the cells. */
  readonly models: readonly CellPool[];
  readonly control: DatabasePool;
}

/** The dead letters that a member may see: those of its tenants. */
export interface VisibilityScope {
  readonly tenantIds: readonly string[];
  /** A member of the whole organization also sees dead letters without a tenant, unless they may belong to another organization. */
  readonly hasEveryTenant: boolean;
}

export const deadLetterStates = ['pending', 'replayed', 'settled', 'discarded'] as const;
export type DeadLetterState = (typeof deadLetterStates)[number];

export interface DeadLetterQuery extends VisibilityScope {
  readonly state: DeadLetterState | null;
  readonly reason?: string;
  readonly topic?: string;
  readonly tenantId?: string | undefined;
  /** Epoch ms, both bounds of the time of dead-lettering, inclusive. */
  readonly fromMs?: number;
  readonly toMs?: number;
}

/** The last dead letter of a page. */
export interface DeadLetterPosition {
  readonly deadLetteredAt: string;
  readonly id: string;
}

const deadLetter = z.object({
  id: z.string(),
  reason: z.string(),
  stage: z.string(),
  detail: z.string(),
  topic: z.string(),
  partition: z.number(),
  offset: z.number(),
  element: z.number(),
  tenantId: z.string().nullable(),
  state: z.enum(deadLetterStates),
  replays: z.number(),
  replaysLeft: z.number(),
  truncated: z.boolean(),
  deadLetteredAt: z.string(),
  changedAt: z.string(),
});
/** A dead letter without its message. */
export type ConsoleDeadLetter = z.infer<typeof deadLetter>;

const columns = sql.fragment`l.id, l.reason, l.stage, l.detail, l.topic, m.partition, m."offset", l.element, l.tenant_id as "tenantId", l.state,
  l.replays, greatest(0, ${maxReplays} - l.replays) as "replaysLeft", m.value_sha256 is not null as truncated, l.dead_lettered_at as "deadLetteredAt", l.changed_at as "changedAt"`;

export const listLedgers = ({
  models,
  control,
}: DeadLetterPools): readonly (CellPool & { readonly schema: LedgerSchema })[] => [
  ...models.map(({ cell, pool }) => ({ cell, pool, schema: 'models' as const })),
  { cell: defaultCell, pool: control, schema: 'control' },
];

/** The tenants of the installation where the member also sees dead letters of none of them, else null; read for every query, since tenants change. */
async function readOtherTenants(
  { control }: DeadLetterPools,
  { hasEveryTenant }: VisibilityScope,
): Promise<readonly string[] | null> {
  if (!hasEveryTenant) return null;
  const { organizations, tenants } = await translateErrors(
    control.one(sql.type(z.object({ organizations: z.number(), tenants: z.array(z.string()) }))`
      select (select count(*) from control.organization) as organizations, array(select id from control.tenant) as tenants`),
  );
  return organizations > 1 ? null : tenants;
}

/** The visibility scope as a condition over `l`, dead letters or counts of them. */
export async function visibilityCondition(pools: DeadLetterPools, scope: VisibilityScope) {
  const own = sql.fragment`l.tenant_id = any(${sql.array([...scope.tenantIds], 'uuid')})`;
  const tenants = await readOtherTenants(pools, scope);
  if (tenants === null) return own;
  return sql.fragment`(${own} or l.tenant_id is null or l.tenant_id <> all(${sql.array([...tenants], 'uuid')}))`;
}

const queryConditions = async (pools: DeadLetterPools, query: DeadLetterQuery) => [
  await visibilityCondition(pools, query),
  ...[
    query.state === null ? null : sql.fragment`l.state = ${query.state}`,
    query.reason === undefined ? null : sql.fragment`l.reason = ${query.reason}`,
    query.topic === undefined ? null : sql.fragment`l.topic = ${query.topic}`,
    query.tenantId === undefined ? null : sql.fragment`l.tenant_id = ${query.tenantId}`,
    query.fromMs === undefined ? null : sql.fragment`l.dead_lettered_at >= ${sql.timestamp(new Date(query.fromMs))}`,
    query.toMs === undefined ? null : sql.fragment`l.dead_lettered_at <= ${sql.timestamp(new Date(query.toMs))}`,
  ].filter((condition) => condition !== null),
];

/** Counts are written with dead letters, without the times of each: within a period the dead letters themselves are counted. */
function countedRows(schema: LedgerSchema, { fromMs, toMs }: DeadLetterQuery) {
  const { deadLetters, counts } = tables(schema);
  return fromMs === undefined && toMs === undefined
    ? sql.fragment`${counts} l`
    : sql.fragment`(select *, 1 as amount, dead_lettered_at as first_at, dead_lettered_at as last_at from ${deadLetters}) l`;
}

const reasonCount = z.object({ reason: z.string(), count: z.number(), firstAt: z.string(), lastAt: z.string() });
/** How many dead letters there are for a reason, and when the first and the last one was written; of an hour in which some were decided since, any of them. */
export type ReasonCount = z.infer<typeof reasonCount>;

/** The most frequent reason first. */
export async function countByReason(pools: DeadLetterPools, query: DeadLetterQuery): Promise<readonly ReasonCount[]> {
  const conditions = await queryConditions(pools, query);
  const counts = await Promise.all(
    listLedgers(pools).map(({ pool, schema }) =>
      translateErrors(
        pool.any(sql.type(reasonCount)`
          select l.reason, sum(l.amount)::bigint as count, min(l.first_at) as "firstAt", max(l.last_at) as "lastAt"
            from ${countedRows(schema, query)} where ${sql.join(conditions, sql.fragment` and `)} group by l.reason having sum(l.amount) > 0`),
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
/** How many dead letters came from a topic. */
export type TopicCount = z.infer<typeof topicCount>;

export async function countByTopic(pools: DeadLetterPools, query: DeadLetterQuery): Promise<readonly TopicCount[]> {
  const conditions = await queryConditions(pools, query);
  const counts = await Promise.all(
    listLedgers(pools).map(({ pool, schema }) =>
      translateErrors(
        pool.any(sql.type(topicCount)`
          select l.topic, sum(l.amount)::bigint as count from ${countedRows(schema, query)}
           where ${sql.join(conditions, sql.fragment` and `)} group by l.topic having sum(l.amount) > 0 order by l.topic`),
      ),
    ),
  );
  return [...Map.groupBy(counts.flat(), ({ topic }) => topic)].map(([topic, parts]) => ({
    topic,
    count: parts.reduce((sum, { count }) => sum + count, 0),
  }));
}

/** Newest first, by keyset on dead_lettered_at. */
export async function listDeadLetters(
  pools: DeadLetterPools,
  query: DeadLetterQuery,
  after: DeadLetterPosition | null,
  limit: number,
): Promise<readonly ConsoleDeadLetter[]> {
  const conditions = await queryConditions(pools, query);
  if (after !== null)
    conditions.push(
      sql.fragment`(l.dead_lettered_at < ${after.deadLetteredAt}::timestamptz or l.dead_lettered_at = ${after.deadLetteredAt}::timestamptz and l.id > ${after.id})`,
    );
  const pages = await Promise.all(
    listLedgers(pools).map(({ pool, schema }) => {
      const { deadLetters, messages } = tables(schema);
      return translateErrors(
        pool.any(sql.type(deadLetter)`
          select ${columns} from ${deadLetters} l join ${messages} m on m.id = l.message_id where ${sql.join(conditions, sql.fragment` and `)}
           order by l.dead_lettered_at desc, l.id limit ${limit}`),
      );
    }),
  );
  return pages.flat().sort(newestFirst).slice(0, limit);
}

const newestFirst = (one: ConsoleDeadLetter, other: ConsoleDeadLetter): number =>
  one.deadLetteredAt === other.deadLetteredAt
    ? one.id < other.id
      ? -1
      : 1
    : one.deadLetteredAt > other.deadLetteredAt
      ? -1
      : 1;

/** The ids of the dead letters that are visible in the scope, and the cells whose ingest has them. */
export async function filterVisibleDeadLetters(
  pools: DeadLetterPools,
  sight: VisibilityScope,
  ids: readonly string[],
): Promise<{ readonly ids: readonly string[]; readonly cells: readonly string[] }> {
  const condition = await visibilityCondition(pools, sight);
  const found = await Promise.all(
    listLedgers(pools).map(async ({ cell, pool, schema }) => ({
      cell,
      ids: await translateErrors(
        pool.anyFirst(sql.type(z.object({ id: z.string() }))`
          select l.id from ${sql.identifier([schema, 'dead_letter'])} l where l.id = any(${sql.array([...ids], 'uuid')}) and ${condition}`),
      ),
    })),
  );
  return {
    ids: found.flatMap((each) => each.ids),
    cells: [...new Set(found.filter((each) => each.ids.length > 0).map(({ cell }) => cell))],
  };
}

/** A dead letter with its original message; null where none is visible in the scope. */
export async function readOriginalDeadLetter(
  pools: DeadLetterPools,
  sight: VisibilityScope,
  id: string,
): Promise<OriginalDeadLetter | null> {
  if ((await filterVisibleDeadLetters(pools, sight, [id])).ids.length === 0) return null;
  for (const { pool, schema } of listLedgers(pools)) {
    const found = await translateErrors(showDeadLetter(pool, schema, id));
    if (found !== null) return found;
  }
  return null;
}

export interface NewDeadLetterRequest {
  readonly organizationId: string;
  readonly memberId: string;
  readonly action: DeadLetterAction;
  readonly deadLetterIds: readonly string[];
  /** Whose ingest has them: each executes its part in turn. */
  readonly cells: readonly string[];
  readonly reason: string | null;
}

/** Creates a request to ingestion; the database records it in the audit log. */
export async function createDeadLetterRequest(
  transaction: AuditedTransaction,
  input: NewDeadLetterRequest,
): Promise<string> {
  const { organizationId, memberId, action, deadLetterIds, cells, reason } = input;
  return transaction.oneFirst(sql.type(z.object({ id: z.string() }))`
    insert into control.dead_letter_request (organization_id, action, dead_letter_ids, cells, reason, requested_by)
    values (${organizationId}, ${action}, ${sql.array([...deadLetterIds], 'uuid')}, ${sql.array([...cells], 'text')}, ${reason}, ${memberId}) returning id`);
}

const request = z.object({
  id: z.string(),
  action: z.enum(deadLetterActions),
  reason: z.string().nullable(),
  deadLetters: z.number(),
  requestedBy: z.string(),
  requestedAt: z.string(),
  completedAt: z.string().nullable(),
  state: z.enum(['waiting', 'running', 'done']),
  lastError: z.string().nullable(),
  results: z.array(
    z.object({
      deadLetterId: z.string(),
      result: z.enum(deadLetterOutcomes),
      reason: z.string().nullable(),
      detail: z.string().nullable(),
    }),
  ),
});
/** A request and its progress. */
export type ConsoleDeadLetterRequest = z.infer<typeof request>;

export function readDeadLetterRequest(
  control: DatabasePool,
  of: { organizationId: string; memberId: string | null; id: string },
): Promise<ConsoleDeadLetterRequest | null> {
  return translateErrors(
    control.maybeOne(sql.type(request)`
      select id, action, reason, cardinality(dead_letter_ids) as "deadLetters", requested_by as "requestedBy", requested_at as "requestedAt", completed_at as "completedAt",
             case when completed_at is not null then 'done' when claimed_at is not null then 'running' else 'waiting' end as state, last_error as "lastError", results
        from control.dead_letter_request
       where id = ${of.id} and organization_id = ${of.organizationId} and (${of.memberId}::uuid is null or requested_by = ${of.memberId})`),
  );
}
