-- schemas: models
--
-- Snapshots and receipts are derived from rows of a tenant, too, by jobs: an erasure waits for one that is being written, and none is written later. A receipt
-- or a snapshot that had not committed at the last pass survived it.

create or replace function models.lock_derived_rows(tenant uuid) returns void
  language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('tenantscope.log_block.' || tenant, 0));
  perform pg_advisory_xact_lock(hashtextextended('tenantscope.snapshot ' || tenant, 0));
  perform pg_advisory_xact_lock(hashtextextended('tenantscope.log_receipt ' || tenant, 0));
  lock table models.log_tally_backfill in exclusive mode;
end $$;

create function models.reject_erased_tenant() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if exists (select from models.tenant_erasure e where e.tenant_id = new.tenant_id) then
    raise object_not_in_prerequisite_state using message = 'the tenant has been erased';
  end if;
  return new;
end $$;
revoke execute on function models.reject_erased_tenant from public;

-- By their names after the triggers that wait for these locks.
create trigger verify_tenant before insert on models.compliance_snapshot for each row when (session_user = 'tenantscope_jobs')
  execute function models.reject_erased_tenant();
create trigger verify_tenant before insert on models.log_receipt for each row when (session_user = 'tenantscope_jobs')
  execute function models.reject_erased_tenant();
