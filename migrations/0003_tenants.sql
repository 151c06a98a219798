-- schemas: control
--
-- Organizations and their tenants. Never joined with read models, which may be in another database: plan and tenant properties travel as values.

create table control.organization (
  id                uuid           primary key,
  name              text           not null check (name <> ''),
  version           bigint         not null default 1 check (version between 1 and 9007199254740991),
  digest            bytea          not null, -- of the state of this version; decides between two states of one version
  key_lifetime_days integer check (key_lifetime_days between 1 and 3650), -- null: unlimited
  created_at        timestamptz(3) not null default clock_timestamp(),
  changed_at        timestamptz(3) not null default clock_timestamp()
);

create table control.tenant (
  id              uuid           primary key,
  organization_id uuid, -- no foreign key: the tenant's record may arrive before its organization's, on another partition
  name            text           not null check (name <> ''),
  azure_tenant_id uuid,
  -- Ids at other providers, of an Okta organization or a Google customer. Operators set them: no record does.
  provider_ids    text[]         not null default '{}' check (cardinality(provider_ids) <= 50),
  plan            text           not null check (plan in ('api', 'none')),
  time_zone       text           not null default 'UTC' check (time_zone <> ''), -- an IANA name; weeks begin in it
  -- Since when keys read nothing of it; its records are stored as before. Operators set it: no record does.
  suspended_at    timestamptz(3),
  -- Since when no key finds it and its records are dropped. Operators set it: no record does.
  closed_at       timestamptz(3),
  -- Since when its data is being erased: it cannot be reopened. The row stays, so that records of it are still dropped.
  erased_at       timestamptz(3) check (erased_at is null or closed_at is not null),
  version         bigint         not null default 1 check (version between 1 and 9007199254740991),
  digest          bytea          not null,
  connected_at    timestamptz(3) not null default clock_timestamp(),
  changed_at      timestamptz(3) not null default clock_timestamp()
);
-- look_up_key: the tenants of an organization, and one of them by its upstream id
create index on control.tenant (organization_id, azure_tenant_id);
-- the command line finds a tenant by its upstream id
create index on control.tenant (azure_tenant_id);

-- Moves a tenant to another organization, whose keys then read its rows. Only an operator at the command line does this: no record, no member,
-- and no login by a plain update. Keys of the tenant that its former organization may know end, those that applications use on request only.
-- Returns how many ended.
create function control.move_tenant(tenant uuid, from_organization uuid, to_organization uuid, retain_keys boolean) returns integer
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  ended integer;
begin
  if control.current_actor() not like 'cli:%' then
    raise insufficient_privilege using message = 'a tenant is moved between organizations by an operator at the command line only';
  end if;
  if to_organization is not null and not exists (select from control.organization o where o.id = to_organization) then
    raise foreign_key_violation using message = 'there is no organization ' || to_organization;
  end if;
  perform from control.tenant t where t.id = tenant and t.organization_id is not distinct from from_organization for update;
  if not found then
    raise serialization_failure using message = 'the tenant is in another organization by now';
  end if;
  update control.api_key k set revoked_at = clock_timestamp()
   where k.tenant_id = tenant and k.revoked_at is null and coalesce(k.expires_at > clock_timestamp(), true) and (k.kind = 'playground' or not retain_keys);
  get diagnostics ended = row_count;
  update control.tenant t set organization_id = to_organization, changed_at = clock_timestamp() where t.id = tenant;
  return ended;
end $$;
revoke execute on function control.move_tenant from public;
grant execute on function control.move_tenant to tenantscope_admin;

-- Closes a tenant: no key finds it, its own keys end, and its records are dropped. Sources must be removed before, so that nothing collects
-- what is dropped. Repeating it changes nothing. Returns how many keys ended.
create function control.close_tenant(tenant uuid) returns integer
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  ended integer;
begin
  if control.current_actor() not like 'cli:%' then
    raise insufficient_privilege using message = 'a tenant is closed by an operator at the command line only';
  end if;
  if exists (select from control.collector c where c.tenant_id = tenant and c.state <> 'removed')
     or exists (select from control.source_binding b where b.tenant_id = tenant and b.removed_at is null) then
    raise check_violation using message = 'the tenant has collectors or source bindings';
  end if;
  update control.tenant t set closed_at = clock_timestamp(), changed_at = clock_timestamp() where t.id = tenant and t.closed_at is null;
  update control.api_key k set revoked_at = clock_timestamp() where k.tenant_id = tenant and k.revoked_at is null;
  get diagnostics ended = row_count;
  return ended;
end $$;

-- Reopens a closed tenant whose data is not being erased; its keys stay revoked.
create function control.reopen_tenant(tenant uuid) returns void
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if control.current_actor() not like 'cli:%' then
    raise insufficient_privilege using message = 'a tenant is reopened by an operator at the command line only';
  end if;
  if exists (select from control.tenant t where t.id = tenant and t.erased_at is not null) then
    raise check_violation using message = 'the data of the tenant is being erased';
  end if;
  update control.tenant t set closed_at = null, changed_at = clock_timestamp() where t.id = tenant and t.closed_at is not null;
end $$;

-- Begins the erasure of a closed tenant, or continues it: deletes up to max_rows of its rows in this schema and returns how many of each table.
-- The tenant's own row, its keys and the audit log stay; of the row only the id, the organization and the times.
create function control.erase_tenant(tenant uuid, max_rows integer default 5000) returns table (of_table text, deleted integer)
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if control.current_actor() not like 'cli:%' then
    raise insufficient_privilege using message = 'a tenant is erased by an operator at the command line only';
  end if;
  update control.tenant t
     set erased_at = clock_timestamp(), changed_at = clock_timestamp(), name = 'Erased tenant', azure_tenant_id = null, provider_ids = '{}', plan = 'none'
   where t.id = tenant and t.closed_at is not null and t.erased_at is null;
  if not exists (select from control.tenant t where t.id = tenant and t.erased_at is not null) then
    raise check_violation using message = 'the tenant is not closed';
  end if;
  of_table := 'control.dead_letter';
  deleted := control.erase_dead_letters(tenant, max_rows);
  return next;
  foreach of_table in array array['control.api_key_usage', 'control.api_key_usage_hour', 'control.api_key_usage_day'] loop
    execute format('delete from %s where key_id in (select k.id from control.api_key k where k.tenant_id = $1)', of_table) using tenant;
    get diagnostics deleted = row_count;
    return next;
  end loop;
  foreach of_table in array array['control.playground_run', 'control.collector', 'control.source_binding'] loop
    execute format('delete from %s where tenant_id = $1', of_table) using tenant;
    get diagnostics deleted = row_count;
    return next;
  end loop;
end $$;
revoke execute on function control.close_tenant, control.reopen_tenant, control.erase_tenant from public;
grant execute on function control.close_tenant, control.reopen_tenant, control.erase_tenant to tenantscope_admin;

-- Sets the version of a row back that a version more than a day ahead of the clock had frozen: by default to the microseconds at which that
-- state was stored, so that later states apply. The audit log has both versions.
create function control.reset_version(of_table text, row_id uuid, to_version bigint)
  returns table (part text, is_removal boolean, version_before bigint, version_after bigint)
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  now_us constant bigint := extract(epoch from clock_timestamp()) * 1000000;
  stored record;
begin
  if control.current_actor() not like 'cli:%' then
    raise insufficient_privilege using message = 'versions are reset by an operator at the command line only';
  end if;
  if of_table not in ('organization', 'tenant') then
    raise invalid_parameter_value using message = 'unknown table: ' || of_table;
  end if;
  execute format('select version, changed_at from control.%I where id = $1 and version > $2 for update', of_table)
    into stored using row_id, now_us + 86400000000;
  if stored.version is null then
    raise no_data_found using message = format('the %s %s has no version more than a day ahead of the clock', of_table, row_id);
  end if;
  version_before := stored.version;
  version_after := coalesce(to_version, (extract(epoch from stored.changed_at) * 1000000)::bigint);
  if version_after not between 1 and now_us then
    raise invalid_parameter_value using message = 'a version is reset to 1 at least and to the microseconds of the clock at most';
  end if;
  execute format('update control.%I set version = $2, digest = '''' where id = $1', of_table) using row_id, version_after;
  is_removal := false;
  return next;
end $$;
revoke execute on function control.reset_version from public;
grant execute on function control.reset_version to tenantscope_admin;

grant select, insert on control.organization, control.tenant to tenantscope_ingest, tenantscope_admin;
grant update (name, version, digest, changed_at) on control.organization to tenantscope_ingest, tenantscope_admin;
grant select on control.organization, control.tenant to tenantscope_console;
grant update (key_lifetime_days) on control.organization to tenantscope_console;
grant update (name, azure_tenant_id, plan, time_zone, version, digest, changed_at) on control.tenant to tenantscope_ingest, tenantscope_admin;
grant update (provider_ids, suspended_at) on control.tenant to tenantscope_admin;
-- Snapshots need the tenants, their time zones and when they were connected.
grant usage on schema control to tenantscope_jobs;
grant select (id, name, azure_tenant_id, organization_id, plan, time_zone, connected_at, closed_at) on control.tenant to tenantscope_jobs;

-- The login of key look-ups may use this schema; only the functions that it needs are left executable.
grant usage on schema control to tenantscope_keys;
revoke execute on function control.read_timeline(), control.current_timeline() from public;
grant execute on function control.read_timeline(), control.current_timeline() to tenantscope_ingest;
