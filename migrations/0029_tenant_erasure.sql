-- schemas: models
--
-- Erasure of a tenant that was closed in the control schema. This database may not reach that one, so each erasure is a row here: its beginning and
-- each completed pass are events of the audit log.

create table models.tenant_erasure (
  tenant_id   uuid           primary key,
  begun_at    timestamptz(3) not null default clock_timestamp(),
  finished_at timestamptz(3), -- of the last pass after which there was no row left
  row_counts  jsonb          not null default '{}' -- deleted rows by table
);
create trigger audit_row_change after insert or update of finished_at on models.tenant_erasure
  for each row execute function :audit.audit_row_change();
alter table models.tenant_erasure enable row level security;
alter table models.tenant_erasure force row level security;
create policy owner on models.tenant_erasure to current_user using (true);
create policy admin on models.tenant_erasure for select to tenantscope_admin using (true);
grant select on models.tenant_erasure to tenantscope_admin;

-- Deletes up to max_rows rows of a tenant from the tables of this schema that name it, those of later versions too. True when none is left. No other
-- way deletes rows of a tenant, and no login may read them for it.
create function models.erase_tenant(tenant uuid, max_rows integer default 5000) returns boolean
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
revoke execute on function models.erase_tenant from public;
grant execute on function models.erase_tenant to tenantscope_admin;
