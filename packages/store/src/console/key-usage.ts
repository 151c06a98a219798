import { type DatabasePool, sql } from 'slonik';
import { z } from 'zod';
import { translateErrors } from '../admin/database.ts';

const bucket = z.object({
  at: z.string(),
  requests: z.number(),
  refused: z.number(),
  overLimit: z.number(),
  refusedAfterEnd: z.number(),
});
/** The requests with a key in an hour or a day, which begins `at`. */
export type UsageBucket = z.infer<typeof bucket>;

/** A client that sent a key, and when last. */
const caller = z.object({ address: z.string().nullable(), agent: z.string().nullable(), lastUsedAt: z.string() });
export type KeyCaller = z.infer<typeof caller>;

const listed = z.object({
  id: z.string(),
  name: z.string(),
  display: z.string(),
  scopes: z.array(z.string()),
  kind: z.enum(['api', 'playground']),
  tenantId: z.string().nullable(),
  tenantName: z.string().nullable(),
  createdAt: z.string(),
  createdBy: z.string().nullable(),
  expiresAt: z.string().nullable(),
  revokedAt: z.string().nullable(),
  lastUsedAt: z.string().nullable(),
  requests: z.number(),
});
/** A key, with its last use; `tenantId` null: the whole organization. */
export type ListedKey = z.infer<typeof listed>;

const usedDay = bucket.pick({ at: true, requests: true });
const usedDays = z.object({ id: z.string(), days: z.array(usedDay) });
/** The requests with a key in a day, which begins `at`. */
export type UsedDay = z.infer<typeof usedDay>;

/** The user agent of the console's test of a new key: such requests do not count as use, although the api counts them. */
export const keyTestAgent = 'Tenantscope console, test of a new key';
const testRequests = 2;

const isTest = (requests: ReturnType<typeof sql.fragment>, agents: ReturnType<typeof sql.fragment>) =>
  sql.fragment`(${requests} <= ${testRequests} and ${agents} = ${keyTestAgent})`;

const buckets = (table: 'api_key_usage_hour' | 'api_key_usage_day', since: string) => sql.fragment`
  (select coalesce(jsonb_agg(jsonb_build_object('at', to_char(d.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'requests', d.requests,
            'refused', d.refused, 'overLimit', d.over_limit, 'refusedAfterEnd', d.refused_after_end) order by d.at), '[]')
     from ${sql.identifier(['control', table])} d where d.key_id = k.id and d.at >= clock_timestamp() - ${since}::interval and ${isTest(sql.fragment`d.requests`, sql.fragment`d.last_agent`)} is not true)`;

const onlyTested = sql.fragment`
  (coalesce(u.requests, 0) <= ${testRequests} and exists (select from control.api_key_usage_day d where d.key_id = k.id and d.last_agent = ${keyTestAgent})
   and not exists (select from control.api_key_usage_day d where d.key_id = k.id and d.requests > 0 and d.last_agent is distinct from ${keyTestAgent}))`;

const columns = sql.fragment`k.id, k.name, k.display, k.scopes, k.kind, k.tenant_id as "tenantId", t.name as "tenantName", k.created_at as "createdAt",
  k.created_by as "createdBy", k.expires_at as "expiresAt", k.revoked_at as "revokedAt", case when not o.only_tested then u.last_used_at end as "lastUsedAt", case when o.only_tested then 0 else coalesce(u.requests, 0) end as requests`;

const ofOrganization = (organizationId: string) => sql.fragment`
  control.api_key k left join control.tenant t on t.id = k.tenant_id left join control.api_key_usage u on u.key_id = k.id
  cross join lateral (select ${onlyTested} as only_tested) o
  where ${organizationId} in (k.organization_id, t.organization_id)`;

/**
 * The keys of an organization, newest first, those that have ended among them. Of the playground those of the last 30 days: a member who uses it
 * creates up to four an hour for each tenant, 10,000 a year with two hours a day and five tenants. Older ones are found by id.
 */
export function listKeys(pool: DatabasePool, organizationId: string): Promise<readonly ListedKey[]> {
  return translateErrors(
    pool.any(sql.type(listed)`
      select ${columns} from ${ofOrganization(organizationId)} and (k.kind = 'api' or k.created_at > clock_timestamp() - interval '30 days')
       order by k.created_at desc, k.id`),
  );
}

/** The requests of the last 14 days by key and day; none of a test. */
export async function readUsedDays(
  pool: DatabasePool,
  ids: readonly string[],
): Promise<ReadonlyMap<string, readonly UsedDay[]>> {
  const found = await translateErrors(
    pool.any(sql.type(usedDays)`
      select k.id, (select coalesce(jsonb_agg(jsonb_build_object('at', to_char(d.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'requests', d.requests) order by d.at), '[]')
                      from control.api_key_usage_day d
                     where d.key_id = k.id and d.at >= clock_timestamp() - interval '14 days'
                       and ${isTest(sql.fragment`d.requests`, sql.fragment`d.last_agent`)} is not true) as days
        from unnest(${sql.array([...ids], 'uuid')}) k (id)`),
  );
  return new Map(found.map(({ id, days }) => [id, days]));
}

const detail = listed.extend({
  replaces: z.string().nullable(),
  replacedBy: z.string().nullable(),
  days: z.array(bucket),
  hours: z.array(bucket),
  refusedAfterEnd: z.number(),
  callers: z.array(caller),
  /** Clients that were rejected after the key had ended. */
  rejectedCallers: z.array(caller),
});
/** A key with its use by the hour of the last two days, and who used it in the last 14, latest first. */
export type KeyUsageDetail = z.infer<typeof detail>;

const callersShown = 20;

export function readKeyUsage(pool: DatabasePool, organizationId: string, id: string): Promise<KeyUsageDetail | null> {
  return translateErrors(
    pool.maybeOne(sql.type(detail)`
      select ${columns}, k.replaces, (select n.id from control.api_key n where n.replaces = k.id order by n.created_at desc limit 1) as "replacedBy",
             ${buckets('api_key_usage_day', '14 days')} as days, ${buckets('api_key_usage_hour', '48 hours')} as hours,
             (select coalesce(sum(d.refused_after_end), 0)::bigint from control.api_key_usage_day d where d.key_id = k.id) as "refusedAfterEnd",
             ${callers('last')} as callers, ${callers('refused')} as "rejectedCallers"
        from ${ofOrganization(organizationId)} and k.id = ${id}`),
  );
}

// An hour and a day remember the last client that used the key, and the last that was rejected because it had ended.
const callers = (kind: 'last' | 'refused') => {
  const at = sql.identifier(['b', kind === 'last' ? 'last_used_at' : 'last_refused_at']);
  const address = sql.identifier(['b', `${kind}_address`]);
  const agent = sql.identifier(['b', `${kind}_agent`]);
  return sql.fragment`
  (select coalesce(jsonb_agg(c order by c."lastUsedAt" desc), '[]') from (
     select ${address} as address, ${agent} as agent, to_char(max(${at}) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "lastUsedAt"
       from (select * from control.api_key_usage_hour union all select * from control.api_key_usage_day) b
      where b.key_id = k.id and ${at} is not null and ${agent} is distinct from ${keyTestAgent} and b.at >= clock_timestamp() - interval '14 days' and (${address} is not null or ${agent} is not null)
      group by 1, 2 order by 3 desc limit ${callersShown}) c)`;
};
