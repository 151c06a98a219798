-- schemas: control, models
--
-- Stamps are ahead of the clock after a promotion, after a move of a tenant from a cell whose clock is ahead, and where the clock of the server was set
-- back. Until the clock had caught up, rows of a lane were behind no watermark: the other lanes stood at the clock, or at the last tick before.

-- As before; the clock of idle lanes is never behind the last stamp of a lane.
create or replace function :schema.tick_lanes() returns boolean
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
    -- After the locks of the lanes: what they have stamped is visible.
    update :schema.lane_clock
       set settled_at = greatest(date_trunc('milliseconds', clock_timestamp()), :schema.last_settled()),
           locked_lanes = busy,
           locked_settled_at = array(select coalesce(before.locked_settled_at[array_position(before.locked_lanes, key)], before.settled_at)
                             from unnest(busy) with ordinality locked (key, place) order by place);
    update :schema.ingest_lane
       set opened = true, settled_at = greatest(settled_at, :schema.last_settled())
     where (cluster_id, topic_id, partition) in (select cluster_id, topic_id, partition from :schema.ingest_lane where not opened for update skip locked);
  end if;
  return exists (select from :schema.ingest_lane where written_at > clock_timestamp() - interval '1 minute');
end $$;

-- As before, and past what was settled: where stamps are ahead of the clock, the lost primary may have served later ones than this server has.
create or replace function :schema.begin_epoch() returns void
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  lock table :schema.ingest_epoch in share row exclusive mode;
  if exists (select from :schema.ingest_epoch) then
    update :schema.ingest_lane
       set settled_at = greatest(date_trunc('milliseconds', clock_timestamp()), :schema.last_settled()) + interval '5 s';
  end if;
  insert into :schema.ingest_epoch as e (timeline) values (:schema.read_timeline())
  on conflict (timeline) do update set opened_at = clock_timestamp(), closed_at = null where e.closed_at is not null;
end $$;
