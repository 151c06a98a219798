-- schemas: models
--
-- What documents count of files: a narrow row for each file that has content of a sensitive type or is shared. Compliance status and readiness of a tenant with
-- 500,000 files read the facts of all of them six times, 4.4 of 6.5 s. Written by triggers with the facts and the names of the file, so that whatever
-- writes those, an older process or a copy of the tenant, writes this row too. Null is what was not reported.
create table models.file_exposure (
  tenant_id             uuid    not null,
  id                    text    collate "C" not null,
  site_id               text    collate "C", -- in lower case
  is_deleted            boolean not null,
  is_sensitive          boolean not null,
  is_labeled            boolean not null,
  is_protected          boolean, -- by its label; unlabeled files are not
  is_reached            boolean, -- by an AI app or an agent
  is_anonymous          boolean,
  is_external           boolean, -- shared with external users
  is_open               boolean, -- to the organization or to anyone
  has_anonymous_link    boolean not null,
  has_organization_link boolean not null,
  types                 text[]  collate "C" not null, -- ids of sensitive types in lower case
  external_users        text[]  collate "C" not null, -- of sensitive files, in lower case
  name_digests          uuid[]  not null, -- by which reads of files with such types are found in log_read
  primary key (tenant_id, id)
) with (fillfactor = 90);
create index file_exposure_typed on models.file_exposure (tenant_id) where types <> '{}'; -- files that hold what is restricted
alter table models.file_exposure enable row level security;
alter table models.file_exposure force row level security;
create policy owner on models.file_exposure to current_user using (true);
create policy tenant_isolation on models.file_exposure for select to tenantscope_api, tenantscope_jobs
  using (tenant_id = current_setting('tenantscope.tenant')::uuid);
grant select on models.file_exposure to tenantscope_api, tenantscope_jobs;

-- A text of a key, which an index entry of 2,704 bytes at most contains: a longer one by its digest, as in models.log_tally.
create function models.bound_key(key text) returns text
  language sql immutable set search_path = pg_catalog, pg_temp
begin atomic
  select case when octet_length(key) > 512 then 'sha256:' || encode(sha256(convert_to(key, 'UTF8')), 'hex') else key end;
end;
revoke execute on function models.bound_key from public;

-- The rows that some files should have. A fact of another type than it should have counts as not reported: an error would stop the lane that writes it.
create function models.derive_file_exposure(tenants uuid[], ids text[]) returns setof models.file_exposure
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
                                 select a.alias from models.entity_alias a where a.tenant_id = e.tenant_id and a.kind = 'file' and a.id = e.id) named
                          order by 1) else '{}' end
    from unnest(tenants, ids) as requested (tenant_id, id)
    join models.entity_fact e on e.tenant_id = requested.tenant_id and e.kind = 'file' and e.id = requested.id
   cross join lateral jsonb_to_record(e.facts) as j (
           "siteId" text, "sensitivityLabelId" text, "sensitivityLabelName" text, "sharingScope" text, "sensitiveInfoTypes" jsonb, "sensitiveInfoTypeCount" jsonb,
           "isProtected" jsonb, "hasAnonymousLink" jsonb, "hasOrganizationLink" jsonb, "externalUserCount" jsonb, "externalUserIds" jsonb,
           "aiAppReachCount" jsonb, "agentReachCount" jsonb, "aiReach" jsonb)
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
revoke execute on function models.derive_file_exposure from public;

-- The same files counted, for documents that read thousands of rows instead of all files. Writers add rows and never change one, so that lanes do not wait for each
-- other; readers sum `files`, and rows of one key are merged later.
create table models.file_tally (
  tenant_id             uuid    not null,
  tally                 text    collate "C" not null, -- 'content': sensitive files; 'site': files of a site; 'external_user': sensitive files shared with one
  subject               text    collate "C" not null, -- id of the site or the user in lower case
  types                 text[]  collate "C" not null,
  is_sensitive          boolean not null,
  is_labeled            boolean,
  is_protected          boolean,
  is_reached            boolean,
  is_anonymous          boolean,
  is_external           boolean,
  is_open               boolean,
  has_anonymous_link    boolean,
  has_organization_link boolean,
  files                 integer not null,
  is_merged             boolean not null
);
create index file_tally_of_tenant on models.file_tally (tenant_id, tally, subject);
create index file_tally_unmerged on models.file_tally (tenant_id) where not is_merged;
alter table models.file_tally enable row level security;
alter table models.file_tally force row level security;
create policy owner on models.file_tally to current_user using (true);
create policy tenant_isolation on models.file_tally for select to tenantscope_api, tenantscope_jobs
  using (tenant_id = current_setting('tenantscope.tenant')::uuid);
grant select on models.file_tally to tenantscope_api, tenantscope_jobs;

-- The keys under which a file counts.
create function models.list_file_tallies(x models.file_exposure) returns setof models.file_tally
  language sql immutable set search_path = pg_catalog, pg_temp
begin atomic
  select x.tenant_id, 'content', '', x.types, true, x.is_labeled, x.is_protected, x.is_reached, x.is_anonymous, x.is_external, null, null, null, 1, false
   where x.is_sensitive and not x.is_deleted
   union all
  select x.tenant_id, 'site', x.site_id, '{}', x.is_sensitive, null, null, null, null, x.is_external, x.is_open, x.has_anonymous_link, x.has_organization_link, 1, false
   where x.site_id is not null and not x.is_deleted
   union all
  select x.tenant_id, 'external_user', name, '{}', true, null, null, null, null, null, null, null, null, 1, false
    from unnest(x.external_users) name where not x.is_deleted;
end;

revoke execute on function models.list_file_tallies from public;

-- The caller holds the locks of the files, or of their facts.
create function models.write_file_exposure(tenants uuid[], ids text[]) returns void
  language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  with derived as materialized (
    select * from models.derive_file_exposure(tenants, ids)
  ), stored as materialized (
    select x.* from models.file_exposure x join unnest(tenants, ids) as requested (tenant_id, id) using (tenant_id, id)
  ), gone as (
    delete from models.file_exposure x using stored s
     where x.tenant_id = s.tenant_id and x.id = s.id and not exists (select from derived w where w.tenant_id = s.tenant_id and w.id = s.id)
  ), written as (
    insert into models.file_exposure as x
    select w.* from derived w left join stored s on s.tenant_id = w.tenant_id and s.id = w.id where s is distinct from w
    on conflict (tenant_id, id) do update
      set site_id = excluded.site_id, is_deleted = excluded.is_deleted, is_sensitive = excluded.is_sensitive, is_labeled = excluded.is_labeled,
          is_protected = excluded.is_protected, is_reached = excluded.is_reached, is_anonymous = excluded.is_anonymous, is_external = excluded.is_external,
          is_open = excluded.is_open, has_anonymous_link = excluded.has_anonymous_link, has_organization_link = excluded.has_organization_link,
          types = excluded.types, external_users = excluded.external_users, name_digests = excluded.name_digests
  ), counted as (
    select t.*, -1 as change from stored s cross join lateral models.list_file_tallies(s) t
     union all
    select t.*, 1 from derived w cross join lateral models.list_file_tallies(w) t
  )
  insert into models.file_tally
  select tenant_id, tally, subject, types, is_sensitive, is_labeled, is_protected, is_reached, is_anonymous, is_external, is_open, has_anonymous_link,
         has_organization_link, sum(change), false
    from counted group by 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13 having sum(change) <> 0;
end $$;
revoke execute on function models.write_file_exposure from public;

-- Merges rows of one key, those of one tenant in a call. Rows that others merge are left out. Returns how many new rows were merged.
create function models.merge_file_tallies(max_rows integer default 20000) returns integer
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  of_tenant uuid;
  merged    integer;
begin
  select t.tenant_id into of_tenant from models.file_tally t where not t.is_merged limit 1 for update skip locked;
  if of_tenant is null then
    return 0;
  end if;
  with added as materialized (
    select t.ctid as place, t.* from models.file_tally t where t.tenant_id = of_tenant and not t.is_merged limit max_rows for update skip locked
  ), earlier as materialized (
    select t.ctid as place, t.* from models.file_tally t
     where t.tenant_id = of_tenant and t.is_merged and (t.tally, t.subject) in (select a.tally, a.subject from added a) for update skip locked
  ), gone as (
    delete from models.file_tally t where t.ctid = any (array(select place from added union all select place from earlier)) returning t.*
  ), sums as (
    insert into models.file_tally
    select tenant_id, tally, subject, types, is_sensitive, is_labeled, is_protected, is_reached, is_anonymous, is_external, is_open, has_anonymous_link,
           has_organization_link, sum(files), true
      from gone group by 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13 having sum(files) <> 0
  )
  select count(*) into merged from added;
  return merged;
end $$;
revoke execute on function models.merge_file_tallies from public;
grant execute on function models.merge_file_tallies to tenantscope_ingest;

-- Statement by statement: a batch of entities is one.
create function models.write_changed_file_exposure() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  tenants uuid[];
  ids     text[];
begin
  select array_agg(c.tenant_id), array_agg(c.id) into tenants, ids
    from (select distinct tenant_id, id from changed where kind = 'file' order by 1, 2) c;
  if tenants is not null then
    perform models.write_file_exposure(tenants, ids);
  end if;
  return null;
end $$;
revoke execute on function models.write_changed_file_exposure from public;

create trigger write_inserted_file_exposure after insert on models.entity_fact referencing new table as changed
  for each statement execute function models.write_changed_file_exposure();
create trigger write_updated_file_exposure after update on models.entity_fact referencing new table as changed
  for each statement execute function models.write_changed_file_exposure();
create trigger write_deleted_file_exposure after delete on models.entity_fact referencing old table as changed
  for each statement execute function models.write_changed_file_exposure();
create trigger write_inserted_file_exposure after insert on models.entity_alias referencing new table as changed
  for each statement execute function models.write_changed_file_exposure();
create trigger write_deleted_file_exposure after delete on models.entity_alias referencing old table as changed
  for each statement execute function models.write_changed_file_exposure();

-- Files that are older than the table are added by ingest processes, in the order of tenants and ids. `next_key` is the position: files through it are done.
alter table models.log_tally_backfill add column next_key text;
insert into models.log_tally_backfill (tally, until_at, next_at, next_key)
select 'file', clock_timestamp(), clock_timestamp(), '00000000-0000-0000-0000-000000000000/'
 where exists (select from models.entity_fact where kind = 'file');

-- One step of it; rows are locked, so that no change of a file comes between its facts and its row. Returns false when no step is left, or another
-- process is at it.
create function models.backfill_file_exposure(max_rows integer default 2000) returns boolean
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  position_key text;
  of_tenant    uuid;
  after_id     text;
  ids          text[];
begin
  select next_key into position_key from models.log_tally_backfill where tally = 'file' and next_at is not null for update skip locked;
  if position_key is null then
    return false;
  end if;
  of_tenant := left(position_key, 36)::uuid;
  after_id := substring(position_key from 38);
  select array_agg(locked.id order by locked.id) into ids
    from (select e.id from models.entity_fact e where e.tenant_id = of_tenant and e.kind = 'file' and e.id > after_id
           order by e.id limit max_rows for share) locked;
  if ids is not null then
    perform models.write_file_exposure(array_fill(of_tenant, array[cardinality(ids)]), ids);
    position_key := of_tenant || '/' || ids[cardinality(ids)];
  else
    select e.tenant_id || '/' into position_key from models.entity_fact e where e.tenant_id > of_tenant order by e.tenant_id limit 1;
  end if;
  update models.log_tally_backfill set next_key = position_key, next_at = case when position_key is not null then next_at end where tally = 'file';
  return true;
end $$;
revoke execute on function models.backfill_file_exposure from public;
grant execute on function models.backfill_file_exposure to tenantscope_ingest;
