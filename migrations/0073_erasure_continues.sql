-- schemas: models
--
-- Each transaction of an erasure begins with the table in which the one before it in the session ended. Before, each began with the first table: one of which a million
-- rows had been deleted was read in full by every later transaction until autovacuum had analyzed it, and an erasure of millions of rows exceeded the limit of a statement.

-- Deletes up to max_rows rows of a tenant from the tables of this schema that name it, but those of `excluded`. True where no table has a row of the tenant: the tables
-- before that with which it begins are read last. `deleted_rows` are those that were deleted, by table.
create function models.delete_tenant_rows(tenant uuid, max_rows integer, excluded name[], out is_complete boolean, out deleted_rows jsonb)
  language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  begins_with name    := case when current_setting('tenantscope.erased_from', true) like tenant || '/%'
                              then split_part(current_setting('tenantscope.erased_from', true), '/', 2) else '' end;
  remaining   integer := max_rows;
  deleted     integer;
  target      record;
begin
  deleted_rows := '{}';
  for target in
    select c.relname, c.oid::regclass as name, coalesce(pg_partition_root(c.oid), c.oid)::regclass::text as of_table, c.relname < begins_with as is_emptied
      from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped
     where c.relnamespace = 'models'::regnamespace and c.relkind = 'r' and c.relname <> all (excluded)
     order by c.relname < begins_with, c.relname
  loop
    if target.is_emptied then
      -- The statistics are from before the erasure: by them a scan of the table would find rows of the tenant soon.
      perform set_config('enable_seqscan', 'off', true);
    end if;
    if target.of_table = 'models.dead_letter' then
      deleted := models.erase_dead_letters(tenant, remaining);
    else
      execute format('delete from %s where ctid = any (array(select ctid from %1$s where tenant_id = $1 limit $2))', target.name) using tenant, remaining;
      get diagnostics deleted = row_count;
    end if;
    remaining := remaining - deleted;
    if deleted > 0 then
      deleted_rows := deleted_rows || jsonb_build_object(target.of_table, coalesce((deleted_rows ->> target.of_table)::bigint, 0) + deleted);
    end if;
    if remaining <= 0 then
      perform set_config('tenantscope.erased_from', tenant || '/' || target.relname, false);
      exit;
    end if;
  end loop;
  is_complete := remaining > 0;
end $$;
revoke execute on function models.delete_tenant_rows from public;

-- As before, with this function.
create or replace function models.erase_tenant(tenant uuid, max_rows integer default 5000) returns boolean
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  is_erased boolean := true;
  counts    jsonb;
  pass      record;
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
  select * into pass from models.delete_tenant_rows(tenant, max_rows, '{tenant_erasure}');
  select coalesce(jsonb_object_agg(t.name, coalesce((counts ->> t.name)::bigint, 0) + coalesce((pass.deleted_rows ->> t.name)::bigint, 0)), '{}') into counts
    from (select jsonb_object_keys(counts) union select jsonb_object_keys(pass.deleted_rows)) t (name);
  if pass.is_complete then
    update models.tenant_erasure e set row_counts = counts, finished_at = clock_timestamp() where e.tenant_id = tenant;
  else
    update models.tenant_erasure e set row_counts = counts where e.tenant_id = tenant;
  end if;
  return pass.is_complete;
end $$;

create or replace function models.erase_moved_tenant(tenant uuid, max_rows integer default 5000) returns boolean
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if not exists (select from models.tenant_move m where m.tenant_id = tenant) then
    raise check_violation using message = 'the tenant is in this cell';
  end if;
  perform models.lock_derived_rows(tenant);
  perform set_config('tenantscope.erasing', 'on', true);
  return (select p.is_complete from models.delete_tenant_rows(tenant, max_rows, '{tenant_erasure,tenant_move,dead_letter,dead_letter_count,import}') p);
end $$;
