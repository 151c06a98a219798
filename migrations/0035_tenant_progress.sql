-- schemas: models
--
-- What requests that wait for new rows ask for, all of a process in one statement: the stamp of the newest row of each source, for tenants that a
-- request of the process waits for. Row-level security shows one tenant at a time, so this function runs as its owner and tells nothing but stamps.
create function models.newest_stamps(tenants uuid[], of_sources text[])
  returns table (tenant_id uuid, source text, newest_at timestamptz)
  language sql stable security definer set search_path = pg_catalog, pg_temp
begin atomic
  select p.tenant_id, p.source, max(p.last_discovered_at) from models.source_progress p
   where p.tenant_id = any (tenants) and p.source = any (of_sources) group by p.tenant_id, p.source;
end;
revoke execute on function models.newest_stamps from public;
grant execute on function models.newest_stamps to tenantscope_api;
