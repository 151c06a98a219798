-- schemas: control
--
-- The time zone of a tenant, in which the report on an incident counts months.

create function control.find_time_zone(tenant uuid) returns text
  language sql stable security definer set search_path = pg_catalog, pg_temp
begin atomic
  select t.time_zone from control.tenant t where t.id = tenant;
end;
revoke execute on function control.find_time_zone from public;
grant execute on function control.find_time_zone to tenantscope_keys;
