-- schemas: models
--
-- Records of compliance.v1: attestations, framework selections, tenant facts, decisions, risk classes, source states, policies, detectors and
-- the vendor's security score. An id is the record's kind, a slash and the record's own id, which is unique within its kind only.

create table models.compliance_record (
  tenant_id       uuid             not null,
  id              text collate "C" not null,
  version         bigint           not null, -- microseconds of changedAt
  digest          bytea            not null,
  updated_at      timestamptz(3)   not null,
  changed_at      timestamptz(3)   not null,
  kind            text collate "C" not null,
  record_id       text collate "C" not null,
  subject_type    text collate "C", -- of decisions, risk classes and attestations about one subject
  subject_id      text collate "C",
  requirement_key text collate "C", -- of attestations
  document        text             not null,
  detail          text, -- always null: there is no by-id read
  facts           jsonb            not null generated always as ((document::jsonb) -> 'payload') stored,
  primary key (tenant_id, id) -- every write
) with (fillfactor = 70);
-- all records of a kind, newest last
create index compliance_record_kind on models.compliance_record (tenant_id, kind, changed_at, id);
-- the decisions about one subject
create index compliance_record_subject on models.compliance_record (tenant_id, subject_type, subject_id) where subject_id is not null;
select models.enable_tenant_isolation('models.compliance_record');
-- The command line and the console write attestations too, under the same rule of versions.
create policy admin on models.compliance_record to tenantscope_admin using (true) with check (true);
grant select, insert, update on models.compliance_record to tenantscope_admin;
