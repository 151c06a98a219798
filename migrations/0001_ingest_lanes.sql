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

-- A server that was promoted or restored has another timeline, a copy of it elsewhere another system identifier: both need a new epoch. Until it is
-- open, nothing is ticked, written or served. Ingestion opens it after a promotion, "tenantscope restore finish" after a restore.
create table :schema.ingest_epoch (
  timeline  text primary key, -- system identifier, slash, timeline
  opened_at timestamptz(3) not null default clock_timestamp(),
  closed_at timestamptz(3) -- the ledger has entries that this database lacks: it was restored
);

create function :schema.read_timeline() returns text
  language sql volatile
  return (select system_identifier || '/' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) from pg_control_system());

-- The same, read once per connection: a primary keeps its timeline until it ends, and its connections with it. A login that sets the variable itself
-- evades checks of its own connection alone; what opens and closes epochs reads the server.
create function :schema.current_timeline() returns text
  language plpgsql volatile as $$
declare
  cached constant text := current_setting('tenantscope.timeline', true);
begin
  if cached <> '' then
    return cached;
  end if;
  return set_config('tenantscope.timeline', :schema.read_timeline(), false);
end $$;

-- Begins an epoch: every lane moves past everything that the lost primary can have served. Clocks may differ by less than 5 s.
create function :schema.begin_epoch() returns void
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  lock table :schema.ingest_epoch in share row exclusive mode;
  if exists (select from :schema.ingest_epoch) then
    update :schema.ingest_lane
       set settled_at = greatest(settled_at, date_trunc('milliseconds', clock_timestamp()) + interval '5 s');
  end if;
  insert into :schema.ingest_epoch as e (timeline) values (:schema.read_timeline())
  on conflict (timeline) do update set opened_at = clock_timestamp(), closed_at = null where e.closed_at is not null;
end $$;

-- The first writer after a promotion, which has compared the ledger. A standby was settled until the primary ended; a database whose lanes have not
-- been settled for a quarter of an hour is taken for a restored one. Returns whether this call opened the epoch.
create function :schema.open_epoch() returns boolean
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if exists (select from :schema.ingest_epoch where timeline = :schema.read_timeline()) then
    return false;
  end if;
  lock table :schema.ingest_epoch in share row exclusive mode;
  if exists (select from :schema.ingest_epoch where timeline = :schema.read_timeline())
     or exists (select from :schema.ingest_epoch)
        and (select max(settled_at) from :schema.ingest_lane) < clock_timestamp() - interval '15 minutes' then
    return false;
  end if;
  perform :schema.begin_epoch();
  return true;
end $$;

-- Ends the epoch of a database that lacks entries of the ledger.
create function :schema.close_epoch() returns void
  language sql security definer set search_path = pg_catalog, pg_temp
begin atomic
  insert into :schema.ingest_epoch (timeline, closed_at) values (:schema.read_timeline(), clock_timestamp())
  on conflict (timeline) do update set closed_at = clock_timestamp();
end;

-- Whether this server may serve and be written to. A new database has no epoch yet; a standby follows its primary.
create function :schema.has_open_epoch() returns boolean
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
begin
  return pg_is_in_recovery()
      or exists (select from :schema.ingest_epoch where timeline = :schema.current_timeline() and closed_at is null)
      or not exists (select from :schema.ingest_epoch);
end $$;

-- True, or an error.
create function :schema.require_open_epoch() returns boolean
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
begin
  if not :schema.has_open_epoch() then
    raise cannot_connect_now using message =
      'the server was promoted or restored: after a promotion ingestion opens its epoch, after a restore run "tenantscope restore finish"';
  end if;
  return true;
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
revoke execute on function :schema.begin_epoch, :schema.open_epoch, :schema.close_epoch, :schema.has_open_epoch, :schema.require_open_epoch from public;
grant execute on function :schema.open_epoch, :schema.close_epoch to tenantscope_ingest;
grant execute on function :schema.has_open_epoch, :schema.require_open_epoch to tenantscope_api, tenantscope_keys, tenantscope_ingest, tenantscope_admin,
  tenantscope_console, tenantscope_jobs, tenantscope_collect;
