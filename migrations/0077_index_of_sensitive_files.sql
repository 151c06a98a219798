-- schemas: models
-- transaction: none
--
-- Sensitive files, for reads of restricted ones and evidence. Row-level security hides the statistics of arrays from the planner: it expected nearly all files from the index of those with
-- types, and read the whole table, 667,000 rows instead of 167,000. Those of a boolean it uses. Nothing waits while the index is built.

create index concurrently if not exists file_exposure_sensitive on models.file_exposure (tenant_id) where is_sensitive;
