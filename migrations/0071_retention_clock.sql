-- schemas: models
--
-- Rows expire by the clock of the server. A clock that was months ahead for a minute deleted the rows of months. Now they expire by the last time that was accepted:
-- a clock that jumps is accepted when it has run on for a day. An installation in which no ingest process ran for more than a day waits as well. And the retention of
-- the installation is in the ledger, as that of tenants is.

create table models.retention_clock (
  is_only     boolean        primary key default true check (is_only),
  accepted_at timestamptz(3), -- rows expire by it; null before the first pass
  seen_at     timestamptz(3), -- at the last pass, which is made every minute
  jumped_at   timestamptz(3)  -- the clock after it had jumped; null where it is accepted
);
grant select on models.retention_clock to tenantscope_ingest;
insert into models.retention_clock default values;

-- The time by which rows expire now. An hour is more than passes of several processes and a correction of the clock may differ.
create function models.advance_retention_clock() returns timestamptz
  language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  at_now constant timestamptz := clock_timestamp();
  clock  models.retention_clock;
begin
  select * into strict clock from models.retention_clock for update;
  if at_now < clock.seen_at - interval '1 hour' or at_now > clock.seen_at + interval '1 day' then
    clock.jumped_at := at_now;
  elsif at_now >= clock.jumped_at + interval '1 day' then
    clock.jumped_at := null;
  end if;
  if clock.jumped_at is null then
    clock.accepted_at := at_now;
  end if;
  update models.retention_clock set accepted_at = clock.accepted_at, seen_at = at_now, jumped_at = clock.jumped_at;
  return clock.accepted_at;
end $$;
revoke execute on function models.advance_retention_clock from public;

-- A restored database would delete rows by a shorter retention of its backup.
create trigger record_ledger_entry after update of retention_days, partition_width, seal_after_days on models.retention
  for each row execute function models.record_ledger_entry('dropped_before', 'sealed_before');

-- As before, by the accepted time.
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
  expiry_at timestamptz;
begin
  perform pg_advisory_xact_lock(hashtext('tenantscope.maintain_log_partitions'));
  select * into strict rule from models.retention where feed = 'logs';
  expiry_at := models.advance_retention_clock();

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
     where to_at <= expiry_at - make_interval(days => rule.retention_days) order by to_at
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
     where to_id <= models.first_id_at(date_trunc('month', expiry_at - make_interval(days => rule.retention_days)))
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

-- As before, by the accepted time at most.
create or replace function models.delete_expired_log_tallies(max_rows integer default 20000) returns integer
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  now_at         constant timestamptz := (select least(max(l.settled_at), (select c.accepted_at from models.retention_clock c)) from models.ingest_lane l);
  dropped_before constant timestamptz := (select r.dropped_before from models.retention r where r.feed = 'logs');
  rule           record;
  expired        integer := 0;
  deleted        integer;
begin
  for rule in
    select t.tally, greatest(dropped_before, now_at - t.readable) - t.period as before_at
      from (values ('activity', interval '33 days', interval '0'), ('actor', '33 days', '0'), ('application', '93 days', '0'), ('arrival', null, '0'),
                   ('assistant', '33 days', '32 days'), ('interaction', '93 days', '0'), ('lag', '10 days', '0'), ('lifecycle', '94 days', '32 days'))
             t (tally, readable, period)
  loop
    delete from models.log_tally
     where ctid in (select ctid from models.log_tally where tally = rule.tally and at < rule.before_at limit max_rows - expired for update skip locked);
    get diagnostics deleted = row_count;
    expired := expired + deleted;
  end loop;
  delete from models.actor_tally
   where ctid in (select ctid from models.actor_tally where at < greatest(dropped_before, now_at - interval '33 days') - interval '32 days'
                   limit max_rows - expired for update skip locked);
  get diagnostics deleted = row_count;
  return expired + deleted;
end $$;

-- As before, by the accepted time.
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
            from models.tenant_retention r
            join models.audit_log_partition p on p.to_at <= (select c.accepted_at from models.retention_clock c) - make_interval(days => r.retention_days)
           group by 1) beyond
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
        values ('log_read_default', 'discovered_at < $2'), ('log_block', 'last_at < $2 and first_at < $2'), ('log_tally', 'at < $2 and last_at < $2'), ('actor_tally', 'last_at < $2'),
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
