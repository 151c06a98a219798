-- schemas: models
--
-- Sealed rows are copied into their partition: of the parent table row-level security would not allow COPY.

-- As before, with the privileges on the partition.
create or replace function models.begin_log_seal(through_at timestamptz) returns table (name text, from_at timestamptz, to_at timestamptz)
  language plpgsql security definer set search_path = pg_catalog, pg_temp set lock_timeout = '500ms' as $$
declare
  due    record;
  sealed text;
begin
  select * into due from models.next_log_seal(through_at);
  sealed := replace(due.name, 'audit_log_', 'log_sealed_');
  if to_regclass('models.' || sealed) is null and due.name is not null then
    perform pg_advisory_xact_lock(hashtext('tenantscope.begin_log_seal'));
    if to_regclass('models.' || sealed) is null then
      execute format('create table models.%I (like models.log_sealed including defaults including constraints including storage including indexes)', sealed);
      execute format('alter table models.log_sealed attach partition models.%I for values from (%L) to (%L)', sealed, due.from_at, due.to_at);
      execute format('grant select, insert on models.%I to tenantscope_ingest', sealed);
    end if;
  end if;
  return query select due.name, due.from_at, due.to_at where due.name is not null;
end $$;

do $$
declare sealed regclass;
begin
  for sealed in select inhrelid::regclass from pg_inherits where inhparent = 'models.log_sealed'::regclass loop
    execute format('grant select, insert on %s to tenantscope_ingest', sealed);
  end loop;
end $$;
