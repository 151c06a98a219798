-- schemas: control
--
-- Who may ask: organizations, tenants with their plan, keys. Never joined with read models; plan and tenant facts travel as values.

create table control.organization (
  id         uuid           primary key,
  name       text           not null check (name <> ''),
  version    bigint         not null default 1 check (version between 1 and 9007199254740991),
  digest     bytea          not null, -- of the state that version names; settles which of two equal versions stands
  created_at timestamptz(3) not null default clock_timestamp(),
  changed_at timestamptz(3) not null default clock_timestamp()
);

create table control.tenant (
  id              uuid           primary key,
  organization_id uuid, -- may be told of before the organization itself is: their records come on different partitions
  name            text           not null check (name <> ''),
  azure_tenant_id uuid,
  plan            text           not null check (plan in ('api', 'none')),
  version         bigint         not null default 1 check (version between 1 and 9007199254740991),
  digest          bytea          not null,
  connected_at    timestamptz(3) not null default clock_timestamp(),
  changed_at      timestamptz(3) not null default clock_timestamp()
);
-- an organization-wide key selects a tenant by either id, and lists all of them
create index on control.tenant (organization_id, azure_tenant_id);
-- the command line finds a tenant by its upstream id
create index on control.tenant (azure_tenant_id);

create table control.api_key (
  id              uuid           primary key default gen_random_uuid(),
  secret_sha256   bytea          not null unique check (length(secret_sha256) = 32),
  display         text           not null, -- the first 8 characters of the secret part
  name            text           not null check (name <> ''),
  scopes          text[]         not null,
  tenant_id       uuid           references control.tenant,
  organization_id uuid           references control.organization,
  created_at      timestamptz(3) not null default clock_timestamp(),
  expires_at      timestamptz(3),
  revoked_at      timestamptz(3),
  check (num_nonnulls(tenant_id, organization_id) = 1)
);
create index on control.api_key (tenant_id);
create index on control.api_key (organization_id);

create table control.api_key_usage (
  key_id       uuid           primary key references control.api_key,
  requests     bigint         not null,
  last_used_at timestamptz(3) not null
) with (fillfactor = 50); -- a batch each 15 s: HOT updates

-- One statement a request: the key if it may be used now, the tenant it selects, and on demand all tenants it may select.
create function control.look_up_key(secret_sha256 bytea, tenant_selector uuid, list_tenants boolean)
  returns table (
    key_id uuid, name text, scopes text[], organization_wide boolean, bound_tenant_id uuid,
    selected_id uuid, selected_name text, selected_azure_tenant_id uuid, selected_api_access boolean,
    selector_matches boolean, tenants jsonb
  )
  language sql stable security definer set search_path = pg_catalog, pg_temp rows 1 as $$
  select k.id, k.name, k.scopes, k.organization_id is not null, k.tenant_id,
         t.id, t.name, t.azure_tenant_id, t.plan = 'api',
         case when tenant_selector is not null then coalesce(tenant_selector in (t.id, t.azure_tenant_id), false) end,
         case when list_tenants then (
           select coalesce(jsonb_agg(jsonb_build_object('id', o.id, 'name', o.name, 'azureTenantId', o.azure_tenant_id) order by o.connected_at, o.id), '[]')
             from control.tenant o
            where o.id = k.tenant_id or o.organization_id = k.organization_id)
         end
    from control.api_key k
    left join lateral (
      -- Three look-ups by key: one condition with «or» would read every tenant of the organization at each request.
      select found.* from (
        select c.id, c.name, c.azure_tenant_id, c.plan, 0 as rank from control.tenant c where c.id = k.tenant_id
        union all
        select c.id, c.name, c.azure_tenant_id, c.plan, 0 from control.tenant c
         where c.organization_id = k.organization_id and c.id = tenant_selector
        union all
        select c.id, c.name, c.azure_tenant_id, c.plan, 1 from control.tenant c
         where c.organization_id = k.organization_id and c.azure_tenant_id = tenant_selector
      ) found
      order by found.rank, found.id limit 1
    ) t on true
   where k.secret_sha256 = look_up_key.secret_sha256
     and k.revoked_at is null
     and (k.expires_at is null or k.expires_at > clock_timestamp())
$$;

create function control.add_key_usage(key_ids uuid[], request_counts bigint[], last_used timestamptz[])
  returns void
  language sql volatile security definer set search_path = pg_catalog, pg_temp as $$
  insert into control.api_key_usage as u (key_id, requests, last_used_at)
  select b.key_id, b.requests, b.last_used_at
    from unnest(key_ids, request_counts, last_used) as b (key_id, requests, last_used_at)
   where exists (select from control.api_key k where k.id = b.key_id)
   order by b.key_id
  on conflict (key_id) do update
    set requests = u.requests + excluded.requests, last_used_at = greatest(u.last_used_at, excluded.last_used_at)
$$;

revoke execute on all functions in schema control from public;
grant execute on function control.open_epoch() to tenantscope_ingest;
grant execute on function control.current_timeline() to tenantscope_ingest;
grant usage on schema control to tenantscope_keys;
grant execute on function control.look_up_key, control.add_key_usage to tenantscope_keys;
grant select on control.tenant, control.organization to tenantscope_ingest;
grant insert, update on control.tenant, control.organization to tenantscope_ingest;
grant select, insert, update on control.organization, control.tenant, control.api_key to tenantscope_admin;
grant select on control.api_key_usage to tenantscope_admin;
