-- schemas: control
--
-- API keys, their look-up on every request, and their usage.

create table control.api_key (
  id              uuid           primary key default gen_random_uuid(),
  secret_sha256   bytea          not null unique check (length(secret_sha256) = 32),
  display         text           not null, -- the first 8 characters of the secret part
  name            text           not null check (name <> ''),
  scopes          text[]         not null,
  tenant_id       uuid           references control.tenant,
  organization_id uuid           references control.organization,
  kind            text           not null default 'api' check (kind in ('api', 'playground')),
  created_by      text,
  replaces        uuid           references control.api_key,
  created_at      timestamptz(3) not null default clock_timestamp(),
  expires_at      timestamptz(3),
  revoked_at      timestamptz(3),
  check (num_nonnulls(tenant_id, organization_id) = 1)
);
-- list the keys of a tenant
create index on control.api_key (tenant_id);
-- list the keys of an organization
create index on control.api_key (organization_id);

-- An expired or revoked key stays so, and no key outlives what its organization allows.
create function control.enforce_key_expiry() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  lifetime_days integer;
begin
  if tg_op = 'UPDATE' then
    if old.revoked_at is not null and new.revoked_at is distinct from old.revoked_at then
      raise insufficient_privilege using message = 'a revoked key stays revoked';
    end if;
    if (old.revoked_at is not null or old.expires_at <= clock_timestamp()) and new.expires_at is distinct from old.expires_at then
      raise insufficient_privilege using message = 'an expired or revoked key cannot be reactivated';
    end if;
    if new.expires_at is not distinct from old.expires_at then
      return new;
    end if;
  end if;
  select o.key_lifetime_days into lifetime_days
    from control.organization o
   where o.id = coalesce(new.organization_id, (select t.organization_id from control.tenant t where t.id = new.tenant_id));
  if lifetime_days is not null
     and (new.expires_at is null or new.expires_at > new.created_at + make_interval(days => lifetime_days)) then
    raise check_violation using message = 'the organization limits key lifetime to ' || lifetime_days || ' days';
  end if;
  return new;
end $$;
create trigger enforce_key_expiry before insert or update on control.api_key for each row execute function control.enforce_key_expiry();

-- A key replaces a key of its own organization. A playground key, which lists leave out, expires within an hour.
create function control.enforce_key_owner() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if new.kind = 'playground' and (new.tenant_id is null or new.expires_at is null or new.expires_at > new.created_at + interval '1 hour') then
    raise check_violation using message = 'a playground key reads one tenant and expires within an hour';
  end if;
  if tg_op = 'INSERT' and new.replaces is not null and not exists (
    select from control.api_key k left join control.tenant t on t.id = k.tenant_id
     where k.id = new.replaces
       and coalesce(k.organization_id, t.organization_id, k.tenant_id) =
           coalesce(new.organization_id, (select n.organization_id from control.tenant n where n.id = new.tenant_id), new.tenant_id)) then
    raise foreign_key_violation using message = 'a key can replace only a key of its own organization';
  end if;
  if tg_op = 'INSERT' and exists (select from control.tenant t where t.id = new.tenant_id and t.closed_at is not null) then
    raise check_violation using message = 'a closed tenant has no keys';
  end if;
  return new;
end $$;
create trigger enforce_key_owner before insert or update on control.api_key for each row execute function control.enforce_key_owner();

-- The logins of the command line and of the console create keys, rename and revoke them. They cannot read a hash, widen a key or move it to another tenant.
grant select (id, display, name, scopes, tenant_id, organization_id, created_at, expires_at, revoked_at, kind, created_by, replaces)
  on control.api_key to tenantscope_admin, tenantscope_console;
grant insert (secret_sha256, display, name, scopes, tenant_id, organization_id, expires_at, kind, created_by, replaces)
  on control.api_key to tenantscope_admin, tenantscope_console;
grant update (name, expires_at, revoked_at) on control.api_key to tenantscope_admin, tenantscope_console;
revoke execute on function control.enforce_key_expiry, control.enforce_key_owner from public;

-- One statement per request: the key, the tenant it selects, and on demand all tenants it may select. For a key that was revoked or has
-- expired it returns the id only, so that its owner can see who still uses it.
create function control.look_up_key(secret_sha256 bytea, tenant_selector uuid, list_tenants boolean)
  returns table (
    key_id uuid, ended boolean, name text, scopes text[], organization_wide boolean, bound_tenant_id uuid,
    selected_id uuid, selected_organization_id uuid, selected_name text, selected_azure_tenant_id uuid, selected_api_access boolean, selected_suspended boolean,
    selected_connected_at timestamptz, selector_matches boolean, tenants jsonb
  )
  language sql stable security definer set search_path = pg_catalog, pg_temp rows 1 as $$
  select k.id, k.ended, k.name, k.scopes, k.organization_id is not null, k.tenant_id,
         t.id, t.organization_id, t.name, t.azure_tenant_id, t.plan = 'api', t.suspended_at is not null, t.connected_at,
         case when tenant_selector is not null then coalesce(tenant_selector in (t.id, t.azure_tenant_id), false) end,
         case when list_tenants then (
           select coalesce(jsonb_agg(jsonb_build_object('id', o.id, 'name', o.name, 'azureTenantId', o.azure_tenant_id) order by o.connected_at, o.id), '[]')
             from control.tenant o
            where (o.id = k.tenant_id or o.organization_id = k.organization_id) and o.closed_at is null)
         end
    from (select a.id, e.ended, case when not e.ended then a.name end as name, case when not e.ended then a.scopes end as scopes,
                 case when not e.ended then a.tenant_id end as tenant_id, case when not e.ended then a.organization_id end as organization_id
            from control.api_key a,
                 lateral (select a.revoked_at is not null or coalesce(a.expires_at <= clock_timestamp(), false) as ended) e
           where a.secret_sha256 = look_up_key.secret_sha256) k
    left join lateral (
      -- Three index look-ups: one condition with OR would read every tenant of the organization on each request.
      select found.* from (
        select c.id, c.organization_id, c.name, c.azure_tenant_id, c.plan, c.suspended_at, c.connected_at, 0 as rank from control.tenant c where c.id = k.tenant_id and c.closed_at is null
        union all
        select c.id, c.organization_id, c.name, c.azure_tenant_id, c.plan, c.suspended_at, c.connected_at, 0 from control.tenant c
         where c.organization_id = k.organization_id and c.id = tenant_selector and c.closed_at is null
        union all
        select c.id, c.organization_id, c.name, c.azure_tenant_id, c.plan, c.suspended_at, c.connected_at, 1 from control.tenant c
         where c.organization_id = k.organization_id and c.azure_tenant_id = tenant_selector and c.closed_at is null
      ) found
      -- Of several tenants with one upstream id the first that was connected: a tenant that a record adds later takes over no requests.
      order by found.rank, found.connected_at, found.id limit 1
    ) t on true
   -- A restored database may accept keys that were revoked since. Checked once, before any key is read.
   where (select exists (select from control.ingest_epoch e where e.timeline = current_setting('tenantscope.timeline', true) and e.closed_at is null)
              or control.require_open_epoch())
$$;
revoke execute on function control.look_up_key from public;
grant execute on function control.look_up_key to tenantscope_keys;

-- Totals, written in batches every 15 s.
create table control.api_key_usage (
  key_id       uuid           primary key references control.api_key,
  requests     bigint         not null,
  last_used_at timestamptz(3) not null
) with (fillfactor = 50); -- HOT updates
grant select on control.api_key_usage to tenantscope_admin, tenantscope_console;

-- Usage per hour, for two days, and per day, for as long as the log is retained. A request is used when its key was accepted, whatever the response;
-- one that was rejected because the key had ended is counted apart, with its own client.
create table control.api_key_usage_hour (
  key_id            uuid           not null references control.api_key,
  at                timestamptz(3) not null,
  requests          bigint         not null,
  refused           bigint         not null, -- responses 4xx, including those over the limit
  over_limit        bigint         not null, -- responses 429
  refused_after_end bigint         not null, -- requests after the key was revoked or expired
  last_used_at      timestamptz(3), -- null: only requests after the end
  last_address      text,
  last_agent        text,
  last_refused_at   timestamptz(3), -- of requests after the end
  refused_address   text,
  refused_agent     text,
  primary key (key_id, at) -- the usage of one key
) with (fillfactor = 50);
create table control.api_key_usage_day (like control.api_key_usage_hour including all) with (fillfactor = 50);
alter table control.api_key_usage_day add foreign key (key_id) references control.api_key;
grant select on control.api_key_usage_hour, control.api_key_usage_day to tenantscope_console;

-- Adds a batch: every 15 s and at exit, from every instance, at most one entry per key. Requests before the key expired count as use; those
-- rejected afterwards do not, and do not move the last use. Times are bounded by the clock, since a later one would delete the history of its
-- key; counts are bounded, since a sum out of range would end the counting of its key.
create function control.add_key_usage(usage jsonb) returns void
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp set timezone = 'UTC' as $$
declare
  largest_count constant bigint := 1000000000;
begin
  if exists (select from jsonb_to_recordset(usage) as u (requests numeric, refused numeric, over_limit numeric, refused_after_end numeric)
              where least(u.requests, u.refused, u.over_limit, u.refused_after_end) < 0
                 or greatest(u.requests, u.refused, u.over_limit, u.refused_after_end) > largest_count) then
    raise check_violation using message = 'counts of usage must be from 0 to ' || largest_count;
  end if;
  with given as materialized (
    select u.key_id, u.requests, u.refused, u.over_limit, u.refused_after_end, b.last_used_at, u.last_address, u.last_agent,
           b.last_refused_at, u.refused_address, u.refused_agent, greatest(b.last_used_at, b.last_refused_at) as last_at
      from jsonb_to_recordset(usage) as u (key_id uuid, requests bigint, refused bigint, over_limit bigint, refused_after_end bigint,
                                           last_used_at timestamptz, last_address text, last_agent text,
                                           last_refused_at timestamptz, refused_address text, refused_agent text),
           lateral (
             select max(case m.name when 'used' then m.bounded end) as last_used_at, max(case m.name when 'refused' then m.bounded end) as last_refused_at
               from (select t.name, least(clock_timestamp(), greatest(clock_timestamp() - interval '48 hours', t.at)) as bounded
                       from (values ('used', u.last_used_at), ('refused', u.last_refused_at)) t (name, at) where t.at is not null) m) b
     where exists (select from control.api_key k where k.id = u.key_id)
     order by u.key_id
  ), total as (
    insert into control.api_key_usage as t (key_id, requests, last_used_at)
    select key_id, requests, last_used_at from given where requests > 0 order by key_id
    on conflict (key_id) do update
      set requests = t.requests + excluded.requests, last_used_at = greatest(t.last_used_at, excluded.last_used_at)
  ), hours as (
    insert into control.api_key_usage_hour as t
    select key_id, date_trunc('hour', last_at), requests, refused, over_limit, refused_after_end, last_used_at, last_address, last_agent,
           last_refused_at, refused_address, refused_agent
      from given order by key_id
    on conflict (key_id, at) do update
      set requests = t.requests + excluded.requests, refused = t.refused + excluded.refused, over_limit = t.over_limit + excluded.over_limit,
          refused_after_end = t.refused_after_end + excluded.refused_after_end,
          last_used_at = greatest(t.last_used_at, excluded.last_used_at),
          last_address = case when excluded.last_used_at is null then t.last_address else excluded.last_address end,
          last_agent = case when excluded.last_used_at is null then t.last_agent else excluded.last_agent end,
          last_refused_at = greatest(t.last_refused_at, excluded.last_refused_at),
          refused_address = case when excluded.last_refused_at is null then t.refused_address else excluded.refused_address end,
          refused_agent = case when excluded.last_refused_at is null then t.refused_agent else excluded.refused_agent end
  ), days as (
    insert into control.api_key_usage_day as t
    select key_id, date_trunc('day', last_at), requests, refused, over_limit, refused_after_end, last_used_at, last_address, last_agent,
           last_refused_at, refused_address, refused_agent
      from given order by key_id
    on conflict (key_id, at) do update
      set requests = t.requests + excluded.requests, refused = t.refused + excluded.refused, over_limit = t.over_limit + excluded.over_limit,
          refused_after_end = t.refused_after_end + excluded.refused_after_end,
          last_used_at = greatest(t.last_used_at, excluded.last_used_at),
          last_address = case when excluded.last_used_at is null then t.last_address else excluded.last_address end,
          last_agent = case when excluded.last_used_at is null then t.last_agent else excluded.last_agent end,
          last_refused_at = greatest(t.last_refused_at, excluded.last_refused_at),
          refused_address = case when excluded.last_refused_at is null then t.refused_address else excluded.refused_address end,
          refused_agent = case when excluded.last_refused_at is null then t.refused_agent else excluded.refused_agent end
  ), old_hours as (
    delete from control.api_key_usage_hour o using given g where o.key_id = g.key_id and o.at < g.last_at - interval '49 hours'
  )
  delete from control.api_key_usage_day o using given g where o.key_id = g.key_id and o.at < g.last_at - interval '401 days';
end $$;
revoke execute on function control.add_key_usage from public;
grant execute on function control.add_key_usage to tenantscope_keys;
