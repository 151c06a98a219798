-- schemas: models
--
-- History is sealed: rows of a closed partition move from models.audit_log into blocks, see docs/adr/0019-sealed-history.md.

-- Sealed rows: those of a closed partition of models.audit_log, a row for each of their blocks. Documents are compressed so that a gzip response can be
-- put together from them; columns are arrays, in the order of the rows, so that PostgreSQL reads and compresses each of them alone.
create table models.log_sealed (
  tenant_id         uuid             not null,
  first_at          timestamptz(3)   not null, -- as models.log_block
  first_id          uuid             not null,
  last_at           timestamptz(3)   not null,
  last_id           uuid             not null,
  row_count         integer          not null,
  member_count      smallint         not null, -- members that events had: documents have no later ones
  documents         bytea            not null, -- see packages/store/src/resource/sealed-documents.ts
  document_parts    bytea            not null,
  document_ends     bytea            not null,
  id                uuid[]           not null,
  discovered_at     timestamptz(3)[] not null,
  occurred_at       timestamptz(3)[] not null,
  severity          text[] collate "C" not null,
  action            text[] collate "C" not null,
  actor_id          text[] collate "C" not null,
  actor_type        text[] collate "C" not null,
  actor_ip          text[] collate "C" not null,
  resource_id       text[] collate "C" not null,
  resource_type     text[] collate "C" not null,
  workload          text[] collate "C" not null,
  source_type       text[] collate "C" not null,
  client_app        text[] collate "C" not null,
  device_id         text[] collate "C" not null,
  is_managed_device boolean[]          not null,
  application_id    text[] collate "C" not null,
  external_event_id text[] collate "C" not null,
  outcome           text[] collate "C" not null,
  error_code        text[] collate "C" not null,
  session_id        text[] collate "C" not null,
  correlation_id    text[] collate "C" not null,
  actor_user_id     text[] collate "C" not null,
  target_ids        text[] collate "C" not null, -- each as the text of an array: arrays of arrays are rectangular
  -- JSON texts that readers take from the lines of other rows
  action_text           text[] collate "C" not null,
  description           text[] collate "C" not null,
  country               text[] collate "C" not null, -- of the location
  application_client_id text[] collate "C" not null,
  primary key (tenant_id, first_at, first_id) -- pages and searches, by the keys of models.log_block; one of two writers fails
) partition by range (first_at);
alter table models.log_sealed alter column documents set storage external; -- compressed already
select models.enable_tenant_isolation('models.log_sealed');
revoke update on models.log_sealed from tenantscope_ingest;
truncate models.log_block; -- some reach from a partition into the next one; ingestion writes them again
grant select on models.log_block to tenantscope_jobs; -- receipts read sealed rows by their blocks

alter table models.audit_log_partition add column sealed_at timestamptz(3); -- since then its rows are in models.log_sealed and the table of this name is gone
alter table models.retention
  add column seal_after_days integer default 1 check (seal_after_days >= 0), -- from the end of a partition; null: none is sealed
  add column sealed_before   timestamptz(3); -- rows before it are in models.log_sealed, all others in models.audit_log; null until a partition was sealed
drop trigger audit_row_change on models.retention;
create trigger audit_row_change after insert or update or delete on models.retention
  for each row execute function :audit.audit_row_change('dropped_before', 'sealed_before');
grant update (seal_after_days) on models.retention to tenantscope_admin;

-- As before, with sealed partitions.
create or replace function models.maintain_log_partitions(ahead_days integer default 28) returns integer
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
    select name, to_at, sealed_at from models.audit_log_partition
     where to_at <= now() - make_interval(days => rule.retention_days) order by to_at
  loop
    if oldest.sealed_at is null then
      execute format('alter table models.audit_log detach partition models.%I', oldest.name);
      execute format('drop table models.%I', oldest.name);
    end if;
    execute format('drop table if exists models.%I', replace(oldest.name, 'audit_log_', 'log_sealed_'));
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

create or replace function models.delete_expired_tenant_rows(max_rows integer default 20000) returns integer
  language plpgsql security definer set search_path = pg_catalog, pg_temp set lock_timeout = '3s' as $$
declare
  remaining integer := max_rows;
  deleted   integer;
  rule      record;
  step      record;
  target    record;
begin
  update models.tenant_retention t set dropped_before = beyond.before_at, dropped_at = clock_timestamp()
    from (select r.tenant_id, max(p.to_at) as before_at
            from models.tenant_retention r join models.audit_log_partition p on p.to_at <= now() - make_interval(days => r.retention_days) group by 1) beyond
   where beyond.tenant_id = t.tenant_id and beyond.before_at > coalesce(t.dropped_before, '-infinity');

  for rule in
    select t.tenant_id, t.dropped_before, coalesce(t.deleted_before, '-infinity') as deleted_before from models.tenant_retention t
     where t.dropped_before > coalesce(t.deleted_before, '-infinity') and t.dropped_at < clock_timestamp() - interval '10 minutes'
     order by t.dropped_at for update skip locked
  loop
    -- Blocks are written and sealed of rows that exist, and all of them are deleted: one after the other.
    continue when not pg_try_advisory_xact_lock(hashtextextended('tenantscope.log_block.' || rule.tenant_id, 0));
    for step in
      select p.name, least(p.to_at, rule.dropped_before) as before_at, p.sealed_at,
             to_regclass('models.' || replace(p.name, 'audit_log_', 'log_sealed_')) is not null as has_sealed from models.audit_log_partition p
       where p.from_at < rule.dropped_before and p.to_at > rule.deleted_before order by p.from_at
    loop
      -- Identities stay until those of the installation are dropped: a record that arrives again is not stored again. No event is more than 48 hours
      -- ahead of our clock, so that later months of reads and later ids of facts need no search.
      for target in
        select step.name, 'discovered_at < $2' as condition where step.sealed_at is null
        union all
        select replace(step.name, 'audit_log_', 'log_sealed_'), 'last_at < $2' where step.has_sealed
        union all
        values (replace(step.name, 'audit_log_', 'audit_log_raw_'), 'discovered_at < $2')
        union all
        select replace(p.name, 'log_identity_', 'log_read_'), 'discovered_at < $2' from models.log_identity_partition p
         where p.from_id < models.first_id_at(step.before_at + interval '3 days')
        union all
        values ('log_read_default', 'discovered_at < $2'), ('log_block', 'last_at < $2 and first_at < $2'), ('log_tally', 'at < $2'),
               ('log_fact', $c$discovered_at < $2 and log_id < models.first_id_at($2 + interval '3 days')$c$)
      loop
        execute format('delete from models.%1$I where ctid = any (array(select ctid from models.%1$I where tenant_id = $1 and %2$s limit $3))',
                       target.name, target.condition) using rule.tenant_id, step.before_at, remaining;
        get diagnostics deleted = row_count;
        remaining := remaining - deleted;
        if remaining = 0 then
          return max_rows;
        end if;
      end loop;
      update models.tenant_retention t set deleted_before = step.before_at where t.tenant_id = rule.tenant_id;
    end loop;
    update models.tenant_retention t set deleted_before = rule.dropped_before where t.tenant_id = rule.tenant_id;
  end loop;
  return max_rows - remaining;
end $$;

create or replace function models.erase_tenant(tenant uuid, max_rows integer default 5000) returns boolean
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  is_erased boolean := true;
  remaining integer := max_rows;
  deleted   integer;
  counts    jsonb;
  target      record;
begin
  if :audit.current_actor() not like 'cli:%' then
    raise insufficient_privilege using message = 'a tenant is erased by an operator at the command line only';
  end if;
  if to_regclass('control.tenant') is not null then
    execute 'select exists (select from control.tenant t where t.id = $1 and t.erased_at is not null)' into is_erased using tenant;
  end if;
  if not is_erased then
    raise check_violation using message = 'the tenant is not closed, or its erasure was not begun in the control schema';
  end if;
  insert into models.tenant_erasure (tenant_id) values (tenant) on conflict do nothing;
  -- Rows are not sealed meanwhile: their blocks would stay.
  perform pg_advisory_xact_lock(hashtextextended('tenantscope.log_block.' || tenant, 0));
  perform set_config('tenantscope.erasing', 'on', true);
  select e.row_counts into counts from models.tenant_erasure e where e.tenant_id = tenant for update;
  for target in
    select c.oid::regclass as name, coalesce(pg_partition_root(c.oid), c.oid)::regclass::text as of_table
      from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped
     where c.relnamespace = 'models'::regnamespace and c.relkind = 'r' and c.relname <> 'tenant_erasure'
     order by c.relname
  loop
    exit when remaining <= 0;
    if target.of_table = 'models.dead_letter' then
      deleted := models.erase_dead_letters(tenant, remaining);
    else
      execute format('delete from %s where ctid = any (array(select ctid from %1$s where tenant_id = $1 limit $2))', target.name) using tenant, remaining;
      get diagnostics deleted = row_count;
    end if;
    remaining := remaining - deleted;
    if deleted > 0 then
      counts := counts || jsonb_build_object(target.of_table, coalesce((counts ->> target.of_table)::bigint, 0) + deleted);
    end if;
  end loop;
  if remaining > 0 then
    update models.tenant_erasure e set row_counts = counts, finished_at = clock_timestamp() where e.tenant_id = tenant;
  else
    update models.tenant_erasure e set row_counts = counts where e.tenant_id = tenant;
  end if;
  return remaining > 0;
end $$;

-- Called by the first statement of each message that reads rows of models.audit_log. Until the end of its transaction no partition is sealed: what
-- this returns, epoch ms, is where the rows begin that the following statements see. A transaction with one snapshot takes the lock before it.
create function models.lock_sealed_before() returns bigint
  language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  lock table only models.audit_log in access share mode;
  return (select (extract(epoch from sealed_before) * 1000)::bigint from models.retention where feed = 'logs');
end $$;
revoke execute on function models.lock_sealed_before from public;
grant execute on function models.lock_sealed_before to tenantscope_api, tenantscope_jobs;

-- The sealed rows of a tenant that were discovered in a time, both ends included.
create function models.sealed_log_rows(of_tenant uuid, from_at timestamptz, to_at timestamptz)
  returns table (
    tenant_id uuid, discovered_at timestamptz, id uuid, occurred_at timestamptz, severity text, action text, actor_id text, actor_type text,
    actor_ip text, resource_id text, resource_type text, workload text, source_type text, client_app text, device_id text,
    is_managed_device boolean, application_id text, external_event_id text, outcome text, error_code text, session_id text,
    correlation_id text, actor_user_id text, target_ids text[], description text, application_client_id text)
  language sql stable rows 150
begin atomic
  select s.tenant_id, r.discovered_at, r.id, r.occurred_at, r.severity, r.action, r.actor_id, r.actor_type, r.actor_ip, r.resource_id,
         r.resource_type, r.workload, r.source_type, r.client_app, r.device_id, r.is_managed_device, r.application_id, r.external_event_id,
         r.outcome, r.error_code, r.session_id, r.correlation_id, r.actor_user_id, r.target_texts::text[], r.description, r.application_client_id
    from models.log_sealed s
   cross join lateral unnest(s.discovered_at, s.id, s.occurred_at, s.severity, s.action, s.actor_id, s.actor_type, s.actor_ip, s.resource_id,
                             s.resource_type, s.workload, s.source_type, s.client_app, s.device_id, s.is_managed_device, s.application_id,
                             s.external_event_id, s.outcome, s.error_code, s.session_id, s.correlation_id, s.actor_user_id, s.target_ids,
                             s.description, s.application_client_id)
           r (discovered_at, id, occurred_at, severity, action, actor_id, actor_type, actor_ip, resource_id, resource_type, workload, source_type,
              client_app, device_id, is_managed_device, application_id, external_event_id, outcome, error_code, session_id, correlation_id,
              actor_user_id, target_texts, description, application_client_id)
   -- The newest block that begins before the time may reach into it.
   where s.tenant_id = $1 and s.first_at <= $3 and s.last_at >= $2
     and s.first_at >= coalesce((select max(b.first_at) from models.log_block b where b.tenant_id = $1 and b.first_at < $2), '-infinity')
     and r.discovered_at between $2 and $3;
end;
revoke execute on function models.sealed_log_rows from public;
grant execute on function models.sealed_log_rows to tenantscope_api, tenantscope_jobs, tenantscope_ingest;

-- The oldest partition that is not sealed, if it may be: its end is `seal_after_days` ago, the watermark has passed it, and its days have their
-- receipts. A chain of receipts that is a week late is not waited for; it is continued from sealed rows.
create function models.next_log_seal(through_at timestamptz) returns table (name text, from_at timestamptz, to_at timestamptz)
  language sql stable security definer set search_path = pg_catalog, pg_temp
begin atomic
  select p.name, p.from_at, p.to_at
    from (select * from models.audit_log_partition where sealed_at is null order by from_at limit 1) p
    join models.retention r on r.feed = 'logs'
   where p.to_at <= $1 and p.to_at <= now() - make_interval(days => r.seal_after_days)
     and (p.to_at <= now() - interval '7 days'
          or not exists (select from models.log_receipt c group by c.tenant_id
                         having max(c.day) < ((p.to_at - interval '1 ms') at time zone 'UTC')::date));
end;
revoke execute on function models.next_log_seal from public;

-- The same, after creating the partition for its sealed rows.
create function models.begin_log_seal(through_at timestamptz) returns table (name text, from_at timestamptz, to_at timestamptz)
  language plpgsql security definer set search_path = pg_catalog, pg_temp set lock_timeout = '500ms' as $$
declare
  due    record;
  sealed text;
begin
  select * into due from models.next_log_seal(through_at);
  sealed := replace(due.name, 'audit_log_', 'log_sealed_');
  if to_regclass('models.' || sealed) is null and due.name is not null then
    perform pg_advisory_xact_lock(hashtext('tenantscope.begin_log_seal'));
    if to_regclass('models.' || sealed) is null then
      execute format('create table models.%I (like models.log_sealed including defaults including constraints including storage including indexes)', sealed);
      execute format('alter table models.log_sealed attach partition models.%I for values from (%L) to (%L)', sealed, due.from_at, due.to_at);
    end if;
  end if;
  return query select due.name, due.from_at, due.to_at where due.name is not null;
end $$;
revoke execute on function models.begin_log_seal from public;
grant execute on function models.begin_log_seal to tenantscope_ingest;

-- Drops the rows of a partition whose blocks are all sealed. Sealed rows become what readers read in the same transaction. False: rows are missing.
create function models.complete_log_seal(of_partition text, through_at timestamptz) returns boolean
  language plpgsql security definer set search_path = pg_catalog, pg_temp set lock_timeout = '500ms' as $$
declare
  due      record;
  is_equal boolean;
begin
  select * into due from models.next_log_seal(through_at);
  if due.name is distinct from of_partition then
    return false;
  end if;
  -- Writers have no rows for a time before the watermark; readers go on while rows are counted.
  execute format('lock table models.%I in share mode', due.name);
  execute format(
    'select not exists (
       select from (select tenant_id, count(*) as amount from models.%I group by 1) stored
         full join (select tenant_id, sum(row_count) as amount from models.log_sealed where first_at >= $1 and first_at < $2 group by 1) sealed
           using (tenant_id)
        where stored.amount is distinct from sealed.amount)', due.name) into is_equal using due.from_at, due.to_at;
  if not is_equal then
    return false;
  end if;
  perform pg_advisory_xact_lock(hashtext('tenantscope.maintain_log_partitions'));
  execute format('alter table models.audit_log detach partition models.%I', due.name);
  execute format('drop table models.%I', due.name);
  update models.audit_log_partition set sealed_at = clock_timestamp() where name = due.name;
  update models.retention set sealed_before = due.to_at where feed = 'logs';
  return true;
end $$;
revoke execute on function models.complete_log_seal from public;
grant execute on function models.complete_log_seal to tenantscope_ingest;

-- How many rows of the partition that is being sealed are in sealed blocks: progress that `tenantscope status` shows.
create function models.count_sealing_rows() returns bigint
  language sql stable security definer set search_path = pg_catalog, pg_temp
begin atomic
  select coalesce(sum(s.row_count), 0)::bigint from models.log_sealed s
   where s.first_at >= coalesce((select sealed_before from models.retention where feed = 'logs'), '-infinity');
end;
revoke execute on function models.count_sealing_rows from public;
grant execute on function models.count_sealing_rows to tenantscope_admin;
