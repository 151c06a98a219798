-- schemas: control, models
--
-- One row moves all idle lanes to the clock. A tick that updated every lane wrote about 170 bytes of WAL for each of them, ten times a second while
-- anything was written.

-- Every lane that is open writes no more rows at or before settled_at, except those that a batch had locked at the tick: they write none at or before
-- the time at which they were settled then.
create table :schema.lane_clock (
  settled_at timestamptz(3)   not null default 'epoch',
  locked_lanes bigint[]         not null default '{}', -- keys of lanes that a batch had locked
  locked_settled_at    timestamptz(3)[] not null default '{}', -- the settled_at of the last tick at which each was free
  is_only    boolean          not null default true unique check (is_only)
) with (fillfactor = 10, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000); -- every tick is a HOT update
insert into :schema.lane_clock default values;

-- The key of a lane's advisory lock. A batch and a tick exclude each other by it: the row lock of the batch cannot be tried without writing WAL.
create function :schema.lane_key(cluster_id text, topic_id uuid, partition integer) returns bigint
  language sql immutable parallel safe
  return hashtextextended('tenantscope.:schema.ingest_lane/' || cluster_id || '/' || topic_id || '/' || partition, 0);

-- How far each lane is settled: what the watermark is the minimum of. A lane that is not open yet is not moved by the clock.
create view :schema.lane_watermark with (security_invoker = true) as
select lane.cluster_id, lane.topic_id, lane.partition, lane.source,
       case when lane.opened
            then greatest(lane.settled_at, coalesce(clock.locked_settled_at[array_position(clock.locked_lanes, :schema.lane_key(lane.cluster_id, lane.topic_id, lane.partition))],
                                                    clock.settled_at))
            else lane.settled_at end::timestamptz(3) as settled_at
  from :schema.ingest_lane lane cross join :schema.lane_clock clock;

-- Above this no lane is settled.
create function :schema.last_settled() returns timestamptz
  language sql stable
begin atomic
  select greatest((select max(lane.settled_at) from :schema.ingest_lane lane), (select clock.settled_at from :schema.lane_clock clock));
end;

-- Stamps every batch: above all that its lane has settled, also by the clock. The row is locked already; with the advisory lock no tick
-- moves the lane until the batch ends, and ticks that ended before are visible to the next statement.
create function :schema.stamp_lane() returns trigger
  language plpgsql as $$
begin
  if current_setting('transaction_isolation') <> 'read committed' then
    raise feature_not_supported using message = 'lanes are moved in transactions with isolation level READ COMMITTED only: others do not see the last tick';
  end if;
  perform pg_advisory_xact_lock(:schema.lane_key(old.cluster_id, old.topic_id, old.partition));
  new.previous_settled_at := greatest(old.settled_at, (select clock.settled_at from :schema.lane_clock clock));
  new.settled_at := greatest(date_trunc('milliseconds', clock_timestamp()), new.previous_settled_at + interval '1 ms');
  return new;
end $$;
create trigger stamp_lane before update of next_offset on :schema.ingest_lane
  for each row execute function :schema.stamp_lane();

-- Ticks and openings of lanes exclude each other, so that a tick knows every open lane.
create function :schema.lock_lane_clock() returns void
  language sql volatile
  return pg_advisory_xact_lock(hashtext('tenantscope.:schema.lane_clock'));

-- Moves the clock of idle lanes, unless another process does or the server has no open epoch. A lane whose opening process died half-way is opened, since it
-- would hold back the watermark forever. Returns whether a lane was written within the last minute.
create function :schema.tick_lanes() returns boolean
  language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  before    :schema.lane_clock;
  busy      bigint[];
begin
  if pg_try_advisory_xact_lock(hashtext('tenantscope.:schema.lane_clock'))
     and exists (select from :schema.ingest_epoch where timeline = :schema.current_timeline() and closed_at is null) then
    -- After the lock: the tick before this one is visible.
    select * into before from :schema.lane_clock;
    select coalesce(array_agg(key), '{}') into busy
      from (select :schema.lane_key(cluster_id, topic_id, partition) as key from :schema.ingest_lane) lane
     where not pg_try_advisory_xact_lock(key);
    update :schema.lane_clock
       set settled_at = greatest(settled_at, date_trunc('milliseconds', clock_timestamp())),
           locked_lanes = busy,
           locked_settled_at = array(select coalesce(before.locked_settled_at[array_position(before.locked_lanes, key)], before.settled_at)
                             from unnest(busy) with ordinality locked (key, place) order by place);
    update :schema.ingest_lane
       set opened = true, settled_at = greatest(settled_at, :schema.last_settled())
     where (cluster_id, topic_id, partition) in (select cluster_id, topic_id, partition from :schema.ingest_lane where not opened for update skip locked);
  end if;
  return exists (select from :schema.ingest_lane where written_at > clock_timestamp() - interval '1 minute');
end $$;

-- As before, with the clock: a database whose lanes have not been settled for a quarter of an hour is taken for a restored one.
create or replace function :schema.open_epoch() returns boolean
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if exists (select from :schema.ingest_epoch where timeline = :schema.read_timeline()) then
    return false;
  end if;
  lock table :schema.ingest_epoch in share row exclusive mode;
  if exists (select from :schema.ingest_epoch where timeline = :schema.read_timeline())
     or exists (select from :schema.ingest_epoch)
        and (select max(settled_at) from :schema.lane_watermark) < clock_timestamp() - interval '15 minutes' then
    return false;
  end if;
  perform :schema.begin_epoch();
  return true;
end $$;

-- As before, with the clock.
create or replace view :schema.lane_status with (security_invoker = true) as
select lane.cluster_id, lane.topic_id, lane.partition, lane.cluster, lane.topic, lane.source, lane.next_offset, watermark.settled_at, lane.written_at,
       case when lane.unbound_at is not null then 'unbound'
            when lane.state <> 'running' then lane.state
            when stalled_since is not null then 'stalled'
            when least(watermark.settled_at, facts.unread_since) < now - interval '10 s' then 'late'
            else 'running' end as state,
       lane.reason,
       case when lane.state <> 'running' or lane.unbound_at is not null or stalled_since is null then null
            when facts.unmoved_since is null and facts.unmeasured_since is null then 'watermark'
            when facts.unmoved_since is null then 'not measured'
            when reader.observed_at > now - interval '20 s' then 'no progress'
            else 'no consumer' end as stall,
       case when lane.state = 'running' and lane.unbound_at is null then stalled_since end as stalled_since,
       reader.worker, reader.assigned_at, reader.observed_at, log.measured_at, log.end_offset, facts.unread_since,
       case when lane.unbound_at is not null or log.unread_offset is null then 0 else greatest(0, log.end_offset - greatest(lane.next_offset, log.unread_offset)) end as unread_count
  from :schema.ingest_lane lane
  join :schema.lane_watermark watermark using (cluster_id, topic_id, partition)
  left join :schema.lane_log log using (cluster_id, topic_id, partition)
  left join :schema.lane_reader reader using (cluster_id, topic_id, partition)
 cross join lateral (select clock_timestamp() as now) as clock
 cross join lateral (
   select case when lane.unbound_at is null and lane.next_offset <= log.unread_offset then log.unread_since end as unread_since,
          case when lane.next_offset = log.position and log.unmoved_since < now - interval '20 s' then log.unmoved_since end as unmoved_since,
          case when log.measured_at < now - interval '20 s' then log.measured_at end as unmeasured_since,
          case when watermark.settled_at < now - interval '20 s' then watermark.settled_at end as unsettled_since) as facts
 cross join lateral (select least(facts.unmoved_since, facts.unmeasured_since, facts.unsettled_since) as stalled_since) as judged;

revoke execute on function :schema.lock_lane_clock, :schema.tick_lanes, :schema.stamp_lane, :schema.last_settled, :schema.lane_key from public;
grant execute on function :schema.lock_lane_clock, :schema.tick_lanes, :schema.last_settled to tenantscope_ingest;
grant execute on function :schema.lane_key to tenantscope_ingest, tenantscope_jobs, tenantscope_admin, tenantscope_console;
grant select, update on :schema.lane_clock to tenantscope_ingest;
grant select on :schema.lane_clock, :schema.lane_watermark to tenantscope_jobs, tenantscope_admin, tenantscope_console;
grant select on :schema.lane_watermark to tenantscope_ingest;
