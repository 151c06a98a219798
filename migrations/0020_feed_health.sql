-- schemas: models
--
-- How current the feeds are: per source and tenant, and per minute.

-- How far each source of a tenant has come, by lane, so that lanes never wait for each other here. Written in the transaction of the batch.
create table models.source_progress (
  tenant_id          uuid             not null,
  source             text collate "C" not null, -- a read model such as logs or users; for logs also logs/<the collector's feed>
  cluster_id         text             not null,
  topic_id           uuid             not null,
  partition          integer          not null,
  last_occurred_at   timestamptz(3),
  last_discovered_at timestamptz(3)   not null,
  row_count          bigint           not null,
  is_unlisted        boolean          not null default false, -- a category or table that the product does not list, as of the last batch
  primary key (tenant_id, source, cluster_id, topic_id, partition)
) with (fillfactor = 50);
select models.enable_tenant_isolation('models.source_progress');
create policy admin on models.source_progress for select to tenantscope_admin using (true);
create policy console on models.source_progress for select to tenantscope_console using (true);
grant select on models.source_progress to tenantscope_admin, tenantscope_console;

create view models.source_status with (security_invoker = true) as
select tenant_id, source, max(last_occurred_at) as last_occurred_at, max(last_discovered_at) as last_discovered_at, sum(row_count)::bigint as row_count,
       -- As the newest batch says: a lane that ended long ago knows only what an older version listed.
       (array_agg(is_unlisted order by last_discovered_at desc))[1] as is_unlisted
  from models.source_progress
 group by tenant_id, source;
grant select on models.source_status to tenantscope_api, tenantscope_jobs, tenantscope_admin, tenantscope_console, tenantscope_ingest;

-- The lag of each feed, minute by minute; a minute without a row is one in which no ingestion ran. This table contains nothing of
-- a tenant, so it has no row-level security. Ingestion writes it outside the transactions of batches; the console reads it.
create table models.feed_minute (
  minute    timestamptz(3) not null,
  feed      text           not null,
  lag_ms    bigint         not null check (lag_ms >= 0), -- the greatest lag that any process measured
  row_count bigint         not null check (row_count >= 0), -- rows written by all processes
  primary key (minute, feed) -- the last hour of every feed, and the deletion of old minutes
) with (fillfactor = 70);

grant select, insert, update, delete on models.feed_minute to tenantscope_ingest;
grant select on models.feed_minute to tenantscope_console;
