-- schemas: models
--
-- Of which cell this database is, as "tenantscope migrate" of a further cell records it; no row: of the cell default. Processes refuse the database of another
-- cell: one that lacks the rows of a tenant would serve complete pages without them.

create table models.cell (
  id      text    primary key,
  is_only boolean not null default true unique check (is_only)
);

create function models.own_cell() returns text
  language sql stable security definer set search_path = pg_catalog, pg_temp
begin atomic
  select coalesce((select c.id from models.cell c), 'default');
end;
revoke execute on function models.own_cell from public;
grant execute on function models.own_cell to tenantscope_api, tenantscope_ingest, tenantscope_admin, tenantscope_console, tenantscope_jobs;
