-- schemas: control, models
--
-- Each opening of a lane by a worker has a number. The state that a worker stores counts only while its number is the last one: a worker that was suspended
-- does not overwrite the state of the one that has the lane since.
alter table :schema.ingest_lane add column assignment bigint not null default 0;
