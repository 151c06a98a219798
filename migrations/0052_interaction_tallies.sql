-- schemas: models
--
-- Two tallies of 32 days, of interactions by actor and program and of changes of agents: readiness for assistants read 390,000 interactions of 30 days, and
-- rules over agents 50,000 changes of 91 days, of a tenant with 7.5 million rows of the log. See docs/adr/0016-tallies-of-the-log.md.

do $$
begin
  if exists (select from models.ingest_lane) then
    perform models.begin_log_tally_backfill('assistant');
    perform models.begin_log_tally_backfill('lifecycle');
    update models.log_tally_backfill set next_at = greatest(next_at, now() - case tally when 'assistant' then interval '33 days' else interval '94 days' end)
     where tally in ('assistant', 'lifecycle');
  end if;
end $$;

-- As before, and these: a period of 32 days is read as long as its end is.
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

-- As before; a period of 32 days that ends later stays.
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
