-- schemas: models
--
-- What every table of mutable records has in common. A row is the newest state of one record: upward by (version, digest) only, so that any
-- order of delivery ends in the same rows. updated_at is our write time, stamped by the lane like discovered_at and under the same promise.

-- Both walls behind the explicit predicate: api and jobs see the tenant they named, ingest writes for every tenant, nobody else sees anything.
create function models.raise_walls(of_table regclass) returns void
  language plpgsql as $$
begin
  execute format('alter table %s enable row level security', of_table);
  execute format('alter table %s force row level security', of_table);
  execute format('create policy tenant_wall on %s for select to tenantscope_api, tenantscope_jobs
                    using (tenant_id = current_setting(''tenantscope.tenant'')::uuid)', of_table);
  execute format('create policy ingest on %s to tenantscope_ingest using (true) with check (true)', of_table);
  execute format('grant select on %s to tenantscope_api, tenantscope_jobs', of_table);
  execute format('grant select, insert, update on %s to tenantscope_ingest', of_table);
end $$;
revoke execute on function models.raise_walls from public;
