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

-- What rules count over the log, counted when its rows are written: see packages/store/src/ingest/log-tallies.ts for what each tally counts. A
-- row of each lane's partition, so that lanes never wait for each other; readers sum them.
create table models.log_tally (
  tenant_id uuid             not null,
  tally     text collate "C" not null,
  at        timestamptz(3)   not null, -- begin of the period; of events ahead of our clock, the event
  subject   text collate "C" not null, -- of the key, empty for null
  object    text collate "C" not null,
  flags     text collate "C" not null,
  shard     smallint         not null, -- partition of the lane; -1 for what was counted later
  events    integer          not null,
  first_at  timestamptz(3)   not null,
  last_at   timestamptz(3)   not null,
  primary key (tenant_id, tally, at, subject, object, flags, shard) -- the periods of one tally, and every write
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
-- delete_expired_log_tallies
create index log_tally_age on models.log_tally (tally, at);
select models.enable_tenant_isolation('models.log_tally');

-- How far a tally that was added later has been counted in the rows that existed then. A tally without a row here is complete.
create table models.log_tally_backfill (
  tally    text           primary key,
  until_at timestamptz(3) not null, -- rows with a later stamp are counted by their writers
  next_at  timestamptz(3)           -- where the next step begins; null when complete
);
grant select, update on models.log_tally_backfill to tenantscope_ingest;
grant select on models.log_tally_backfill to tenantscope_api, tenantscope_jobs, tenantscope_admin;

-- Called by the migration that adds a tally, before processes that write it start. Waits for batches that are being written and moves all lanes to
-- one time, so that every row before it exists and no later row has an earlier stamp.
create function models.begin_log_tally_backfill(name text) returns timestamptz
  language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  until_at timestamptz(3);
begin
  perform from models.ingest_lane order by cluster_id, topic_id, partition for update;
  until_at := greatest((select max(settled_at) from models.ingest_lane), date_trunc('milliseconds', clock_timestamp()));
  update models.ingest_lane set settled_at = until_at;
  insert into models.log_tally_backfill values (name, until_at, (select min(from_at) from models.audit_log_partition));
  return until_at;
end $$;
revoke execute on function models.begin_log_tally_backfill from public;

-- As delete_expired_log_facts does; and tallies that no rule reads any more, days after the longest period in which one does.
create function models.delete_expired_log_tallies(max_rows integer default 20000) returns integer
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  now_at         constant timestamptz := (select max(l.settled_at) from models.ingest_lane l);
  dropped_before constant timestamptz := (select r.dropped_before from models.retention r where r.feed = 'logs');
  rule           record;
  expired        integer := 0;
  deleted        integer;
begin
  for rule in
    select t.tally, greatest(dropped_before, now_at - t.readable) as before_at
      from (values ('activity', interval '33 days'), ('actor', interval '33 days'), ('application', interval '93 days'), ('arrival', null),
                   ('interaction', interval '93 days'), ('lag', interval '10 days')) t (tally, readable)
  loop
    delete from models.log_tally
     where ctid in (select ctid from models.log_tally where tally = rule.tally and at < rule.before_at limit max_rows - expired for update skip locked);
    get diagnostics deleted = row_count;
    expired := expired + deleted;
  end loop;
  return expired;
end $$;
revoke execute on function models.delete_expired_log_tallies from public;
grant execute on function models.delete_expired_log_tallies to tenantscope_ingest;
