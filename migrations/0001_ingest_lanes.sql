-- schemas: control, models
--
-- Lanes of ingestion: what every Kafka batch moves in the same transaction as its rows. Control tables and read models may be in different
-- databases, and a batch is one transaction, so each schema has its own lanes.

-- A lane is one topic-partition. Its row is the lock, the offset, the stamp and the watermark of everything this partition writes.
create table :schema.ingest_lane (
  cluster_id          text           not null,
  cluster             text           not null default 'main', -- the configured name by which the cluster was last reached
  topic_id            uuid           not null, -- a recreated topic is a new lane
  partition           integer        not null,
  topic               text           not null,
  source              text           not null, -- the topic's name without its prefix
  next_offset         bigint         not null default 0,
  previous_settled_at timestamptz(3) not null default 'epoch',
  settled_at          timestamptz(3) not null, -- this lane writes no more rows at or before this time
  written_at          timestamptz(3),
  opened              boolean        not null default false,
  state               text           not null default 'running' check (state in ('running', 'stopped', 'tripped')),
  reason              text,
  unbound_at          timestamptz(3), -- the source binding of its topic was removed: it is not read, and still ticks
  primary key (cluster_id, topic_id, partition) -- every batch and every tick
) with (fillfactor = 20); -- every tick stays a HOT update

-- A promoted standby has a new timeline and needs a new epoch. Until the epoch is open, ticks change nothing.
create table :schema.ingest_epoch (
  timeline  text primary key,
  opened_at timestamptz(3) not null default clock_timestamp()
);

create function :schema.current_timeline() returns text
  language sql volatile
  return substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8);

-- The first writer after a promotion moves every lane past everything the lost primary can have served. Clocks may differ by less than 5 s.
-- Returns whether this call opened the epoch.
create function :schema.open_epoch() returns boolean
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  opened boolean;
begin
  if exists (select from :schema.ingest_epoch where timeline = :schema.current_timeline()) then
    return false;
  end if;
  lock table :schema.ingest_epoch in share row exclusive mode;
  if exists (select from :schema.ingest_epoch) then
    update :schema.ingest_lane
       set settled_at = greatest(settled_at, date_trunc('milliseconds', clock_timestamp()) + interval '5 s');
  end if;
  insert into :schema.ingest_epoch (timeline) values (:schema.current_timeline()) on conflict do nothing;
  get diagnostics opened = row_count;
  return opened;
end $$;

-- What an operator does with a lane: resume it, skip records. What ingestion does is not: it moves lanes and stops them all the time.
create trigger audit_row_change after update of state, reason, next_offset on :schema.ingest_lane for each row
  when (session_user <> 'tenantscope_ingest' and (old.state, old.reason, old.next_offset) is distinct from (new.state, new.reason, new.next_offset))
  execute function :audit.audit_row_change('previous_settled_at', 'settled_at', 'written_at', 'opened');
create trigger audit_row_delete after delete on :schema.ingest_lane
  for each row execute function :audit.audit_row_change('previous_settled_at', 'settled_at', 'written_at', 'opened');

grant usage on schema :schema to tenantscope_ingest, tenantscope_admin, tenantscope_console;
grant select, insert, update on :schema.ingest_lane to tenantscope_ingest;
grant select on :schema.ingest_lane to tenantscope_admin, tenantscope_console;
grant update (state, reason) on :schema.ingest_lane to tenantscope_admin;
grant select on :schema.ingest_epoch to tenantscope_ingest, tenantscope_admin;
revoke execute on function :schema.open_epoch() from public;
grant execute on function :schema.open_epoch() to tenantscope_ingest;
