-- schemas: control
--
-- A tenant's week begins in its own time zone, and its evidence tells since when it is connected. A key that has ended is told apart from one
-- that never was, so that its owner can see who still tries it.

alter table control.tenant add column time_zone text not null default 'UTC' check (time_zone <> ''); -- an IANA name

drop function control.look_up_key;
-- One statement a request: the key, the tenant it selects, and on demand all tenants it may select. Of a key that was revoked or has expired
-- nothing but its id.
create function control.look_up_key(secret_sha256 bytea, tenant_selector uuid, list_tenants boolean)
  returns table (
    key_id uuid, ended boolean, name text, scopes text[], organization_wide boolean, bound_tenant_id uuid,
    selected_id uuid, selected_name text, selected_azure_tenant_id uuid, selected_api_access boolean,
    selected_connected_at timestamptz, selector_matches boolean, tenants jsonb
  )
  language sql stable security definer set search_path = pg_catalog, pg_temp rows 1 as $$
  select k.id, k.ended, k.name, k.scopes, k.organization_id is not null, k.tenant_id,
         t.id, t.name, t.azure_tenant_id, t.plan = 'api', t.connected_at,
         case when tenant_selector is not null then coalesce(tenant_selector in (t.id, t.azure_tenant_id), false) end,
         case when list_tenants then (
           select coalesce(jsonb_agg(jsonb_build_object('id', o.id, 'name', o.name, 'azureTenantId', o.azure_tenant_id) order by o.connected_at, o.id), '[]')
             from control.tenant o
            where o.id = k.tenant_id or o.organization_id = k.organization_id)
         end
    from (select a.id, e.ended, case when not e.ended then a.name end as name, case when not e.ended then a.scopes end as scopes,
                 case when not e.ended then a.tenant_id end as tenant_id, case when not e.ended then a.organization_id end as organization_id
            from control.api_key a,
                 lateral (select a.revoked_at is not null or coalesce(a.expires_at <= clock_timestamp(), false) as ended) e
           where a.secret_sha256 = look_up_key.secret_sha256) k
    left join lateral (
      -- Three look-ups by key: one condition with «or» would read every tenant of the organization at each request.
      select found.* from (
        select c.id, c.name, c.azure_tenant_id, c.plan, c.connected_at, 0 as rank from control.tenant c where c.id = k.tenant_id
        union all
        select c.id, c.name, c.azure_tenant_id, c.plan, c.connected_at, 0 from control.tenant c
         where c.organization_id = k.organization_id and c.id = tenant_selector
        union all
        select c.id, c.name, c.azure_tenant_id, c.plan, c.connected_at, 1 from control.tenant c
         where c.organization_id = k.organization_id and c.azure_tenant_id = tenant_selector
      ) found
      order by found.rank, found.id limit 1
    ) t on true
$$;
revoke execute on function control.look_up_key from public;
grant execute on function control.look_up_key to tenantscope_keys;

-- Those that take snapshots have to know whose, and when a week begins there.
grant usage on schema control to tenantscope_jobs;
grant select (id, name, azure_tenant_id, organization_id, plan, time_zone, connected_at) on control.tenant to tenantscope_jobs;
