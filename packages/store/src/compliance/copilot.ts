import type pg from 'pg';
import { StoreUnavailable } from '../connection/errors.ts';
import { longTallies, unfinishedBackfill } from './metrics/clause/log-tally.ts';
import { entityNamesCte } from './metrics/clause/names.ts';
import { restrictionsCtes } from './metrics/clause/restrictions.ts';

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

/**
 * What readiness for an AI assistant shows in addition to the status of requirements. At most `limit` sites and types. Throws StoreUnavailable after an
 * upgrade, until files are counted and the facts of users are written.
 */
export async function readCopilotExposure(
  client: pg.ClientBase,
  { tenantId, nowMs, limit }: { readonly tenantId: string; readonly nowMs: number; readonly limit: number },
): Promise<CopilotExposure> {
  const { rowCount } = await client.query(unfinishedBackfill('file', 'user'));
  if (rowCount !== 0) throw new StoreUnavailable('files and users are being read after an upgrade');
  const now = new Date(nowMs).toISOString();
  const users = await client.query<CopilotUsers>(usersStatement, [tenantId, now, prerequisites]);
  const sites = await client.query<ExposedSite>(sitesStatement, [tenantId, limit]);
  const types = await client.query<ReachableInfoType>(typesStatement, [tenantId, now, limit]);
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
    select id, is_enabled is distinct from false as is_enabled, coalesce(user_type = 'guest' or is_external, false) as is_guest,
           coalesce(has_copilot_license, false) as is_licensed, license_skus is not null as has_sku_list, has_copilot_license is not null as has_license_state,
           exists (select from jsonb_array_elements_text(license_skus) sku
                    where lower(sku) like any ($3::text[]) or lower(sku) in (select name from base where name is not null)) as is_prepared
      from models.user_fact
     where tenant_id = $1 and not is_deleted
  ), named as (
    select id, lower(id) as name from account where is_licensed and is_enabled
     union
    select a.id, a.alias from models.entity_alias a join account using (id) where a.tenant_id = $1 and a.kind = 'user' and is_licensed and is_enabled
  ), active as (
    select distinct n.id, nullif(t.object, '') as app
      from (select models.lower_case(t.subject) as name, t.object from ${longTallies('assistant', 30)}) t join named n using (name)
  )
  select case when bool_or(has_sku_list) then count(*) filter (where is_enabled and not is_guest and is_prepared) end::int as eligible,
         case when bool_or(has_license_state) then count(*) filter (where is_licensed) end::int as licensed,
         case when bool_or(has_license_state) then count(*) filter (where is_licensed and is_enabled) end::int as enabled,
         case when bool_or(has_license_state) and not exists (${unfinishedBackfill('assistant')}) then (select count(distinct id) from active) end::int as "active30d",
         coalesce((select jsonb_agg(jsonb_build_object('app', app, 'users', users) order by users desc, app collate "C")
                     from (select app, count(*) as users from active where app is not null group by app) by_app), '[]') as "activeByApp"
    from account`;

/**
 * Files name their site by its id or by its site collection. Ordered by audience first: anyone, then everyone inside, then guests, then internal link holders; then by the amount of sensitive content.
 * Files that only their owners can read are not exposed.
 */
const sitesStatement = `
  with ${entityNamesCte('site')}, counted as (
    select n.id as site_id, coalesce(sum(files) filter (where is_sensitive), 0) as sensitive, coalesce(sum(files) filter (where has_anonymous_link), 0) as anyone,
           coalesce(sum(files) filter (where has_organization_link), 0) as organization, coalesce(sum(files) filter (where is_external), 0) as guests
      from models.file_tally t join site_name n on n.name = t.subject where t.tenant_id = $1 and t.tally = 'site' group by n.id having sum(files) > 0
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

/** With the severest restriction in force, as the rules have it. */
const typesStatement = `
  with ${restrictionsCtes}, reached as (
    select type, sum(files) as files, coalesce(sum(files) filter (where is_labeled), 0) as labeled
      from models.file_tally cross join unnest(types) type
     where tenant_id = $1 and tally = 'content' and is_reached
     group by type having sum(files) > 0
     order by files desc, type collate "C"
     limit $3
  ), named as (
    select r.*, coalesce(of_file.id, r.type) as id, of_file.name
      from reached r
      left join lateral (
             select t ->> 'id' as id, t ->> 'name' as name
               from (select x.id from models.file_exposure x where x.tenant_id = $1 and x.is_sensitive and x.types @> array[r.type] collate "C" limit 1) x
               join models.entity_fact e on e.tenant_id = $1 and e.kind = 'file' and e.id = x.id
              cross join jsonb_array_elements(e.facts -> 'sensitiveInfoTypes') t
              where lower(t ->> 'id') = r.type limit 1) of_file on true
  )
  select r.id, coalesce(t.facts ->> 'name', r.name) as name, r.files::int as "filesInReach", r.labeled::int as "labeledFiles",
         coalesce(declared.level, t.facts ->> 'restrictionLevel', 'none') as restriction
    from named r
    left join (select distinct on (type) type, level from restriction
                order by type, array_position(array['noAccess', 'noAiAccess', 'monitored'], level)) declared on declared.type = r.type
    left join lateral (select t.facts from models.entity_fact t
                        where t.tenant_id = $1 and t.kind = 'sensitiveInfoType' and lower(t.id) = r.type and not t.is_deleted order by t.id limit 1) t on true
   order by r.files desc, r.id collate "C"`;
