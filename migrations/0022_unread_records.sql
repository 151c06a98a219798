-- schemas: models
--
-- What the API reads besides the watermark: the time of the oldest record that no lane of a feed has read, and when that was last measured.

grant select (cluster_id, topic_id, partition, next_offset, unbound_at) on models.ingest_lane to tenantscope_api;
grant select (cluster_id, topic_id, partition, measured_at, unread_offset, unread_since) on models.lane_log to tenantscope_api;
