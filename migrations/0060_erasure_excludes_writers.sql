-- schemas: models
--
-- Rows that are derived from those of a tenant outside of a lane's transaction are not written while the tenant is erased, so that none is committed after the last
-- pass. Blocks and sealed rows had the lock of the tenant already; merges of counts and steps of backfills had none.

-- Until the end of the transaction nothing is derived from rows of the tenant. Steps of backfills read those of all tenants: each has the lock of its position, and
-- none is under way when this returns.
create function models.lock_derived_rows(tenant uuid) returns void
  language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('tenantscope.log_block.' || tenant, 0));
  lock table models.log_tally_backfill in exclusive mode;
end $$;
revoke execute on function models.lock_derived_rows from public;

-- As before, with these locks.
create or replace function models.erase_tenant(tenant uuid, max_rows integer default 5000) returns boolean
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  is_erased boolean := true;
  remaining integer := max_rows;
  deleted   integer;
  counts    jsonb;
  target    record;
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
  perform models.lock_derived_rows(tenant);
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

create or replace function models.erase_moved_tenant(tenant uuid, max_rows integer default 5000) returns boolean
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  remaining integer := max_rows;
  deleted   integer;
  target    record;
begin
  if not exists (select from models.tenant_move m where m.tenant_id = tenant) then
    raise check_violation using message = 'the tenant is in this cell';
  end if;
  perform models.lock_derived_rows(tenant);
  perform set_config('tenantscope.erasing', 'on', true);
  for target in
    select c.oid::regclass as name
      from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped
     where c.relnamespace = 'models'::regnamespace and c.relkind = 'r'
       and c.relname not in ('tenant_erasure', 'tenant_move', 'dead_letter', 'dead_letter_count', 'import')
     order by c.relname
  loop
    exit when remaining <= 0;
    execute format('delete from %s where ctid = any (array(select ctid from %1$s where tenant_id = $1 limit $2))', target.name) using tenant, remaining;
    get diagnostics deleted = row_count;
    remaining := remaining - deleted;
  end loop;
  return remaining > 0;
end $$;

-- As before, with the lock of the tenant; tenants whose lock another transaction has, such as an erasure or a move, are left out.
create or replace function models.merge_file_tallies(max_rows integer default 20000) returns integer
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  of_tenant uuid := '00000000-0000-0000-0000-000000000000';
  merged    integer;
begin
  loop
    select t.tenant_id into of_tenant from models.file_tally t where not t.is_merged and t.tenant_id > of_tenant order by t.tenant_id limit 1;
    if of_tenant is null then
      return 0;
    end if;
    exit when pg_try_advisory_xact_lock(hashtextextended('tenantscope.log_block.' || of_tenant, 0));
  end loop;
  with added as materialized (
    select t.ctid as place, t.* from models.file_tally t where t.tenant_id = of_tenant and not t.is_merged limit max_rows
  ), earlier as materialized (
    select t.ctid as place, t.* from models.file_tally t
     where t.tenant_id = of_tenant and t.is_merged and (t.tally, t.subject) in (select a.tally, a.subject from added a)
  ), gone as (
    delete from models.file_tally t where t.ctid = any (array(select place from added union all select place from earlier)) returning t.*
  ), sums as (
    insert into models.file_tally
    select tenant_id, tally, subject, types, is_sensitive, is_labeled, is_protected, is_reached, is_anonymous, is_external, is_open, has_anonymous_link,
           has_organization_link, sum(files), true
      from gone group by 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13 having sum(files) <> 0
  )
  select count(*) into merged from added;
  return merged;
end $$;
