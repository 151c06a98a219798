-- schemas: models
--
-- From the beginning of a tenant's erasure on, lanes drop its records, whatever a process last read of the control database: one that does not reach it
-- wrote rows of the tenant after the certificate.

create trigger count_changes after insert on models.tenant_erasure
  for each row execute function models.count_tenant_moves();

create function models.list_erased_tenants() returns setof uuid
  language sql stable security definer set search_path = pg_catalog, pg_temp
begin atomic
  select e.tenant_id from models.tenant_erasure e;
end;
revoke execute on function models.list_erased_tenants from public;
grant execute on function models.list_erased_tenants to tenantscope_ingest;
