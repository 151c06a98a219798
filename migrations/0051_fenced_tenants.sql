-- schemas: models
--
-- How long tenants are in the list of those whose records belong to another cell. Ingest reports of it the tenants of its own cell: they get no new rows
-- until their moves are completed or cancelled.

create function models.list_tenant_move_ages() returns table (tenant_id uuid, seconds double precision)
  language sql stable security definer set search_path = pg_catalog, pg_temp
begin atomic
  select m.tenant_id, extract(epoch from clock_timestamp() - m.since)::float8 from models.tenant_move m;
end;
revoke execute on function models.list_tenant_move_ages from public;
grant execute on function models.list_tenant_move_ages to tenantscope_ingest;
