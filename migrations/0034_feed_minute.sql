-- schemas: models
--
-- How far behind feeds were, minute by minute, and who reads which lane. Ingestion writes both beside its work, never in the transaction of a batch;
-- a minute without a row is one in which no ingestion ran. Nothing here is of a tenant, so there is no wall: the console reads it, with the operator's login.

create table models.feed_minute (
  minute    timestamptz(3) not null,
  feed      text           not null,
  lag_ms    bigint         not null check (lag_ms >= 0), -- the greatest that any process met
  row_count bigint         not null check (row_count >= 0), -- what all processes wrote
  primary key (minute, feed) -- the last hour of every feed; the oldest are deleted
) with (fillfactor = 70);

create table models.lane_reader (
  cluster_id   text           not null,
  topic_id     uuid           not null,
  partition    integer        not null,
  worker       text           not null, -- host/process
  since        timestamptz(3) not null, -- when the consumer group gave it the lane
  end_offset   bigint         not null, -- where the broker's log ended when it was looked at
  looked_at    timestamptz(3) not null,
  unread_to    bigint, -- an end that the lane had not reached when it was seen, and when that was: once it is passed there is another, or none
  unread_since timestamptz(3),
  primary key (cluster_id, topic_id, partition)
) with (fillfactor = 50); -- so that every look stays a HOT update

grant select, insert, update, delete on models.feed_minute to tenantscope_ingest;
grant select, insert, update on models.lane_reader to tenantscope_ingest;
grant select on models.feed_minute, models.lane_reader to tenantscope_admin;
