import { type DatabasePool, sql } from 'slonik';
import { z } from 'zod';
import { translateErrors } from '../admin/database.ts';
import { adminEvent, type ChainFault, type ChainPosition, chainStart, findChainFault } from './audit-chain.ts';

const event = adminEvent.extend({ actorName: z.string().nullable(), accountName: z.string().nullable() });
/** With the name of the member who acted, and the name of the account of a failed sign-in, where they exist. */
export type AdminEvent = z.infer<typeof event>;

const linkColumns = sql.fragment`e.number, e.at, e.actor, e.session_id as "sessionId", e.request_id as "requestId", e.address, e.action,
  e.subject_type as "subjectType", e.subject_id as "subjectId", e.before, e.after, encode(e.previous_sha256, 'hex') as "previousSha256", encode(e.sha256, 'hex') as sha256`;

/** The schema of an audit log: `models` in a database of read models of its own, which has one chain and no members. */
export type AuditSchema = 'control' | 'models';

const table = (schema: AuditSchema, name: 'admin_event' | 'admin_event_head') => sql.identifier([schema, name]);

// Accounts are named by a digest, since a failed sign-in may contain any input.
const eventRows = (schema: AuditSchema) =>
  schema === 'models'
    ? sql.fragment`${linkColumns}, null as "actorName", null as "accountName" from models.admin_event e`
    : sql.fragment`${linkColumns}, p.name as "actorName",
        (select a.name from control.member a
          where e.subject_type = 'account' and a.organization_id = e.chain and left(encode(sha256(convert_to(a.subject, 'UTF8')), 'hex'), 16) = e.subject_id
          order by a.id limit 1) as "accountName"
        from control.admin_event e left join control.member p on e.actor = 'member:' || p.id`;

export interface AuditPeriod {
  readonly organizationId: string;
  /** Epoch ms, both bounds included: the date is always bounded. */
  readonly fromMs: number;
  readonly toMs: number;
  /** For a member who sees some tenants: its own actions, and actions on those tenants. Left out: the whole organization. */
  readonly visibleTo?: { readonly actor: string; readonly tenantIds: readonly string[] };
}

export interface AuditQuery extends AuditPeriod {
  /** As events name it, or the kind before the colon alone: `cli`. */
  readonly actor?: string;
  readonly action?: string;
  readonly subjectType?: string;
  readonly subjectId?: string;
  /** Of these tenants alone. */
  readonly tenantIds?: readonly string[];
  /** Only events below this number. */
  readonly before: number | null;
  readonly limit: number;
}

const within = ({ organizationId, fromMs, toMs, visibleTo: seenBy }: AuditPeriod) => sql.fragment`
  e.chain = ${organizationId} and e.at >= ${sql.timestamp(new Date(fromMs))} and e.at <= ${sql.timestamp(new Date(toMs))}
  and ${seenBy ? concerns(seenBy) : sql.fragment`true`}`;

/** An event belongs to the tenant that the row had before or after, or that a playground run read. */
const concerns = ({ actor, tenantIds }: NonNullable<AuditPeriod['visibleTo']>) =>
  sql.fragment`(e.actor = ${actor} or ${isOf(tenantIds)})`;

function isOf(tenantIds: readonly string[]) {
  const tenants = sql.array([...tenantIds], 'text');
  return sql.fragment`(e.subject_type = 'tenant' and e.subject_id = any(${tenants})
    or coalesce(e.after, e.before) ->> 'tenant_id' = any(${tenants}) or e.subject_type = 'operation' and e.after ->> 'tenantId' = any(${tenants}))`;
}

/** Newest first, by keyset on the event's number. */
export function readAuditEvents(
  pool: DatabasePool,
  query: AuditQuery,
  schema: AuditSchema = 'control',
): Promise<readonly AdminEvent[]> {
  const { actor } = query;
  const conditions = [
    within(query),
    query.before === null ? null : sql.fragment`e.number < ${query.before}`,
    actor === undefined
      ? null
      : actor.includes(':')
        ? sql.fragment`e.actor = ${actor}`
        : sql.fragment`starts_with(e.actor, ${`${actor}:`})`,
    query.action === undefined ? null : sql.fragment`e.action = ${query.action}`,
    query.subjectType === undefined ? null : sql.fragment`e.subject_type = ${query.subjectType}`,
    query.tenantIds === undefined ? null : isOf(query.tenantIds),
    query.subjectId === undefined ? null : sql.fragment`e.subject_id = ${query.subjectId}`,
  ].filter((condition) => condition !== null);
  return translateErrors(
    pool.any(sql.type(event)`
      select ${eventRows(schema)}
       where ${sql.join(conditions, sql.fragment` and `)} order by e.number desc limit ${query.limit}`),
  );
}

const linkBatch = 1_000;

/** All events of a period, oldest first, in batches: events written meanwhile come last. */
export async function* streamAuditEvents(
  pool: DatabasePool,
  period: AuditPeriod,
): AsyncGenerator<readonly AdminEvent[]> {
  for (let after = 0; ; ) {
    const events = await translateErrors(
      pool.any(sql.type(event)`
        select ${eventRows('control')}
         where ${within(period)} and e.number > ${after} order by e.number limit ${linkBatch}`),
    );
    yield events;
    if (events.length < linkBatch) return;
    after = events.at(-1)?.number ?? after;
  }
}

const place = z.object({ number: z.number(), sha256: z.string().nullable(), at: z.string().nullable() });
export type AuditHead = z.infer<typeof place>;

/** The newest event, as recorded separately from the event itself. */
export function readAuditHead(pool: DatabasePool, organizationId: string): Promise<AuditHead> {
  return translateErrors(
    pool.one(sql.type(place)`
      select coalesce(h.number, 0) as number, encode(h.sha256, 'hex') as sha256, e.at
        from (select ${organizationId}::uuid as chain) input
        left join control.admin_event_head h using (chain)
        left join control.admin_event e on e.chain = h.chain and e.number = h.number`),
  );
}

export interface ChainVerification {
  /** How many events were recomputed. */
  readonly through: number;
  /** The number of the first event that does not follow from those before it; null where the chain is whole. */
  readonly brokenAt: number | null;
  /** What is wrong there. `cut`: it and all after it are gone. `added`: the service did not write it. */
  readonly fault: ChainFault | 'truncated' | 'added' | null;
  /** Digest of the last event that follows. */
  readonly sha256: string | null;
}

const link = adminEvent;

/** Recomputes the chain from its beginning and compares its end with the recorded one. Reads one snapshot, so concurrent writes are no fault. */
export async function verifyAudit(
  pool: DatabasePool,
  organizationId: string,
  schema: AuditSchema = 'control',
): Promise<ChainVerification> {
  return translateErrors(
    pool.transaction(async (transaction) => {
      await transaction.query(sql.unsafe`set transaction isolation level repeatable read read only`);
      const head = await transaction.maybeOne(sql.type(z.object({ number: z.number(), sha256: z.string().nullable() }))`
        select number, encode(sha256, 'hex') as sha256 from ${table(schema, 'admin_event_head')} where chain = ${organizationId}`);
      const end: ChainPosition = head ?? chainStart;
      let last = chainStart;
      const verdict = (brokenAt: number | null, fault: ChainVerification['fault']): ChainVerification => ({
        through: last.number,
        brokenAt,
        fault,
        sha256: last.sha256,
      });
      for (;;) {
        const links = await transaction.any(sql.type(link)`
          select ${linkColumns} from ${table(schema, 'admin_event')} e
           where e.chain = ${organizationId} and e.number > ${last.number} order by e.number limit ${linkBatch}`);
        for (const one of links) {
          const fault = findChainFault(organizationId, last, one);
          if (fault !== null) return verdict(last.number + 1, fault);
          if (one.number > end.number) return verdict(one.number, 'added');
          last = one;
        }
        if (links.length < linkBatch) break;
      }
      if (last.number < end.number) return verdict(last.number + 1, 'truncated');
      return last.sha256 === end.sha256 ? verdict(null, null) : verdict(last.number, 'altered');
    }),
  );
}
