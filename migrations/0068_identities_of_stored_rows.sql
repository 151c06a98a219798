-- schemas: models
--
-- Identities are dropped with the last row that they are of. They were dropped by the time of their events, and rows by that of their discovery: a row that was
-- discovered late, such as by an import, was not found by its id any more, and stored again when its record arrived again.

-- As before, with this condition. The block range index by discovered_at finds such a row, or that there is none, in milliseconds.
create or replace function models.maintain_log_partitions(ahead_days integer default 28) returns integer
  language plpgsql security definer set search_path = pg_catalog, pg_temp set lock_timeout = '3s' set timezone = 'UTC' set enable_seqscan = off as $$
declare
  rule      models.retention;
  lower_at  timestamptz;
  upper_at  timestamptz;
  partition text;
  raw       text;
  reads     text;
  oldest    record;
  is_used   boolean;
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
    execute format('select exists (select from models.%I i, models.retention r where r.feed = ''logs'' and i.discovered_at >= coalesce(r.dropped_before, ''-infinity''))', oldest.name)
       into is_used;
    continue when is_used;
    execute format('alter table models.log_identity detach partition models.%I', oldest.name);
    execute format('drop table models.%I', oldest.name);
    reads := replace(oldest.name, 'log_identity_', 'log_read_');
    execute format('alter table models.log_read detach partition models.%I', reads);
    execute format('drop table models.%I', reads);
    delete from models.log_identity_partition where name = oldest.name;
  end loop;

  return (select extract(day from max(to_at) - now())::integer from models.audit_log_partition);
end $$;
