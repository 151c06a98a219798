-- schemas: models
--
-- Access to the read models. Behind the explicit predicate of every query, row-level security restricts api and jobs to the tenant that the
-- transaction names; ingest writes for every tenant, and no other login reads anything. An unset tenant raises an error: it must never look
-- like a tenant without rows.

grant usage on schema models to tenantscope_api, tenantscope_jobs;

create function models.enable_tenant_isolation(of_table regclass) returns void
  language plpgsql as $$
begin
  execute format('alter table %s enable row level security', of_table);
  execute format('alter table %s force row level security', of_table);
  execute format('create policy tenant_isolation on %s for select to tenantscope_api, tenantscope_jobs
                    using (tenant_id = current_setting(''tenantscope.tenant'')::uuid)', of_table);
  execute format('create policy ingest on %s to tenantscope_ingest using (true) with check (true)', of_table);
  -- The owner, as whom functions of this schema run, is subject to row-level security too.
  execute format('create policy owner on %s to %I using (true)', of_table, current_user);
  execute format('grant select on %s to tenantscope_api, tenantscope_jobs', of_table);
  execute format('grant select, insert, update on %s to tenantscope_ingest', of_table);
end $$;
revoke execute on function models.enable_tenant_isolation from public;

-- The watermark: how far each source is settled.
grant select (source, settled_at) on models.ingest_lane to tenantscope_api, tenantscope_jobs;
-- And whether the server may serve.
grant select (timeline, closed_at) on models.ingest_epoch to tenantscope_api;

-- Completeness of the feeds, for the tenant of a request: the epoch, and which records are missing. Of skipped records whose tenant could not be read,
-- any tenant may be told when that was.
grant select (topic) on models.ingest_lane to tenantscope_api;
grant select (opened_at) on models.ingest_epoch to tenantscope_api;
create policy tenant_isolation on models.dead_letter_count for select to tenantscope_api
  using (tenant_id = current_setting('tenantscope.tenant')::uuid or tenant_id is null and reason in ('SKIPPED', 'UNDECODABLE_BATCH'));
grant select (tenant_id, topic, reason, state, hour, amount, last_at) on models.dead_letter_count to tenantscope_api;
-- GET /feeds
create index on models.dead_letter_count (tenant_id);
