-- schemas: models
--
-- Tenants whose records belong to another cell while their rows are here: those that leave or have left, and those whose rows are being copied here. See
-- docs/adr/0022-tenant-move.md.

create table models.tenant_move (
  tenant_id      uuid           primary key,
  cell           text           not null, -- of its records: ingestion here dead-letters them
  is_arriving    boolean        not null, -- rows are being copied here: nothing is served of them
  served_through timestamptz(3), -- a page of this database claims nothing later for the tenant
  since          timestamptz(3) not null default clock_timestamp()
);
alter table models.tenant_move enable row level security;
alter table models.tenant_move force row level security;
create policy owner on models.tenant_move to current_user using (true);
create trigger audit_row_change after insert or update or delete on models.tenant_move
  for each row execute function :audit.audit_row_change();

-- Changes with each change of the table. Every transaction of a lane and every poll of the watermark reads it: a list would cost more with each tenant.
create table models.tenant_move_version (
  version bigint  not null,
  is_only boolean primary key default true check (is_only)
) with (fillfactor = 50);
insert into models.tenant_move_version (version) values (0);
grant select on models.tenant_move_version to tenantscope_api, tenantscope_ingest;

create function models.count_tenant_moves() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  update models.tenant_move_version set version = version + 1;
  return null;
end $$;
create trigger count_changes after insert or update or delete on models.tenant_move
  for each statement execute function models.count_tenant_moves();

create function models.list_tenant_moves() returns table (version bigint, tenant_id uuid, cell text, is_arriving boolean, served_through timestamptz)
  language sql stable security definer set search_path = pg_catalog, pg_temp
begin atomic
  select v.version, m.tenant_id, m.cell, m.is_arriving, m.served_through from models.tenant_move_version v left join models.tenant_move m on true;
end;
revoke execute on function models.list_tenant_moves, models.count_tenant_moves from public;
grant execute on function models.list_tenant_moves to tenantscope_api, tenantscope_ingest;

-- Whether this is the connection that copies a tenant: of the owner of the schema, no other login can pretend to be.
create function models.is_moving() returns boolean
  language sql stable security definer set search_path = pg_catalog, pg_temp
begin atomic
  select coalesce(current_setting('tenantscope.moving', true), '') = 'on'
     and session_user = (select pg_get_userbyid(n.nspowner) from pg_namespace n where n.nspname = 'models');
end;
revoke execute on function models.is_moving from public;

-- What is written outside of lanes: it would be written after the rows were copied, and be missing in the other cell. Ingestion compares the version.
create function models.reject_moving_tenant() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if exists (select from models.tenant_move m where m.tenant_id = new.tenant_id) and not models.is_moving() then
    raise object_not_in_prerequisite_state using message = 'the tenant is being moved to another cell, or is in another one: repeat in a minute';
  end if;
  return new;
end $$;
revoke execute on function models.reject_moving_tenant from public;
do $$
declare name text;
begin
  foreach name in array array['compliance_record', 'compliance_snapshot', 'import', 'log_receipt', 'snapshot_request', 'tenant_retention'] loop
    execute format('create trigger reject_moving_tenant before insert or update on models.%I
                      for each row when (session_user <> ''tenantscope_ingest'') execute function models.reject_moving_tenant()', name);
  end loop;
end $$;

-- As before, but not for rows that are copied: their events are in the audit log of the cell that they come from, and their states are copied as well.
create or replace function models.record_statement_state() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if not models.is_moving() then
    insert into models.statement_history (tenant_id, id, version, digest, recorded_at, recorded_by, kind, requirement_key, facts)
    values (new.tenant_id, new.id, new.version, new.digest, new.updated_at, :audit.current_actor(), new.kind, new.requirement_key, new.facts)
    on conflict do nothing;
  end if;
  return null;
end $$;

create or replace function models.audit_statement() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp set timezone = 'UTC' as $$
declare
  before constant jsonb := case when tg_op <> 'INSERT' then models.describe_statement(old) end;
  after  constant jsonb := case when tg_op <> 'DELETE' then models.describe_statement(new) end;
  changed_row constant jsonb := coalesce(after, before);
begin
  if before is distinct from after
     and not models.is_moving()
     and (tg_op <> 'DELETE' or coalesce(current_setting('tenantscope.erasing', true), '') = '') -- an erasure is an event of its own, which must not repeat what it deletes
     and (session_user <> 'tenantscope_ingest' or changed_row ->> 'kind' not in ('sourceStatus', 'policy', 'detector', 'securityScore')) then
    perform :audit.append_admin_event(
      :audit.find_event_chain(tg_table_name, changed_row),
      case tg_op when 'INSERT' then 'created' when 'UPDATE' then 'changed' else 'removed' end,
      tg_table_name, changed_row ->> 'id', before, after);
  end if;
  return null;
end $$;

-- Deletes up to max_rows rows of a tenant that is in another cell, or whose copying to this one was cancelled. True when none is left. Its dead letters
-- stay: they are of topics of this cell.
create function models.erase_moved_tenant(tenant uuid, max_rows integer default 5000) returns boolean
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
       and c.relname not in ('tenant_erasure', 'tenant_move', 'dead_letter', 'dead_letter_count')
     order by c.relname
  loop
    exit when remaining <= 0;
    execute format('delete from %s where ctid = any (array(select ctid from %1$s where tenant_id = $1 limit $2))', target.name) using tenant, remaining;
    get diagnostics deleted = row_count;
    remaining := remaining - deleted;
  end loop;
  return remaining > 0;
end $$;
revoke execute on function models.erase_moved_tenant from public;

-- A partition before the first one, for the history of a tenant that is copied here; sealed where its rows are.
create function models.add_log_partition(from_at timestamptz, to_at timestamptz, is_sealed boolean) returns void
  language plpgsql security definer set search_path = pg_catalog, pg_temp set lock_timeout = '3s' as $$
declare
  partition constant text := 'audit_log_' || to_char(from_at at time zone 'UTC', 'YYYYMMDD');
  raw       constant text := replace(partition, 'audit_log_', 'audit_log_raw_');
  sealed    constant text := replace(partition, 'audit_log_', 'log_sealed_');
begin
  perform pg_advisory_xact_lock(hashtext('tenantscope.maintain_log_partitions'));
  if exists (select from models.audit_log_partition p where p.name = partition) then
    return;
  end if;
  -- As maintain_log_partitions and begin_log_seal create them.
  if is_sealed then
    execute format('create table models.%I (like models.log_sealed including defaults including constraints including storage including indexes)', sealed);
    execute format('alter table models.log_sealed attach partition models.%I for values from (%L) to (%L)', sealed, from_at, to_at);
    execute format('grant select, insert on models.%I to tenantscope_ingest', sealed);
  else
    execute format('create table models.%I (like models.audit_log including defaults including constraints) with (toast_tuple_target = 4080)', partition);
    execute format('create index %I on models.%I (tenant_id, discovered_at, id)', partition || '_page', partition);
    execute format('alter table models.audit_log attach partition models.%I for values from (%L) to (%L)', partition, from_at, to_at);
    execute format('grant select, insert on models.%I to tenantscope_ingest', partition);
  end if;
  execute format('create table models.%I (like models.audit_log_raw including defaults including constraints including storage)', raw);
  execute format('create index %I on models.%I (tenant_id, discovered_at)', raw || '_read', raw);
  execute format('alter table models.audit_log_raw attach partition models.%I for values from (%L) to (%L)', raw, from_at, to_at);
  execute format('grant insert on models.%I to tenantscope_ingest', raw);
  insert into models.audit_log_partition (name, from_at, to_at, sealed_at)
  values (partition, from_at, to_at, case when is_sealed then clock_timestamp() end);
  if is_sealed then -- no partition before this one has rows that are not sealed
    update models.retention r set sealed_before = greatest(r.sealed_before, add_log_partition.to_at) where r.feed = 'logs';
  end if;
end $$;
revoke execute on function models.add_log_partition from public;

-- The owner copies the rows of these tables too; of the others that tenants have rows in, it has a policy already.
do $$
declare name text;
begin
  foreach name in array array['audit_log', 'audit_log_raw', 'log_identity', 'log_read'] loop
    if not exists (select from pg_policy p where p.polrelid = ('models.' || name)::regclass and p.polname = 'owner') then
      execute format('create policy owner on models.%I to %I using (true)', name, current_user);
    end if;
  end loop;
end $$;
