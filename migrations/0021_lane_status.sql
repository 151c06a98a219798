-- schemas: control, models
--
-- What each lane does, from facts: where its log ends in Kafka against its position over time. Nothing here belongs to a tenant, so these tables
-- have no row-level security. They are written outside the transactions of batches.

-- The process that reads each lane, as it reported every five seconds.
create table :schema.lane_reader (
  cluster_id  text           not null,
  topic_id    uuid           not null,
  partition   integer        not null,
  worker      text           not null, -- host/process
  assigned_at timestamptz(3) not null, -- by the consumer group
  observed_at timestamptz(3) not null,
  primary key (cluster_id, topic_id, partition)
) with (fillfactor = 50); -- every report stays a HOT update

-- Where each lane's log ends, measured every five seconds by any ingest or jobs process: the process that reads the lane may hang.
create table :schema.lane_log (
  cluster_id    text           not null,
  topic_id      uuid           not null,
  partition     integer        not null,
  measured_at   timestamptz(3) not null,
  end_offset    bigint         not null, -- the end of the log
  position      bigint         not null, -- the lane's next_offset at measured_at
  unread_offset bigint, -- the first record at or after position; null: none, or markers and aborted records only
  unread_since  timestamptz(3), -- the time of that record
  unmoved_since timestamptz(3), -- the first measurement at this position with an unread record
  primary key (cluster_id, topic_id, partition)
) with (fillfactor = 50);

-- The state of every lane, for the command line, the console, readiness and metrics alike:
--   stopped, tripped  the stored state: ingestion paused the lane
--   stalled           for 20 s the position has not moved past an unread record, or the log was not measured, or nothing moved the watermark
--   unbound           the source binding of its topic was removed: it is not read, and nothing of it counts as unread
--   late              the watermark, or the oldest unread record, is 10 s old
-- A measurement every 5 s and 20 s without movement find a stall within 30 s. The session timeout of the consumer group is 10 s: a restart is none.
create view :schema.lane_status with (security_invoker = true) as
select lane.cluster_id, lane.topic_id, lane.partition, lane.cluster, lane.topic, lane.source, lane.next_offset, lane.settled_at, lane.written_at,
       case when lane.unbound_at is not null then 'unbound'
            when lane.state <> 'running' then lane.state
            when stalled_since is not null then 'stalled'
            when least(lane.settled_at, facts.unread_since) < now - interval '10 s' then 'late'
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
  left join :schema.lane_log log using (cluster_id, topic_id, partition)
  left join :schema.lane_reader reader using (cluster_id, topic_id, partition)
 cross join lateral (select clock_timestamp() as now) as clock
 cross join lateral (
   select case when lane.unbound_at is null and lane.next_offset <= log.unread_offset then log.unread_since end as unread_since,
          case when lane.next_offset = log.position and log.unmoved_since < now - interval '20 s' then log.unmoved_since end as unmoved_since,
          case when log.measured_at < now - interval '20 s' then log.measured_at end as unmeasured_since,
          case when lane.settled_at < now - interval '20 s' then lane.settled_at end as unsettled_since) as facts
 cross join lateral (select least(facts.unmoved_since, facts.unmeasured_since, facts.unsettled_since) as stalled_since) as judged;

grant select, insert, update on :schema.lane_reader, :schema.lane_log to tenantscope_ingest;
grant select on :schema.lane_reader to tenantscope_jobs, tenantscope_admin, tenantscope_console;
grant select, insert, update on :schema.lane_log to tenantscope_jobs;
grant select on :schema.lane_log to tenantscope_admin, tenantscope_console;
grant select on :schema.ingest_lane to tenantscope_jobs;
grant select on :schema.lane_status to tenantscope_ingest, tenantscope_jobs, tenantscope_admin, tenantscope_console;
