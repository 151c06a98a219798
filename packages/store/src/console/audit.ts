import { type DatabasePool, sql } from 'slonik';
import { z } from 'zod';
import { asked } from '../admin/database.ts';
import { adminEvent, beginning, type ChainFault, type ChainPlace, faultOf } from './admin-chain.ts';

const event = adminEvent.extend({ actorName: z.string().nullable(), accountName: z.string().nullable() });
/** With the name of the person who did it, where it was one, and of whose account was tried, where somebody has that account. */
export type AdminEvent = z.infer<typeof event>;

const linkColumns = sql.fragment`e.number, e.at, e.actor, e.session_id as "sessionId", e.request_id as "requestId", e.address, e.act,
  e.subject_type as "subjectType", e.subject_id as "subjectId", e.before, e.after, encode(e.previous_sha256, 'hex') as "previousSha256", encode(e.sha256, 'hex') as sha256`;
// Accounts are named by a digest, since whoever fails to sign in may have typed anything.
const columns = sql.fragment`${linkColumns}, p.name as "actorName",
  (select a.name from control.person a
    where e.subject_type = 'account' and a.organization_id = e.chain and left(encode(sha256(convert_to(a.subject, 'UTF8')), 'hex'), 16) = e.subject_id
    order by a.id limit 1) as "accountName"`;

export interface AuditPeriod {
  readonly organizationId: string;
  /** Epoch ms, both bounds included: the date is always bounded. */
  readonly fromMs: number;
  readonly toMs: number;
  /** Of somebody who looks at some tenants: own acts, and what was done with those tenants. Left out: of the whole organization. */
  readonly seenBy?: { readonly actor: string; readonly tenantIds: readonly string[] };
}

export interface AuditQuery extends AuditPeriod {
  /** As events name it, or the kind before the colon alone: `cli`. */
  readonly actor?: string;
  readonly act?: string;
  readonly subjectType?: string;
  readonly subjectId?: string;
  /** Of these tenants alone. */
  readonly tenantIds?: readonly string[];
  /** Only events below this number. */
  readonly before: number | null;
  readonly limit: number;
}

const within = ({ organizationId, fromMs, toMs, seenBy }: AuditPeriod) => sql.fragment`
  e.chain = ${organizationId} and e.at >= ${sql.timestamp(new Date(fromMs))} and e.at <= ${sql.timestamp(new Date(toMs))}
  and ${seenBy ? concerns(seenBy) : sql.fragment`true`}`;

/** An event is of the tenant that the row had before or after, or that was asked in the playground. */
const concerns = ({ actor, tenantIds }: NonNullable<AuditPeriod['seenBy']>) =>
  sql.fragment`(e.actor = ${actor} or ${isOf(tenantIds)})`;

function isOf(tenantIds: readonly string[]) {
  const tenants = sql.array([...tenantIds], 'text');
  return sql.fragment`(e.subject_type = 'tenant' and e.subject_id = any(${tenants})
    or coalesce(e.after, e.before) ->> 'tenant_id' = any(${tenants}) or e.subject_type = 'operation' and e.after ->> 'tenantId' = any(${tenants}))`;
}

/** Newest first, by keyset on the event's number. */
export function readAudit(pool: DatabasePool, query: AuditQuery): Promise<readonly AdminEvent[]> {
  const { actor } = query;
  const conditions = [
    within(query),
    query.before === null ? null : sql.fragment`e.number < ${query.before}`,
    actor === undefined
      ? null
      : actor.includes(':')
        ? sql.fragment`e.actor = ${actor}`
        : sql.fragment`starts_with(e.actor, ${`${actor}:`})`,
    query.act === undefined ? null : sql.fragment`e.act = ${query.act}`,
    query.subjectType === undefined ? null : sql.fragment`e.subject_type = ${query.subjectType}`,
    query.tenantIds === undefined ? null : isOf(query.tenantIds),
    query.subjectId === undefined ? null : sql.fragment`e.subject_id = ${query.subjectId}`,
  ].filter((condition) => condition !== null);
  return asked(
    pool.any(sql.type(event)`
      select ${columns} from control.admin_event e left join control.person p on e.actor = 'person:' || p.id
       where ${sql.join(conditions, sql.fragment` and `)} order by e.number desc limit ${query.limit}`),
  );
}

const linkBatch = 1_000;

/** Everything of a period, oldest first, some at a time: what is written meanwhile comes last. */
export async function* followAudit(pool: DatabasePool, period: AuditPeriod): AsyncGenerator<readonly AdminEvent[]> {
  for (let after = 0; ; ) {
    const events = await asked(
      pool.any(sql.type(event)`
        select ${columns} from control.admin_event e left join control.person p on e.actor = 'person:' || p.id
         where ${within(period)} and e.number > ${after} order by e.number limit ${linkBatch}`),
    );
    yield events;
    if (events.length < linkBatch) return;
    after = events.at(-1)?.number ?? after;
  }
}

const place = z.object({ number: z.number(), sha256: z.string().nullable(), at: z.string().nullable() });
export type AuditHead = z.infer<typeof place>;

/** The newest event, as the service noted it apart from the event itself. */
export function readAuditHead(pool: DatabasePool, organizationId: string): Promise<AuditHead> {
  return asked(
    pool.one(sql.type(place)`
      select coalesce(h.number, 0) as number, encode(h.sha256, 'hex') as sha256, e.at
        from (select ${organizationId}::uuid as chain) wanted
        left join control.admin_event_head h using (chain)
        left join control.admin_event e on e.chain = h.chain and e.number = h.number`),
  );
}

export interface ChainVerdict {
  /** How many events were recomputed. */
  readonly through: number;
  /** The number of the first event that does not follow from those before it; null where the chain is whole. */
  readonly brokenAt: number | null;
  /** What is wrong there. `cut`: it and all after it are gone. `added`: the service did not write it. */
  readonly fault: ChainFault | 'cut' | 'added' | null;
  /** Digest of the last event that follows. */
  readonly sha256: string | null;
}

const link = adminEvent;

/** Recomputes the chain from its beginning, and looks whether its end is the one that was noted. One snapshot: what is written meanwhile is no fault. */
export async function verifyAudit(pool: DatabasePool, organizationId: string): Promise<ChainVerdict> {
  return asked(
    pool.transaction(async (transaction) => {
      await transaction.query(sql.unsafe`set transaction isolation level repeatable read read only`);
      const head = await transaction.maybeOne(sql.type(z.object({ number: z.number(), sha256: z.string().nullable() }))`
        select number, encode(sha256, 'hex') as sha256 from control.admin_event_head where chain = ${organizationId}`);
      const end: ChainPlace = head ?? beginning;
      let last = beginning;
      const verdict = (brokenAt: number | null, fault: ChainVerdict['fault']): ChainVerdict => ({
        through: last.number,
        brokenAt,
        fault,
        sha256: last.sha256,
      });
      for (;;) {
        const links = await transaction.any(sql.type(link)`
          select ${linkColumns} from control.admin_event e
           where e.chain = ${organizationId} and e.number > ${last.number} order by e.number limit ${linkBatch}`);
        for (const one of links) {
          const fault = faultOf(organizationId, last, one);
          if (fault !== null) return verdict(last.number + 1, fault);
          if (one.number > end.number) return verdict(one.number, 'added');
          last = one;
        }
        if (links.length < linkBatch) break;
      }
      if (last.number < end.number) return verdict(last.number + 1, 'cut');
      return last.sha256 === end.sha256 ? verdict(null, null) : verdict(last.number, 'altered');
    }),
  );
}
