-- schemas: models
--
-- Reads of a file are found by its address too if that is too long for an alias: a fact of the file since this version, in lower case.
create or replace function models.derive_file_exposure(tenants uuid[], ids text[]) returns setof models.file_exposure
  language sql stable set search_path = pg_catalog, pg_temp
begin atomic
  select e.tenant_id, e.id, models.bound_key(lower(j."siteId")), e.is_deleted, s.is_sensitive,
         coalesce(j."sensitivityLabelId" <> '', false) or coalesce(j."sensitivityLabelName" <> '', false),
         case when f.is_protected is not null or coalesce(nullif(j."sensitivityLabelId", ''), nullif(j."sensitivityLabelName", '')) is null
              then f.is_protected is true end,
         case when coalesce(f.apps, f.agents, jsonb_array_length(f.reach)) is not null
              then coalesce(f.apps > 0 or f.agents > 0 or jsonb_array_length(f.reach) > 0, false) end,
         coalesce(f.has_anonymous, j."sharingScope" = 'anyone'),
         f.guests > 0,
         case when coalesce(f.has_organization or f.has_anonymous or j."sharingScope" in ('organization', 'anyone'), false) then true
              when j."sharingScope" is not null or not f.has_organization and not f.has_anonymous then false end,
         coalesce(f.has_anonymous, false), coalesce(f.has_organization, false),
         t.types,
         case when s.is_sensitive and f.guest_ids is not null
              then array(select distinct models.bound_key(lower(name)) from jsonb_array_elements_text(f.guest_ids) name where name is not null order by 1)
              else '{}' end,
         case when t.types <> '{}'
              then array(select distinct encode(substring(sha256(convert_to(named.name, 'UTF8')) for 16), 'hex')::uuid
                           from (select lower(e.id collate "default") as name
                                  union all
                                 select j."longAddress" where j."longAddress" is not null
                                  union all
                                 select a.alias from models.entity_alias a where a.tenant_id = e.tenant_id and a.kind = 'file' and a.id = e.id) named
                          order by 1) else '{}' end
    from unnest(tenants, ids) as requested (tenant_id, id)
    join models.entity_fact e on e.tenant_id = requested.tenant_id and e.kind = 'file' and e.id = requested.id
   cross join lateral jsonb_to_record(e.facts) as j (
           "siteId" text, "sensitivityLabelId" text, "sensitivityLabelName" text, "sharingScope" text, "sensitiveInfoTypes" jsonb, "sensitiveInfoTypeCount" jsonb,
           "isProtected" jsonb, "hasAnonymousLink" jsonb, "hasOrganizationLink" jsonb, "externalUserCount" jsonb, "externalUserIds" jsonb,
           "aiAppReachCount" jsonb, "agentReachCount" jsonb, "aiReach" jsonb, "longAddress" text)
   cross join lateral (
           select case when jsonb_typeof(j."sensitiveInfoTypes") = 'array' then j."sensitiveInfoTypes" end as info_types,
                  case when jsonb_typeof(j."sensitiveInfoTypeCount") = 'number' then j."sensitiveInfoTypeCount"::numeric end as info_type_count,
                  case when jsonb_typeof(j."isProtected") = 'boolean' then j."isProtected"::boolean end as is_protected,
                  case when jsonb_typeof(j."hasAnonymousLink") = 'boolean' then j."hasAnonymousLink"::boolean end as has_anonymous,
                  case when jsonb_typeof(j."hasOrganizationLink") = 'boolean' then j."hasOrganizationLink"::boolean end as has_organization,
                  case when jsonb_typeof(j."externalUserCount") = 'number' then j."externalUserCount"::numeric end as guests,
                  case when jsonb_typeof(j."externalUserIds") = 'array' then j."externalUserIds" end as guest_ids,
                  case when jsonb_typeof(j."aiAppReachCount") = 'number' then j."aiAppReachCount"::numeric end as apps,
                  case when jsonb_typeof(j."agentReachCount") = 'number' then j."agentReachCount"::numeric end as agents,
                  case when jsonb_typeof(j."aiReach") = 'array' then j."aiReach" end as reach) f
   cross join lateral (
           select coalesce(jsonb_array_length(f.info_types) > 0 or f.info_type_count > 0, false) as is_sensitive) s
   cross join lateral (
           select array(select distinct lower(type ->> 'id') from jsonb_array_elements(f.info_types) type where type ->> 'id' <> '' order by 1) as types) t
   where s.is_sensitive or f.has_anonymous or f.has_organization or f.guests > 0;
end;
