-- schemas: models
--
-- What actors did, a row for 32 days: a tenant with 7.5 million rows of the log in 40 days had 1.5 million rows of a day, which two rules read for each
-- status. See docs/adr/0016-tallies-of-the-log.md.

create table models.actor_tally (
  tenant_id uuid             not null,
  at        timestamptz(3)   not null, -- begin of 32 days; of an event ahead of our clock, the event
  shard     smallint         not null, -- partition of the lane; -1 for what was counted later
  actor     text collate "C" not null, -- in lower case
  device    text collate "C" not null, -- of rows that do not report the state of their device; empty for null
  state     text collate "C" not null, -- of the device, and whether the attempt failed
  first_at  timestamptz(3)   not null,
  last_at   timestamptz(3)   not null,
  events    integer          not null,
  -- Element n is of the day that begins n - 1 days after `at`: events, and the first and the last of them in milliseconds of the day. The first element
  -- is that of the first day with events; days between two of them have nulls.
  counts    integer[]        not null,
  first_ms  integer[]        not null,
  last_ms   integer[]        not null,
  primary key (tenant_id, actor, at, device, state, shard) -- rows of a leaver, and every write
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
-- Elements are read and replaced one by one: a value with a short header would be copied for each.
alter table models.actor_tally alter counts set storage plain, alter first_ms set storage plain, alter last_ms set storage plain;
-- Rows of users of assistants, with devices whose state is reported or can be looked up: a third of all.
create index actor_tally_device on models.actor_tally (tenant_id, actor, at) where device <> '' or state not in ('', 'failed');
-- delete_expired_log_tallies
create index actor_tally_age on models.actor_tally (at);
select models.enable_tenant_isolation('models.actor_tally');

-- Where there are rows of the log already: rules read 30 days, and an event may be told up to 48 hours ahead of our clock.
do $$
begin
  if exists (select from models.ingest_lane) then
    perform models.begin_log_tally_backfill('actor_tally');
    update models.log_tally_backfill set next_at = greatest(next_at, now() - interval '33 days') where tally = 'actor_tally';
  end if;
end $$;

-- As before, and rows of actors whose 32 days are older, and those of the tallies of 32 days that 0052 adds. What was counted by actor and day is no longer written, and deleted by its age, since processes
-- of the version before read it until they end.
create or replace function models.delete_expired_log_tallies(max_rows integer default 20000) returns integer
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  now_at         constant timestamptz := (select max(l.settled_at) from models.ingest_lane l);
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

-- As before, and rows of actors.
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
