-- schemas: models
--
-- The newest state of each alert of a vendor security platform. Written from raw.alert, and from records of type 40 and rows of AlertInfo and
-- AlertEvidence on raw.activity.

create table models.security_alert (
  tenant_id        uuid             not null,
  id               text collate "C" not null,
  version          bigint           not null,
  digest           bytea            not null,
  updated_at       timestamptz(3)   not null,
  created_at       timestamptz(3)   not null, -- createdDateTime, or firstActivityDateTime where the provider gives none
  first_seen_at    timestamptz(3),
  -- Vendors report only that an alert is no longer new, not since when: the earliest stamp of a state that reports it; null while none does.
  first_triaged_at timestamptz(3),
  severity         text collate "C",
  status           text collate "C",
  classification   text collate "C",
  category         text collate "C",
  service_source   text collate "C",
  is_resolved      boolean,
  document         text collate "C" not null,
  detail           text collate "C" not null,
  primary key (tenant_id, id) -- GET /security-alerts/{id}, and every write
) with (fillfactor = 70);
-- GET /security-alerts by createdDateTime, both directions
create index security_alert_created on models.security_alert (tenant_id, created_at, id);
-- GET /security-alerts by updatedAt: polling
create index security_alert_updated on models.security_alert (tenant_id, updated_at, id);
select models.enable_tenant_isolation('models.security_alert');

-- Alerts whose evidence arrives in records of its own: the last state of the alert itself as part `alert`, and each piece of evidence by its
-- digest, at most 400. Other alerts have no rows here. Only ingest reads them, and models.reset_version.
create table models.security_alert_part (
  tenant_id uuid             not null,
  id        text collate "C" not null,
  part      text collate "C" not null,
  version   bigint           not null,
  digest    bytea            not null,
  state     text             not null, -- JSON
  primary key (tenant_id, id, part) -- all parts of an alert, at each write of it
) with (fillfactor = 70);
alter table models.security_alert_part enable row level security;
alter table models.security_alert_part force row level security;
create policy ingest on models.security_alert_part to tenantscope_ingest using (true) with check (true);
create policy owner on models.security_alert_part to current_user using (true);
grant select, insert, update, delete on models.security_alert_part to tenantscope_ingest;
