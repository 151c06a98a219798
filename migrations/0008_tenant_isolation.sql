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

-- Completeness of the feeds, for the tenant of a request: the epoch, and which of its records are missing.
grant select (topic) on models.ingest_lane to tenantscope_api;
grant select (opened_at) on models.ingest_epoch to tenantscope_api;
create policy tenant_isolation on models.dead_letter_count for select to tenantscope_api
  using (tenant_id = current_setting('tenantscope.tenant')::uuid);
grant select (tenant_id, topic, reason, state, hour, amount) on models.dead_letter_count to tenantscope_api;
-- GET /feeds
create index on models.dead_letter_count (tenant_id);

-- When records were last skipped whose tenant could not be read and that wait for a decision, by topic: any tenant may be told when that was, and no
-- number.
create function models.unattributed_skips() returns table (topic text, skipped_at timestamptz)
  language sql stable security definer set search_path = pg_catalog, pg_temp
begin atomic
  select c.topic, max(c.last_at) from (
    select d.topic, d.reason, d.hour, sum(d.amount) as amount, max(d.last_at) as last_at from models.dead_letter_count d
     where d.tenant_id is null and d.state = 'pending' and d.reason in ('SKIPPED', 'UNDECODABLE_BATCH') group by 1, 2, 3) c
   where c.amount > 0 group by c.topic;
end;
revoke execute on function models.unattributed_skips from public;
grant execute on function models.unattributed_skips to tenantscope_api;
