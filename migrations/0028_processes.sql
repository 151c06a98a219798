-- schemas: control
--
-- The running processes with their versions, as each reports itself every 15 s: a contract step waits for older ones, and operators see an upgrade's
-- progress. A process that stops removes its row; a row that is an hour old is of one that was killed.

create table control.process (
  instance   uuid           primary key, -- of one start
  app        text           not null check (app in ('api', 'ingest', 'jobs', 'console', 'collect')),
  host       text           not null check (length(host) <= 300), -- host/process
  version    text           not null check (length(version) <= 100),
  started_at timestamptz(3) not null default clock_timestamp(),
  seen_at    timestamptz(3) not null default clock_timestamp()
) with (fillfactor = 50); -- every report stays a HOT update

alter table control.process enable row level security;
alter table control.process force row level security;
-- A login sees and writes the processes that use it; the api writes with the login of keys, since its own only reads.
create policy own_processes on control.process to tenantscope_keys, tenantscope_ingest, tenantscope_jobs, tenantscope_console, tenantscope_collect
  using (app = replace(substr(current_user, 13), 'keys', 'api')) with check (app = replace(substr(current_user, 13), 'keys', 'api'));
create policy admin on control.process for select to tenantscope_admin using (true);
-- The owner, who migrates, is subject to row-level security too.
create policy owner on control.process for select to current_user using (true);

grant select, delete on control.process to tenantscope_keys, tenantscope_ingest, tenantscope_jobs, tenantscope_console, tenantscope_collect;
grant insert (instance, app, host, version) on control.process to tenantscope_keys, tenantscope_ingest, tenantscope_jobs, tenantscope_console, tenantscope_collect;
grant update (seen_at) on control.process to tenantscope_keys, tenantscope_ingest, tenantscope_jobs, tenantscope_console, tenantscope_collect;
grant select on control.process to tenantscope_admin;
