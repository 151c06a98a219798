-- schemas: models
--
-- Receipts of the log: what it held of each UTC day of discoveredAt, as a chain per tenant. The jobs process writes a receipt once the day is settled;
-- a receiver of the rows can prove with it that nothing is missing, altered or added. Receipts outlive the rows: they are deleted with their tenant.

create table models.log_receipt (
  tenant_id       uuid   not null,
  day             date   not null,
  row_count       bigint not null check (row_count >= 0),
  previous_sha256 text check (previous_sha256 ~ '^[0-9a-f]{64}$'),
  sha256          text   not null check (sha256 ~ '^[0-9a-f]{64}$'),
  document        text   not null, -- as served
  primary key (tenant_id, day), -- GET /logs/receipts, the last receipt of a tenant
  unique nulls not distinct (tenant_id, previous_sha256) -- one first receipt, and no forks
);

create trigger reject_change before update or delete on models.log_receipt for each row execute function models.reject_change('receipts');
create trigger reject_truncate before truncate on models.log_receipt for each statement execute function models.reject_change('receipts');

-- What the login of the jobs inserts continues the chain: a later day that is over, after the last receipt, with the digest of its document. A row that
-- was otherwise would end the chain for good. The owner may restore rows as they were.
create function models.verify_log_receipt() returns trigger
  language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  last models.log_receipt;
begin
  perform pg_advisory_xact_lock(hashtextextended('tenantscope.log_receipt ' || new.tenant_id, 0));
  select * into last from models.log_receipt r where r.tenant_id = new.tenant_id order by r.day desc limit 1;
  if new.previous_sha256 is distinct from last.sha256 or new.day <= last.day then
    raise insufficient_privilege using message = 'a receipt must follow the last one of its tenant';
  end if;
  if new.day >= (clock_timestamp() at time zone 'UTC')::date then
    raise insufficient_privilege using message = 'a receipt must be of a day that is over';
  end if;
  if (new.document::jsonb - array['tenantId', 'day', 'rowCount', 'previousSha256', 'sha256']) || jsonb_build_object('tenantId', new.tenant_id, 'day', new.day,
        'rowCount', new.row_count, 'previousSha256', new.previous_sha256, 'sha256', new.sha256) <> new.document::jsonb then
    raise insufficient_privilege using message = 'the document of a receipt must have the values of its columns';
  end if;
  if new.sha256 <> encode(sha256(convert_to(:audit.canonical_json(new.document::jsonb - 'sha256'), 'UTF8')), 'hex') then
    raise insufficient_privilege using message = 'the digest of a receipt must be that of its document';
  end if;
  return new;
end $$;
create trigger verify_log_receipt before insert on models.log_receipt for each row when (session_user = 'tenantscope_jobs')
  execute function models.verify_log_receipt();
revoke execute on function models.verify_log_receipt from public;

alter table models.log_receipt enable row level security;
alter table models.log_receipt force row level security;
create policy tenant_isolation on models.log_receipt for select to tenantscope_api, tenantscope_jobs
  using (tenant_id = current_setting('tenantscope.tenant')::uuid);
create policy tenant_insert on models.log_receipt for insert to tenantscope_jobs
  with check (tenant_id = current_setting('tenantscope.tenant')::uuid);
create policy owner on models.log_receipt to current_user using (true); -- models.erase_tenant
grant select on models.log_receipt to tenantscope_api, tenantscope_jobs;
grant insert on models.log_receipt to tenantscope_jobs;
