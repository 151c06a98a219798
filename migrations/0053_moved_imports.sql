-- schemas: models
--
-- As before, without imports: one that runs while its tenant moves goes on in the topics in which it began, and the lanes of that cell count it there. The
-- command deletes those that have ended.

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
