-- schemas: models
--
-- Log rows that rules and evidence read one by one: interactions with AI, life cycles of agents, consents, privileged roles, external
-- forwarding. Written with the log row, once, and deleted after its partition was dropped.

create table models.log_fact (
  tenant_id     uuid             not null,
  log_id        uuid             not null,
  kind          text collate "C" not null check (kind in ('aiInteraction', 'agentLifecycle', 'consent', 'privilegedRole', 'externalForwarding')),
  occurred_at   timestamptz(3)   not null,
  discovered_at timestamptz(3)   not null,
  agent_id      text collate "C",
  actor_id      text collate "C",
  facts         jsonb            not null,
  primary key (tenant_id, log_id, kind) -- every write
);
-- the facts of one kind in a period
create index log_fact_occurred on models.log_fact (tenant_id, kind, occurred_at, log_id);
-- delete_expired_log_facts
create index log_fact_discovered on models.log_fact (discovered_at);
-- interactions with AI that were flagged: few of many
create index log_fact_threat on models.log_fact (tenant_id, occurred_at, log_id)
  where kind = 'aiInteraction' and jsonb_path_exists(facts, '$.threats[0]');
select models.enable_tenant_isolation('models.log_fact');

-- Deletes a limited number, so that the caller, once a minute, never waits for it. Returns how many were deleted.
create function models.delete_expired_log_facts(max_rows integer default 20000) returns integer
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  deleted integer;
begin
  delete from models.log_fact
   where ctid in (select ctid from models.log_fact
                   where discovered_at < (select dropped_before from models.retention where feed = 'logs')
                   limit max_rows for update skip locked);
  get diagnostics deleted = row_count;
  return deleted;
end $$;
revoke execute on function models.delete_expired_log_facts from public;
grant execute on function models.delete_expired_log_facts to tenantscope_ingest;
