-- schemas: models
--
-- Policy scans: at a time, a policy matched a number of resources.

create table models.policy_scan (
  tenant_id     uuid             not null,
  id            text collate "C" not null,
  version       bigint           not null,
  digest        bytea            not null,
  updated_at    timestamptz(3)   not null,
  scanned_at    timestamptz(3)   not null,
  first_seen_at timestamptz(3),
  severity      text collate "C" not null,
  status        text collate "C" not null,
  is_resolved   boolean          not null,
  resource_type text collate "C" not null,
  policy_id     text collate "C" not null,
  document      text             not null,
  detail        text             not null,
  primary key (tenant_id, id) -- GET /policy-scans/{id}, and every write
) with (fillfactor = 70);
-- GET /policy-scans by scannedAt, both directions
create index policy_scan_scanned on models.policy_scan (tenant_id, scanned_at, id);
-- GET /policy-scans by updatedAt: polling
create index policy_scan_updated on models.policy_scan (tenant_id, updated_at, id);
select models.enable_tenant_isolation('models.policy_scan');
