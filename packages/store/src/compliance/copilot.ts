import type pg from 'pg';
import { isLiveEvidence } from '../resource/agent-evidence.ts';

/** Who could, may and does use Copilot. Null where no account tells what it holds. */
export interface CopilotUsers {
  readonly eligible: number | null;
  readonly licensed: number | null;
  readonly enabled: number | null;
  readonly active30d: number | null;
  /** Licensed users by where they used it, most used first. */
  readonly activeByApp: readonly { readonly app: string; readonly users: number }[];
}

export interface ExposedSite {
  readonly siteId: string;
  readonly name: string | null;
  readonly url: string | null;
  readonly sensitiveFiles: number;
  readonly anyoneLinks: number;
  readonly orgLinks: number;
  readonly guestLinks: number;
  readonly everyoneGrants: number | null;
  readonly externalUsers: number | null;
  readonly owners: number | null;
  readonly sensitivityLabel: string | null;
  readonly restrictedAccess: boolean | null;
  readonly restrictedDiscovery: boolean | null;
  readonly lastActivityAtMs: number | null;
}

export interface ReachableInfoType {
  readonly id: string;
  readonly name: string | null;
  readonly filesInReach: number;
  readonly labeledFiles: number;
  readonly restriction: string;
}

export interface CopilotExposure {
  readonly users: CopilotUsers;
  /** The most exposed first. */
  readonly sites: readonly ExposedSite[];
  /** Those in reach of AI, most files first. */
  readonly types: readonly ReachableInfoType[];
}

/** What readiness for an AI assistant shows in addition to the status of requirements. At most `limit` sites and types. */
export async function readCopilotExposure(
  client: pg.ClientBase,
  { tenantId, nowMs, limit }: { readonly tenantId: string; readonly nowMs: number; readonly limit: number },
): Promise<CopilotExposure> {
  const now = new Date(nowMs).toISOString();
  const users = await client.query<CopilotUsers>(usersStatement, [tenantId, now, prerequisites]);
  const sites = await client.query<ExposedSite>(sitesStatement, [tenantId, limit]);
  const types = await client.query<ReachableInfoType>(typesStatement, [tenantId, limit]);
  const noUsers = { eligible: null, licensed: null, enabled: null, active30d: null, activeByApp: [] };
  return { users: users.rows[0] ?? noUsers, sites: sites.rows, types: types.rows };
}

/** Part numbers of subscriptions that Copilot may be added to, as patterns of lower case. */
const prerequisites = [
  'spe\\_%',
  'spb',
  'enterprisepack%',
  'enterprisepremium%',
  'standardpack%',
  'deskless%',
  'm365\\_f1%',
  'm365edu\\_%',
  'o365\\_business%',
  'office\\_365\\_%',
  'office365\\_%',
  'microsoft\\_365\\_e%',
  'microsoft\\_365\\_f%',
  'microsoft\\_365\\_a%',
  'microsoft\\_365\\_business%',
  'smb\\_business%',
];

// Users act under any of their names; of which app is told only where the record says so.
const usersStatement = `
  with base as (
    select lower(name) as name from models.entity_fact e
     cross join lateral unnest(array[e.facts ->> 'skuId', e.facts ->> 'skuPartNumber']) name
     where e.tenant_id = $1 and e.kind = 'license' and lower(e.facts ->> 'skuPartNumber') like any ($3::text[])
  ), account as (
    select e.id, f."accountEnabled" is distinct from false as is_enabled, coalesce(f."userType" = 'guest' or f."isExternal", false) as is_guest,
           coalesce(f."hasCopilotLicense", false) as is_licensed, f."licenseSkus" is not null as has_sku_list, f."hasCopilotLicense" is not null as has_license_state,
           exists (select from jsonb_array_elements_text(f."licenseSkus") sku
                    where lower(sku) like any ($3::text[]) or lower(sku) in (select name from base where name is not null)) as is_prepared
      from models.entity_fact e
     cross join lateral jsonb_to_record(e.facts) as f (
             "userType" text, "isExternal" boolean, "accountEnabled" boolean, "hasCopilotLicense" boolean, "licenseSkus" jsonb)
     where e.tenant_id = $1 and e.kind = 'user' and not e.is_deleted
  ), named as (
    select id, lower(id) as name from account where is_licensed and is_enabled
     union
    select a.id, a.alias from models.entity_alias a join account using (id) where a.tenant_id = $1 and a.kind = 'user' and is_licensed and is_enabled
  ), active as (
    select distinct n.id, l.facts ->> 'appHost' as app
      from models.log_fact l join named n on n.name = lower(l.actor_id)
     where l.tenant_id = $1 and l.kind = 'aiInteraction' and l.occurred_at between $2::timestamptz - interval '30 days' and $2
       and l.discovered_at >= $2::timestamptz - interval '32 days'
  )
  select case when bool_or(has_sku_list) then count(*) filter (where is_enabled and not is_guest and is_prepared) end::int as eligible,
         case when bool_or(has_license_state) then count(*) filter (where is_licensed) end::int as licensed,
         case when bool_or(has_license_state) then count(*) filter (where is_licensed and is_enabled) end::int as enabled,
         case when bool_or(has_license_state) then (select count(distinct id) from active) end::int as "active30d",
         coalesce((select jsonb_agg(jsonb_build_object('app', app, 'users', users) order by users desc, app collate "C")
                     from (select app, count(*) as users from active where app is not null group by app) by_app), '[]') as "activeByApp"
    from account`;

/**
 * Ordered by audience first: anyone, then everyone inside, then guests, then internal link holders; then by the amount of sensitive content.
 * Files that only their owners can read are not exposed.
 */
const sitesStatement = `
  with file as (
    select e.facts ->> 'siteId' as site_id, f.*
      from models.entity_fact e
     cross join lateral jsonb_to_record(e.facts) as f (
             "sensitiveInfoTypes" jsonb, "hasAnonymousLink" boolean, "hasOrganizationLink" boolean, "externalUserCount" numeric)
     where e.tenant_id = $1 and e.kind = 'file' and not e.is_deleted
  ), counted as (
    select site_id, count(*) filter (where jsonb_array_length("sensitiveInfoTypes") > 0) as sensitive,
           count(*) filter (where "hasAnonymousLink") as anyone, count(*) filter (where "hasOrganizationLink") as organization,
           count(*) filter (where "externalUserCount" > 0) as guests
      from file where site_id is not null group by site_id
  ), site as (
    select e.id, f.*, coalesce(f."sensitiveFileCount", c.sensitive, 0) as sensitive, coalesce(c.anyone, f."anonymousLinkCount", 0) as anyone,
           coalesce(c.organization, 0) as organization, coalesce(c.guests, 0) as guests
      from models.entity_fact e
     cross join lateral jsonb_to_record(e.facts) as f (
             "displayName" text, "webUrl" text, "ownerId" text, "adminIds" jsonb, "sensitiveFileCount" numeric, "anonymousLinkCount" numeric,
             "externalUserCount" numeric, "everyoneAccess" boolean, "sensitivityLabelName" text, "isAccessRestricted" boolean,
             "isExcludedFromAi" boolean, "isArchived" boolean, "lastActivityAt" timestamptz)
      left join counted c on c.site_id = e.id
     where e.tenant_id = $1 and e.kind = 'site' and not e.is_deleted
  )
  select id as "siteId", "displayName" as name, "webUrl" as url, sensitive::int as "sensitiveFiles", anyone::int as "anyoneLinks",
         organization::int as "orgLinks", guests::int as "guestLinks", "everyoneAccess"::int as "everyoneGrants", "externalUserCount"::int as "externalUsers",
         case when "ownerId" is not null or "adminIds" is not null then
           (select count(distinct owner) from (select "ownerId" as owner union all select jsonb_array_elements_text("adminIds")) owners)
         end::int as owners,
         "sensitivityLabelName" as "sensitivityLabel", "isAccessRestricted" as "restrictedAccess", "isExcludedFromAi" as "restrictedDiscovery",
         (extract(epoch from "lastActivityAt") * 1000)::float8 as "lastActivityAtMs"
    from site
   where anyone > 0 or "everyoneAccess" or guests > 0 or "externalUserCount" > 0 or organization > 0
   order by case when anyone > 0 then 1 when "everyoneAccess" then 2 when guests > 0 or "externalUserCount" > 0 then 3 else 4 end
              + case when "isAccessRestricted" then 4 else 0 end,
            sensitive desc, anyone desc, organization desc, guests desc, id collate "C"
   limit $2`;

const typesStatement = `
  with reached as (
    select type.id, min(type.name) as name, count(*) as files, count(*) filter (where f."sensitivityLabelId" is not null or f."sensitivityLabelName" is not null) as labeled
      from models.entity_fact e
     cross join lateral jsonb_to_record(e.facts) as f (
             "sensitiveInfoTypes" jsonb, "sensitivityLabelId" text, "sensitivityLabelName" text, "aiAppReachCount" numeric, "agentReachCount" numeric, "aiReach" jsonb)
     cross join lateral (select distinct on (found.id) found.id, found.name from jsonb_to_recordset(f."sensitiveInfoTypes") as found (id text, name text)) type
     where e.tenant_id = $1 and e.kind = 'file' and not e.is_deleted
       and (f."aiAppReachCount" > 0 or f."agentReachCount" > 0 or jsonb_array_length(f."aiReach") > 0)
     group by type.id
  )
  select r.id, coalesce(t.facts ->> 'name', r.name) as name, r.files::int as "filesInReach", r.labeled::int as "labeledFiles",
         coalesce(declared.level, t.facts ->> 'restrictionLevel', 'none') as restriction
    from reached r
    left join (select distinct on (facts -> 'dataType' ->> 'id') facts -> 'dataType' ->> 'id' as type_id, facts ->> 'level' as level
                 from models.agent_evidence r
                where r.tenant_id = $1 and r.kind = 'restriction' and ${isLiveEvidence}
                order by facts -> 'dataType' ->> 'id', (facts ->> 'declaredAt')::timestamptz desc, id) declared on declared.type_id = r.id
    left join models.entity_fact t on t.tenant_id = $1 and t.kind = 'sensitiveInfoType' and t.id = r.id and not t.is_deleted
   where r.id is not null
   order by r.files desc, r.id collate "C"
   limit $2`;
