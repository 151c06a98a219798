-- schemas: models
--
-- Indexes by which rows since a time are found in the two tables of the log that had none: each pass of a moving tenant read all of its rows, so that no pass
-- of a tenant with two million was shorter than 3.6 s. Rows are stored in about the order of their times, so a range of blocks has few of them. Ingestion waits while
-- the indexes are built, about a second for ten million rows of the log.

create index log_identity_discovered on models.log_identity using brin (discovered_at) with (autosummarize = on);
create index log_read_discovered on models.log_read using brin (discovered_at) with (autosummarize = on);
