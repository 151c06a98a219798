-- schemas: models
--
-- Compliance snapshots: an append-only chain per tenant, and requests for manual snapshots. The weekly schedule has no table of its own: due
-- snapshots follow from the tenants, their weeks and the existing rows.

create table models.compliance_snapshot (
  tenant_id         uuid           not null,
  id                uuid           not null,
  taken_at          timestamptz(3) not null,
  trigger           text           not null check (trigger in ('scheduled', 'manual')),
  period            text check (period ~ '^\d{4}-W(0[1-9]|[1-4]\d|5[0-3])$'), -- ISO week in the tenant's time zone
  late              boolean        not null,
  taken_by          text           not null,
  catalogue_version text           not null,
  previous_sha256   text check (previous_sha256 ~ '^[0-9a-f]{64}$'),
  sha256            text           not null check (sha256 ~ '^[0-9a-f]{64}$'),
  signature         text, -- detached JWS over the text of sha256; null without a key
  document          text           not null,
  primary key (tenant_id, id),
  unique nulls not distinct (tenant_id, previous_sha256), -- one first snapshot, and no forks
  check ((trigger = 'scheduled') = (period is not null)),
  check (trigger = 'scheduled' or not late)
);
-- one snapshot per week, whichever process takes it and however often it retries
create unique index compliance_snapshot_period on models.compliance_snapshot (tenant_id, period) where trigger = 'scheduled';
-- a page, the newest snapshot, the chain from its beginning
create index compliance_snapshot_page on models.compliance_snapshot (tenant_id, taken_at, id);

create function models.reject_change() returns trigger
  language plpgsql as $$
begin
  raise exception 'snapshots are immutable' using errcode = 'insufficient_privilege';
end $$;
create trigger reject_change before update or delete on models.compliance_snapshot for each row execute function models.reject_change();
create trigger reject_truncate before truncate on models.compliance_snapshot for each statement execute function models.reject_change();

alter table models.compliance_snapshot enable row level security;
alter table models.compliance_snapshot force row level security;
create policy tenant_isolation on models.compliance_snapshot for select to tenantscope_api, tenantscope_jobs
  using (tenant_id = current_setting('tenantscope.tenant')::uuid);
create policy tenant_insert on models.compliance_snapshot for insert to tenantscope_jobs
  with check (tenant_id = current_setting('tenantscope.tenant')::uuid);
create policy admin on models.compliance_snapshot for select to tenantscope_admin using (true);
grant select on models.compliance_snapshot to tenantscope_api, tenantscope_jobs, tenantscope_admin;
grant insert on models.compliance_snapshot to tenantscope_jobs;

-- Which of these weeks have their snapshot, for many tenants in one call. Runs with the caller's rights, tenant by tenant.
create function models.taken_periods(tenants uuid[], periods text[]) returns table (tenant_id uuid, period text)
  language plpgsql volatile as $$
declare
  tenant uuid;
begin
  foreach tenant in array tenants loop
    perform set_config('tenantscope.tenant', tenant::text, true);
    return query select s.tenant_id, s.period from models.compliance_snapshot s
                  where s.tenant_id = tenant and s.trigger = 'scheduled' and s.period = any (periods);
  end loop;
end $$;
revoke execute on function models.reject_change, models.taken_periods from public;
grant execute on function models.taken_periods to tenantscope_jobs;

-- Requests for manual snapshots.
create table models.snapshot_request (
  id           uuid           primary key default gen_random_uuid(),
  tenant_id    uuid           not null,
  requested_by text           not null check (requested_by <> ''),
  requested_at timestamptz(3) not null default clock_timestamp(),
  state        text           not null default 'waiting' check (state in ('waiting', 'taken', 'failed')),
  snapshot_id  uuid,
  failure      text, -- shown to the requester
  settled_at   timestamptz(3),
  check ((state = 'taken') = (snapshot_id is not null)),
  check ((state = 'failed') = (failure is not null))
);
-- the waiting requests, oldest first
create index snapshot_request_waiting on models.snapshot_request (requested_at) where state = 'waiting';
alter table models.snapshot_request enable row level security;
alter table models.snapshot_request force row level security;
create policy requests on models.snapshot_request to tenantscope_jobs, tenantscope_admin using (true) with check (true);
grant select, insert on models.snapshot_request to tenantscope_admin;
grant select on models.snapshot_request to tenantscope_jobs;
grant update (state, snapshot_id, failure, settled_at) on models.snapshot_request to tenantscope_jobs;
