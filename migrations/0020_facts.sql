-- schemas: models
--
-- Facts of log rows go when their rows went, and entities that were known before there were facts have some.

-- The owner is walled like everybody else.
create policy owner on models.log_fact to current_user using (true);

-- Few at a time: whoever calls it each minute never waits for it. Returns how many went.
create function models.drop_log_facts(at_most integer default 20000) returns integer
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  gone integer;
begin
  delete from models.log_fact
   where ctid in (select ctid from models.log_fact
                   where discovered_at < (select dropped_before from models.retention where feed = 'logs')
                   limit at_most for update skip locked);
  get diagnostics gone = row_count;
  return gone;
end $$;
revoke execute on function models.drop_log_facts from public;
grant execute on function models.drop_log_facts to tenantscope_ingest;

-- What entities serve, until their next change brings the rest. For its own tables the owner lifts the wall while it looks.
do $$
declare
  kind text;
  name text;
begin
  alter table models.entity_fact no force row level security;
  for kind, name in values
    ('user', 'entity_user'), ('agent', 'entity_agent'), ('file', 'entity_file'), ('group', 'entity_group'), ('site', 'entity_site'),
    ('app', 'entity_app'), ('device', 'entity_device'), ('email', 'entity_email'), ('license', 'entity_license'),
    ('sensitiveInfoType', 'entity_sensitive_info_type')
  loop
    execute format('alter table models.%I no force row level security', name);
    execute format(
      'insert into models.entity_fact
       select tenant_id, %L, id, is_deleted, updated_at, jsonb_strip_nulls(detail::jsonb - array[''id'', ''updatedAt'', ''version'', ''changeId'', ''instructions''])
         from models.%I on conflict do nothing', kind, name);
    execute format('alter table models.%I force row level security', name);
  end loop;
  alter table models.entity_fact force row level security;
end $$;
