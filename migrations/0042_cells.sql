-- schemas: control
--
-- Cells: a database of read models with an ingest, jobs and topics of its own, and the tenants whose rows it has. Addresses and passwords of the databases are
-- in no table: who may write here could otherwise have the processes send their logins to another server.

create table control.cell (
  id           text           primary key check (id ~ '^[a-z0-9][a-z0-9-]{0,31}$'),
  -- Of its topics; null: that of the configuration.
  topic_prefix text           unique check (topic_prefix ~ '^[A-Za-z0-9._-]{1,200}$'),
  created_at   timestamptz(3) not null default clock_timestamp(),
  check ((topic_prefix is null) = (id = 'default'))
);
insert into control.cell (id) values ('default');

create trigger audit_row_change after insert or update or delete on control.cell
  for each row execute function control.audit_row_change();
create trigger record_ledger_entry after insert or update or delete on control.cell
  for each row execute function control.record_ledger_entry();

-- Set when the tenant is created: no login may update it.
alter table control.tenant add column cell text not null default 'default' references control.cell;

grant select on control.cell to tenantscope_admin, tenantscope_ingest, tenantscope_console, tenantscope_jobs, tenantscope_collect;
grant insert (id, topic_prefix) on control.cell to tenantscope_admin;
grant select (cell) on control.tenant to tenantscope_jobs;
grant select (id, cell) on control.tenant to tenantscope_collect;

-- With look_up_key in one statement. A further column of that function would fail on connections that have prepared it.
create function control.find_cell(tenant uuid) returns text
  language sql stable security definer set search_path = pg_catalog, pg_temp
begin atomic
  select t.cell from control.tenant t where t.id = tenant;
end;
revoke execute on function control.find_cell from public;
grant execute on function control.find_cell to tenantscope_keys;

-- The cells whose ingest has still to execute its part of a request, in turn.
alter table control.dead_letter_request add column cells text[] not null default '{default}' check (cardinality(cells) > 0);
grant insert (cells) on control.dead_letter_request to tenantscope_console;
grant update (cells) on control.dead_letter_request to tenantscope_ingest;
