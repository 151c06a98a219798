-- schemas: models
--
-- The watermark for the API, which reads lanes of the read models only.

grant select (opened) on models.ingest_lane to tenantscope_api;
grant select on models.lane_clock, models.lane_watermark to tenantscope_api;
grant execute on function models.lane_key to tenantscope_api;
