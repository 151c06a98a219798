import { createHash } from 'node:crypto';
import { canonical, type Json } from '@tenantscope/proof';
import { type DatabasePool, sql } from 'slonik';
import { z } from 'zod';
import { asked } from '../admin/database.ts';

const json = z.record(z.string(), z.unknown()).nullable();
const event = z.object({
  number: z.number(),
  at: z.string(),
  actor: z.string(),
  actorName: z.string().nullable(),
  sessionId: z.string().nullable(),
  requestId: z.string().nullable(),
  act: z.string(),
  subjectType: z.string(),
  subjectId: z.string(),
  before: json,
  after: json,
  previousSha256: z.string().nullable(),
  sha256: z.string(),
});
/** What an administrator did, a link of its organization's chain. */
export type AdminEvent = z.infer<typeof event>;

const columns = sql.fragment`e.number, e.at, e.actor, p.name as "actorName", e.session_id as "sessionId", e.request_id as "requestId", e.act,
  e.subject_type as "subjectType", e.subject_id as "subjectId", e.before, e.after, encode(e.previous_sha256, 'hex') as "previousSha256", encode(e.sha256, 'hex') as sha256`;

export interface AuditQuery {
  readonly organizationId: string;
  /** Epoch ms, both bounds included: the date is always bounded. */
  readonly fromMs: number;
  readonly toMs: number;
  readonly actor?: string;
  /** Of somebody who looks at some tenants: own acts, and what was done with those tenants. Left out: of the whole organization. */
  readonly seenBy?: { readonly actor: string; readonly tenantIds: readonly string[] };
  readonly act?: string;
  readonly subjectType?: string;
  readonly subjectId?: string;
  /** Only events below this number. */
  readonly before: number | null;
  readonly limit: number;
}

/** Newest first, by keyset on the event's number. */
export function readAudit(pool: DatabasePool, query: AuditQuery): Promise<readonly AdminEvent[]> {
  const conditions = [
    sql.fragment`e.chain = ${query.organizationId}`,
    sql.fragment`e.at >= ${sql.timestamp(new Date(query.fromMs))} and e.at <= ${sql.timestamp(new Date(query.toMs))}`,
    query.before === null ? null : sql.fragment`e.number < ${query.before}`,
    query.seenBy === undefined ? null : seenBy(query.seenBy),
    query.actor === undefined ? null : sql.fragment`e.actor = ${query.actor}`,
    query.act === undefined ? null : sql.fragment`e.act = ${query.act}`,
    query.subjectType === undefined ? null : sql.fragment`e.subject_type = ${query.subjectType}`,
    query.subjectId === undefined ? null : sql.fragment`e.subject_id = ${query.subjectId}`,
  ].filter((condition) => condition !== null);
  return asked(
    pool.any(sql.type(event)`
      select ${columns} from control.admin_event e left join control.person p on e.actor = 'person:' || p.id
       where ${sql.join(conditions, sql.fragment` and `)} order by e.number desc limit ${query.limit}`),
  );
}

/** An event is of the tenant that the row had before or after, or that was asked in the playground. */
function seenBy({ actor, tenantIds }: NonNullable<AuditQuery['seenBy']>) {
  const tenants = sql.array([...tenantIds], 'text');
  return sql.fragment`(e.actor = ${actor} or e.subject_type = 'tenant' and e.subject_id = any(${tenants})
    or coalesce(e.after, e.before) ->> 'tenant_id' = any(${tenants}) or e.subject_type = 'operation' and e.after ->> 'tenantId' = any(${tenants}))`;
}

export interface ChainVerdict {
  /** How many events were recomputed. */
  readonly through: number;
  /** The number of the first event that does not follow from those before it; null where the chain is whole. */
  readonly brokenAt: number | null;
}

const linkBatch = 1_000;

/** Recomputes the chain from its beginning, and looks whether its end is still there. */
export async function verifyAudit(pool: DatabasePool, organizationId: string): Promise<ChainVerdict> {
  let through = 0;
  let previous: string | null = null;
  for (;;) {
    const links: readonly AdminEvent[] = await asked(
      pool.any(sql.type(event)`
        select ${columns} from control.admin_event e left join control.person p on false
         where e.chain = ${organizationId} and e.number > ${through} order by e.number limit ${linkBatch}`),
    );
    for (const link of links) {
      const follows: boolean =
        link.number === through + 1 &&
        link.previousSha256 === previous &&
        link.sha256 === linkDigest(organizationId, link);
      if (!follows) return { through, brokenAt: through + 1 };
      through = link.number;
      previous = link.sha256;
    }
    if (links.length < linkBatch) break;
  }
  const head = await asked(
    pool.maybeOneFirst(
      sql.type(
        z.object({ number: z.number() }),
      )`select number from control.admin_event_head where chain = ${organizationId}`,
    ),
  );
  return { through, brokenAt: (head ?? 0) === through ? null : through + 1 };
}

function linkDigest(chain: string, link: AdminEvent): string {
  const { number, at, actor, sessionId, requestId, act, subjectType, subjectId, before, after } = link;
  const members = { chain, number, at, actor, sessionId, requestId, act, subjectType, subjectId, before, after };
  return createHash('sha256')
    .update(Buffer.from(link.previousSha256 ?? '', 'hex'))
    .update(canonical(members as Json))
    .digest('hex');
}
