-- schemas: models
--
-- What evidence reads of each interaction with AI, in a narrow row. A pack of 183 days read the facts of every interaction four times, about 1 kB each, and parsed the list of what it
-- opened: 11 s of processor time for a million interactions. Written by a trigger with the facts, so that whatever writes those, an older process or a copy of the tenant, writes this
-- row too; deleted by another one.
create table models.interaction_fact (
  tenant_id     uuid           not null,
  occurred_at   timestamptz(3) not null,
  log_id        uuid           not null,
  discovered_at timestamptz(3) not null,
  agent_id      text           collate "C",
  actor_id      text           collate "C",
  agent_name    text           collate "C",
  actor_type    text           collate "C",
  is_external   boolean,
  action        text           collate "C",
  client_id     text           collate "C",
  opened        uuid[]         not null, -- digests of the names of what was opened, each once; those of `models.file_exposure`
  labeled       uuid[]         not null, -- those of them that had a sensitivity label
  primary key (tenant_id, occurred_at, log_id)
);
alter table models.interaction_fact enable row level security;
alter table models.interaction_fact force row level security;
create policy owner on models.interaction_fact to current_user using (true);
create policy tenant_isolation on models.interaction_fact for select to tenantscope_api, tenantscope_jobs
  using (tenant_id = current_setting('tenantscope.tenant')::uuid);
grant select on models.interaction_fact to tenantscope_api, tenantscope_jobs;

-- Half of the SHA-256 of a name in lower case.
create function models.digest_name(name text) returns uuid
  language sql stable
begin atomic
  select encode(substring(sha256(convert_to(models.lower_case(name), 'UTF8')) for 16), 'hex')::uuid;
end;
revoke execute on function models.digest_name from public;

-- What the facts of an interaction have for its row. A fact of another type than it should have counts as not reported.
create function models.read_interaction(facts jsonb)
  returns table (agent_name text, actor_type text, is_external boolean, action text, client_id text, opened uuid[], labeled uuid[])
  language sql stable
begin atomic
  select facts ->> 'agentName', facts ->> 'actorType', facts -> 'isExternal' = 'true', facts ->> 'action', facts ->> 'clientId',
         array(select distinct models.digest_name(coalesce(one ->> 'id', one ->> 'name')) from jsonb_array_elements(list.resources) one
                where coalesce(one ->> 'id', one ->> 'name') is not null order by 1),
         array(select distinct models.digest_name(coalesce(one ->> 'id', one ->> 'name')) from jsonb_array_elements(list.resources) one
                where coalesce(one ->> 'id', one ->> 'name') is not null and one ->> 'labelId' is not null order by 1)
    from (select case when jsonb_typeof(facts -> 'resources') = 'array' then facts -> 'resources' else '[]' end as resources) list;
end;
revoke execute on function models.read_interaction from public;
-- For the view below.
grant execute on function models.digest_name, models.read_interaction to tenantscope_api, tenantscope_jobs;

create function models.write_inserted_interaction_facts() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  insert into models.interaction_fact (tenant_id, occurred_at, log_id, discovered_at, agent_id, actor_id, agent_name, actor_type, is_external, action, client_id, opened, labeled)
  select c.tenant_id, c.occurred_at, c.log_id, c.discovered_at, c.agent_id, c.actor_id, i.*
    from changed c cross join lateral models.read_interaction(c.facts) i
   where c.kind = 'aiInteraction'
  on conflict do nothing;
  return null;
end $$;
revoke execute on function models.write_inserted_interaction_facts from public;

-- Its plan is used for deletions of one row and of 20,000: by the primary key.
create function models.delete_interaction_facts() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  delete from models.interaction_fact f using changed c
   where c.kind = 'aiInteraction' and f.tenant_id = c.tenant_id and f.occurred_at = c.occurred_at and f.log_id = c.log_id;
  return null;
end $$;
revoke execute on function models.delete_interaction_facts from public;

create trigger write_inserted_interaction_facts after insert on models.log_fact referencing new table as changed
  for each statement execute function models.write_inserted_interaction_facts();
create trigger delete_interaction_facts after delete on models.log_fact referencing old table as changed
  for each statement execute function models.delete_interaction_facts();

-- Older interactions are added by ingest processes, in the order of tenants and times. `next_key` is the position: those through it are done.
insert into models.log_tally_backfill (tally, until_at, next_at, next_key)
select 'interaction_fact', clock_timestamp(), clock_timestamp(), '00000000-0000-0000-0000-000000000000/-infinity/00000000-0000-0000-0000-000000000000'
 where exists (select from models.log_fact where kind = 'aiInteraction');

-- One step of it; facts are locked, so that they are not deleted before their row is there. Returns false when no step is left, or another process is at it.
create function models.backfill_interaction_facts(max_rows integer default 2000) returns boolean
  language plpgsql security definer set search_path = pg_catalog, pg_temp set timezone = 'UTC' set datestyle = 'ISO' as $$
declare
  position_key text;
  of_tenant    uuid;
  after_at     timestamptz;
  after_id     uuid;
  reached      text;
begin
  select b.next_key into position_key from models.log_tally_backfill b where b.tally = 'interaction_fact' and b.next_at is not null for update skip locked;
  if position_key is null then
    return false;
  end if;
  of_tenant := split_part(position_key, '/', 1)::uuid;
  after_at := split_part(position_key, '/', 2)::timestamptz;
  after_id := split_part(position_key, '/', 3)::uuid;
  with locked as materialized (
    select l.* from models.log_fact l
     where l.tenant_id = of_tenant and l.kind = 'aiInteraction' and (l.occurred_at, l.log_id) > (after_at, after_id)
     order by l.occurred_at, l.log_id limit max_rows for share
  ), written as (
    insert into models.interaction_fact (tenant_id, occurred_at, log_id, discovered_at, agent_id, actor_id, agent_name, actor_type, is_external, action, client_id, opened, labeled)
    select l.tenant_id, l.occurred_at, l.log_id, l.discovered_at, l.agent_id, l.actor_id, i.*
      from locked l cross join lateral models.read_interaction(l.facts) i
    on conflict do nothing
  )
  select of_tenant || '/' || l.occurred_at || '/' || l.log_id into reached from locked l order by l.occurred_at desc, l.log_id desc limit 1;
  if reached is null then
    select l.tenant_id || '/-infinity/00000000-0000-0000-0000-000000000000' into reached
      from models.log_fact l where l.tenant_id > of_tenant order by l.tenant_id limit 1;
  end if;
  update models.log_tally_backfill b set next_key = reached, next_at = case when reached is not null then b.next_at end
   where b.tally = 'interaction_fact';
  return true;
end $$;
revoke execute on function models.backfill_interaction_facts from public;
grant execute on function models.backfill_interaction_facts to tenantscope_ingest;

-- What evidence reads until the last step of the backfill.
create view models.derived_interaction with (security_invoker = true) as
select l.tenant_id, l.occurred_at, l.log_id, l.discovered_at, l.agent_id, l.actor_id, i.*
  from models.log_fact l cross join lateral models.read_interaction(l.facts) i
 where l.kind = 'aiInteraction';
grant select on models.derived_interaction to tenantscope_api, tenantscope_jobs;
