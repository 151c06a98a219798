-- schemas: models
--
-- Partitions begin with days in UTC, whatever the time zone of the session that creates them. Where clocks change, a day of 23 hours gave two daily partitions one name, and
-- every later start of ingest failed.
alter function models.maintain_log_partitions(integer) set timezone = 'UTC';
