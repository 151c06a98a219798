-- schemas: models
--
-- The log read model. A row is the event's values, from which responses are written, next to the few columns that filters compare.
-- Row-level security is on the parents; partitions have none, since COPY refuses tables with policies, and only ingest may access a partition.

create table models.audit_log (
  tenant_id          uuid           not null,
  discovered_at      timestamptz(3) not null,
  id                 uuid           not null,
  occurred_at        timestamptz(3) not null,
  severity           text collate "C",
  action             text collate "C" not null, -- in lower case: the filter ignores case
  actor_id           text collate "C",
  actor_type         text collate "C",
  actor_ip           text collate "C",
  resource_id        text collate "C",
  resource_type      text collate "C",
  workload           text collate "C",
  source_type        text collate "C",
  client_app         text collate "C",
  device_id          text collate "C",
  is_managed_device  boolean,
  application_id     text collate "C",
  external_event_id  text collate "C",
  outcome            text collate "C",
  error_code         text collate "C",
  session_id         text collate "C",
  correlation_id     text collate "C",
  actor_user_id      text collate "C",
  target_ids         text[] collate "C", -- those other than resource_id
  normaliser_version smallint       not null,
  -- JSON texts of the other members, a line each, empty for null: see packages/contract/src/record/member-lines.ts
  member_lines       text collate "C" not null
) partition by range (discovered_at);
-- GET /logs, both directions, one page
create index audit_log_page on models.audit_log (tenant_id, discovered_at, id);

alter table models.audit_log enable row level security;
alter table models.audit_log force row level security;
create policy tenant_isolation on models.audit_log for select to tenantscope_api, tenantscope_jobs
  using (tenant_id = current_setting('tenantscope.tenant')::uuid);
grant select on models.audit_log to tenantscope_api, tenantscope_jobs;

-- The provider records of the rows as received, in compressed blocks of one tenant and one batch, written and dropped with their rows. A row's
-- block is one whose stamps and ids enclose its own.
create table models.audit_log_raw (
  tenant_id     uuid           not null,
  discovered_at timestamptz(3) not null, -- of its last row
  earliest_at   timestamptz(3) not null, -- of its first row, at most a second before
  first_id      uuid           not null,
  last_id       uuid           not null,
  records       integer        not null,
  content       bytea          not null -- zstd of the texts, see packages/store/src/resource/raw-block.ts
) partition by range (discovered_at);
alter table models.audit_log_raw alter column content set storage external; -- compressed already
-- GET /logs/{id}
create index audit_log_raw_read on models.audit_log_raw (tenant_id, discovered_at);

alter table models.audit_log_raw enable row level security;
alter table models.audit_log_raw force row level security;
create policy tenant_isolation on models.audit_log_raw for select to tenantscope_api
  using (tenant_id = current_setting('tenantscope.tenant')::uuid);
grant select on models.audit_log_raw to tenantscope_api;

-- Up to 256 consecutive rows of a tenant, in the order of pages, with a Bloom filter of the values that filters compare. A search reads the rows of
-- blocks that may have the value. Written behind the watermark, without a gap: rows after the last block of their tenant are in no block.
create table models.log_block (
  tenant_id            uuid           not null,
  number               integer        not null, -- of the tenant, without a gap
  first_at             timestamptz(3) not null, -- discovered_at of its first row
  first_id             uuid           not null,
  last_at              timestamptz(3) not null,
  last_id              uuid           not null,
  row_count            integer        not null,
  earliest_occurred_at timestamptz(3) not null,
  latest_occurred_at   timestamptz(3) not null,
  tokens               bytea          not null, -- see packages/store/src/resource/token-filter.ts
  primary key (tenant_id, first_at, first_id) -- searches, in both directions; of two writers at one position one fails
);
alter table models.log_block alter column tokens set storage plain; -- half of its bits are set: it cannot be compressed
select models.enable_tenant_isolation('models.log_block');
revoke update on models.log_block from tenantscope_ingest;
revoke select on models.log_block from tenantscope_jobs;

-- Which rows exist, and when they were written: uniqueness of (tenant, id), narrow, partitioned by month of the id's time.
create table models.log_identity (
  tenant_id     uuid           not null,
  id            uuid           not null,
  discovered_at timestamptz(3) not null, -- finds the row in models.audit_log, which has no index on its id
  primary key (tenant_id, id) -- the duplicate check of every batch; GET /logs/{id}; rows of a time, in the order of their times
) partition by range (id);
create table models.log_identity_default partition of models.log_identity default;
alter table models.log_identity enable row level security;
alter table models.log_identity force row level security;
create policy tenant_isolation on models.log_identity for select to tenantscope_api, tenantscope_jobs
  using (tenant_id = current_setting('tenantscope.tenant')::uuid);
grant select on models.log_identity to tenantscope_api, tenantscope_jobs;
grant select, insert on models.log_identity_default to tenantscope_ingest;

-- Reads of files: by a row of the log, or by an interaction with AI, which opens several. Reads of files with restricted content are found by the
-- names of these files, whatever the size of the log. Partitioned by month of the read, as identities are.
create table models.log_read (
  tenant_id      uuid           not null,
  discovered_at  timestamptz(3) not null,
  log_id         uuid           not null,
  occurred_at    timestamptz(3) not null,
  name_digest    uuid           not null, -- of a name of the file: see packages/store/src/resource/file-name-digest.ts
  is_interaction boolean        not null,
  is_external    boolean        not null,
  actor_id       text collate "C",
  actor_type     text collate "C",
  application_id text collate "C", -- an app of the tenant by its id, another one by its client id; of an interaction its client
  agent_id       text collate "C",
  app_host       text collate "C"
) partition by range (occurred_at);
-- reads of some files in a period
create index log_read_name on models.log_read (tenant_id, name_digest, occurred_at);
create table models.log_read_default partition of models.log_read default;
alter table models.log_read enable row level security;
alter table models.log_read force row level security;
create policy tenant_isolation on models.log_read for select to tenantscope_api, tenantscope_jobs
  using (tenant_id = current_setting('tenantscope.tenant')::uuid);
grant select on models.log_read to tenantscope_api, tenantscope_jobs;
grant insert on models.log_read_default to tenantscope_ingest;

-- The existing partitions, for writers that copy into them and for the time at which history begins.
create table models.audit_log_partition (
  name    text           primary key,
  from_at timestamptz(3) not null,
  to_at   timestamptz(3) not null -- exclusive
);
create table models.log_identity_partition (
  name    text primary key,
  from_id uuid not null,
  to_id   uuid not null -- exclusive
);
-- Evidence reads half a year back, so no login can shorten retention below that: facts of the log are deleted after its partitions.
create table models.retention (
  feed            text     primary key,
  retention_days  integer  not null constraint retention_floor check (retention_days >= 183),
  partition_width interval not null check (partition_width between interval '1 day' and interval '31 days'),
  dropped_before  timestamptz(3) -- null until a partition was dropped
);
create trigger audit_row_change after insert or update or delete on models.retention
  for each row execute function :audit.audit_row_change('dropped_before');
insert into models.retention (feed, retention_days, partition_width) values ('logs', 400, interval '7 days');

grant select on models.audit_log_partition, models.retention to tenantscope_api, tenantscope_jobs;
grant select on models.audit_log_partition, models.log_identity_partition, models.retention to tenantscope_ingest, tenantscope_admin;
grant update (retention_days, partition_width) on models.retention to tenantscope_admin;

-- The smallest id of an instant: 48 bits of milliseconds, then zeros.
create function models.first_id_at(instant timestamptz) returns uuid
  language sql immutable
  return (lpad(to_hex((extract(epoch from instant) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid;

-- Creates partitions ahead of the clock and drops those past their retention. Any number of callers at any time; returns for how many days
-- ahead there are partitions.
create function models.maintain_log_partitions(ahead_days integer default 28) returns integer
  language plpgsql security definer set search_path = pg_catalog, pg_temp set lock_timeout = '3s' as $$
declare
  rule      models.retention;
  lower_at  timestamptz;
  upper_at  timestamptz;
  partition text;
  raw       text;
  reads     text;
  oldest    record;
begin
  perform pg_advisory_xact_lock(hashtext('tenantscope.maintain_log_partitions'));
  select * into strict rule from models.retention where feed = 'logs';

  select coalesce(max(to_at), date_bin(rule.partition_width, now() - interval '1 day', timestamptz '2024-01-01 00:00Z'))
    into lower_at from models.audit_log_partition;
  while lower_at < now() + make_interval(days => ahead_days) loop
    upper_at := lower_at + rule.partition_width;
    partition := 'audit_log_' || to_char(lower_at at time zone 'UTC', 'YYYYMMDD');
    -- Compression would cost more than all the rest of writing a row: see docs/architecture/read-models.md.
    execute format('create table models.%I (like models.audit_log including defaults including constraints) with (toast_tuple_target = 4080)',
                   partition);
    execute format('create index %I on models.%I (tenant_id, discovered_at, id)', partition || '_page', partition);
    execute format('alter table models.audit_log attach partition models.%I for values from (%L) to (%L)', partition, lower_at, upper_at);
    execute format('grant select, insert on models.%I to tenantscope_ingest', partition);
    raw := replace(partition, 'audit_log_', 'audit_log_raw_');
    execute format('create table models.%I (like models.audit_log_raw including defaults including constraints including storage)', raw);
    execute format('create index %I on models.%I (tenant_id, discovered_at)', raw || '_read', raw);
    execute format('alter table models.audit_log_raw attach partition models.%I for values from (%L) to (%L)', raw, lower_at, upper_at);
    execute format('grant insert on models.%I to tenantscope_ingest', raw);
    insert into models.audit_log_partition values (partition, lower_at, upper_at);
    lower_at := upper_at;
  end loop;

  -- Identities and reads: one month per partition, from the retention limit to two months ahead. No id is more than 48 hours ahead of the clock, so a
  -- new month never overlaps ids that went to the default partition.
  select date_trunc('month', case when count(*) = 0 then now() - make_interval(days => rule.retention_days)
           else now() end at time zone 'UTC') at time zone 'UTC' into lower_at from models.log_identity_partition;
  while lower_at < now() + interval '2 months' loop
    upper_at := (lower_at at time zone 'UTC' + interval '1 month') at time zone 'UTC';
    partition := 'log_identity_' || to_char(lower_at at time zone 'UTC', 'YYYYMM');
    if not exists (select from models.log_identity_partition where name = partition) then
      execute format('create table models.%I (like models.log_identity including all)', partition);
      execute format('alter table models.log_identity attach partition models.%I for values from (%L) to (%L)',
                     partition, models.first_id_at(lower_at), models.first_id_at(upper_at));
      execute format('grant select, insert on models.%I to tenantscope_ingest', partition);
      insert into models.log_identity_partition values (partition, models.first_id_at(lower_at), models.first_id_at(upper_at));
      reads := replace(partition, 'log_identity_', 'log_read_');
      execute format('create table models.%I (like models.log_read including all)', reads);
      execute format('alter table models.log_read attach partition models.%I for values from (%L) to (%L)', reads, lower_at, upper_at);
      execute format('grant insert on models.%I to tenantscope_ingest', reads);
    end if;
    lower_at := upper_at;
  end loop;

  for oldest in
    select name, to_at from models.audit_log_partition
     where to_at <= now() - make_interval(days => rule.retention_days) order by to_at
  loop
    execute format('alter table models.audit_log detach partition models.%I', oldest.name);
    execute format('drop table models.%I', oldest.name);
    raw := replace(oldest.name, 'audit_log_', 'audit_log_raw_');
    execute format('alter table models.audit_log_raw detach partition models.%I', raw);
    execute format('drop table models.%I', raw);
    delete from models.audit_log_partition where name = oldest.name;
    delete from models.log_block where last_at < oldest.to_at;
    delete from models.log_read_default where discovered_at < oldest.to_at;
    update models.retention set dropped_before = greatest(dropped_before, oldest.to_at) where feed = 'logs';
  end loop;
  for oldest in
    select name from models.log_identity_partition
     where to_id <= models.first_id_at(date_trunc('month', now() - make_interval(days => rule.retention_days)))
  loop
    execute format('alter table models.log_identity detach partition models.%I', oldest.name);
    execute format('drop table models.%I', oldest.name);
    reads := replace(oldest.name, 'log_identity_', 'log_read_');
    execute format('alter table models.log_read detach partition models.%I', reads);
    execute format('drop table models.%I', reads);
    delete from models.log_identity_partition where name = oldest.name;
  end loop;

  return (select extract(day from max(to_at) - now())::integer from models.audit_log_partition);
end $$;
revoke execute on function models.maintain_log_partitions, models.first_id_at from public;
grant execute on function models.maintain_log_partitions to tenantscope_ingest;
grant execute on function models.first_id_at to tenantscope_api, tenantscope_jobs;

select models.maintain_log_partitions();
