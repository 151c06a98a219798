-- schemas: models
--
-- Retention of single tenants that is shorter than that of the installation. Partitions contain rows of all tenants, so the rows of one are deleted. From
-- dropped_before on the API serves a later beginning of the history; the rows before it are deleted ten minutes later, when no request reads them any more.

create table models.tenant_retention (
  tenant_id      uuid           primary key,
  retention_days integer        constraint tenant_retention_floor check (retention_days >= 183), -- null: that of the installation
  dropped_before timestamptz(3), -- end of a partition; null until rows were beyond the retention
  dropped_at     timestamptz(3), -- when dropped_before was set
  deleted_before timestamptz(3)  -- no older row is left
);
create trigger audit_row_change after insert or update or delete on models.tenant_retention
  for each row execute function :audit.audit_row_change('dropped_before', 'dropped_at', 'deleted_before');
create trigger record_ledger_entry after insert or update of retention_days or delete on models.tenant_retention
  for each row execute function models.record_ledger_entry('dropped_before', 'dropped_at', 'deleted_before');

alter table models.tenant_retention enable row level security;
alter table models.tenant_retention force row level security;
create policy tenant_isolation on models.tenant_retention for select to tenantscope_api, tenantscope_jobs
  using (tenant_id = current_setting('tenantscope.tenant')::uuid);
create policy owner on models.tenant_retention to current_user using (true);
create policy admin on models.tenant_retention to tenantscope_admin using (true) with check (true);
grant select on models.tenant_retention to tenantscope_api, tenantscope_jobs, tenantscope_admin;
grant insert (tenant_id, retention_days), update (retention_days) on models.tenant_retention to tenantscope_admin;

-- Where the history of tenants with a retention of their own begins. The API reads it once a second for all of them, as it does for the installation.
create function models.list_tenant_retention() returns table (tenant_id uuid, retention_days integer, dropped_before timestamptz)
  language sql stable security definer set search_path = pg_catalog, pg_temp
begin atomic
  select t.tenant_id, t.retention_days, t.dropped_before from models.tenant_retention t where t.retention_days is not null or t.dropped_before is not null;
end;

-- Moves dropped_before, and deletes a limited number of rows before it, partition by partition: a call does not search those that are done again, whose
-- index entries remain until a vacuum. Without that, calls took 0.8 s at the beginning of 1.0 million rows and 1.3 s at their end. Returns how many
-- were deleted.
create function models.delete_expired_tenant_rows(max_rows integer default 20000) returns integer
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
    for step in
      select p.name, least(p.to_at, rule.dropped_before) as before_at from models.audit_log_partition p
       where p.from_at < rule.dropped_before and p.to_at > rule.deleted_before order by p.from_at
    loop
      -- Identities stay until those of the installation are dropped: a record that arrives again is not stored again. No event is more than 48 hours
      -- ahead of our clock, so that later months of reads and later ids of facts need no search.
      for target in
        values (step.name, 'discovered_at < $2'), (replace(step.name, 'audit_log_', 'audit_log_raw_'), 'discovered_at < $2')
        union all
        select replace(p.name, 'log_identity_', 'log_read_'), 'discovered_at < $2' from models.log_identity_partition p
         where p.from_id < models.first_id_at(step.before_at + interval '3 days')
        union all
        values ('log_read_default', 'discovered_at < $2'), ('log_block', 'last_at < $2 and first_at < $2'), ('log_tally', 'at < $2'),
               ('log_fact', $c$discovered_at < $2 and log_id < models.first_id_at($2 + interval '3 days')$c$)
      loop
        execute format('delete from models.%1$I where ctid = any (array(select ctid from models.%1$I where tenant_id = $1 and %2$s limit $3))',
                       target.column1, target.column2) using rule.tenant_id, step.before_at, remaining;
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
revoke execute on function models.list_tenant_retention, models.delete_expired_tenant_rows from public;
grant execute on function models.list_tenant_retention to tenantscope_api, tenantscope_ingest;
grant execute on function models.delete_expired_tenant_rows to tenantscope_ingest;
