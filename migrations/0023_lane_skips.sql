-- schemas: control
--
-- Operators' requests to skip records of a lane that cannot continue. The CLI writes a request; ingestion, which has Kafka and the decoder,
-- keeps what can be kept as dead letters and moves the lane.

create table control.lane_skip (
  id           uuid           primary key default gen_random_uuid(),
  cluster_id   text           not null,
  topic_id     uuid           not null,
  partition    integer        not null,
  topic        text           not null,
  from_offset  bigint         not null, -- where the lane was when an operator confirmed the range
  to_offset    bigint         not null, -- the first offset that is read again
  reason       text           not null check (length(reason) between 1 and 1000),
  requested_at timestamptz(3) not null default clock_timestamp(),
  completed_at timestamptz(3),
  refusal      text,   -- why ingestion did not execute it; null where it did
  record_count bigint, -- records that were kept as dead letters
  batch_count  bigint, -- batches that cannot be decoded and were kept as dead letters
  check (from_offset >= 0 and to_offset > from_offset)
);
-- one request at a time for each lane; ingestion, every five seconds
create unique index on control.lane_skip (cluster_id, topic_id, partition) where completed_at is null;

create trigger audit_row_change after insert or update on control.lane_skip for each row execute function control.audit_row_change();

grant select on control.lane_skip to tenantscope_admin, tenantscope_ingest;
grant insert (cluster_id, topic_id, partition, topic, from_offset, to_offset, reason) on control.lane_skip to tenantscope_admin;
grant update (completed_at, refusal, record_count, batch_count) on control.lane_skip to tenantscope_ingest;
