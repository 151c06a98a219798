-- schemas: models
--
-- The newest state of each alert of a vendor security platform. raw.alert writes it, and records of type 40 on raw.activity do.

create table models.security_alert (
  tenant_id      uuid             not null,
  id             text collate "C" not null,
  version        bigint           not null,
  digest         bytea            not null,
  updated_at     timestamptz(3)   not null,
  created_at     timestamptz(3)   not null, -- createdDateTime, or firstActivityDateTime where the provider gives none
  severity       text collate "C",
  status         text collate "C",
  classification text collate "C",
  category       text collate "C",
  service_source text collate "C",
  is_resolved    boolean,
  document       text collate "C" not null,
  detail         text collate "C" not null,
  primary key (tenant_id, id)
) with (fillfactor = 70);
-- GET /security-alerts?sort=createdDateTimeDesc and …Asc
create index security_alert_created on models.security_alert (tenant_id, created_at, id);
-- GET /security-alerts?sort=updatedAtAsc
create index security_alert_updated on models.security_alert (tenant_id, updated_at, id);

select models.raise_walls('models.security_alert');
