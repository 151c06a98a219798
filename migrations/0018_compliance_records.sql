-- schemas: models
--
-- Records of compliance.v1: attestations, exceptions, framework selections, tenant facts, decisions, risk classes, source states, policies, detectors and
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
  requirement_key text collate "C", -- of attestations and exceptions
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

-- What an event says of a record: the columns that name it, the digest of its payload, and the texts and flags of the payload. Numbers and
-- objects are left out, since they have no canonical form in SQL.
create function models.describe_statement(record models.compliance_record) returns jsonb
  language sql stable set search_path = pg_catalog, pg_temp
  return to_jsonb(record) - array['document', 'detail', 'facts', 'updated_at']
      || jsonb_build_object('statement', (
           select jsonb_object_agg(m.key, m.value) from jsonb_each(record.facts) m
            where jsonb_typeof(m.value) in ('string', 'boolean') and m.key ~ '^[A-Za-z0-9_]{1,64}$' and length(m.value::text) <= 10000));

-- Attestations, decisions and the other statements of people, whether they arrive from Kafka or from the command line. States that systems report are
-- events only where another login than ingestion changes one.
create function models.audit_statement() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp set timezone = 'UTC' as $$
declare
  before constant jsonb := case when tg_op <> 'INSERT' then models.describe_statement(old) end;
  after  constant jsonb := case when tg_op <> 'DELETE' then models.describe_statement(new) end;
  changed_row constant jsonb := coalesce(after, before);
begin
  if before is distinct from after
     and (tg_op <> 'DELETE' or coalesce(current_setting('tenantscope.erasing', true), '') = '') -- an erasure is an event of its own, which must not repeat what it deletes
     and (session_user <> 'tenantscope_ingest' or changed_row ->> 'kind' not in ('sourceStatus', 'policy', 'detector', 'securityScore')) then
    perform :audit.append_admin_event(
      :audit.find_event_chain(tg_table_name, changed_row),
      case tg_op when 'INSERT' then 'created' when 'UPDATE' then 'changed' else 'removed' end,
      tg_table_name, changed_row ->> 'id', before, after);
  end if;
  return null;
end $$;
create trigger audit_statement after insert or update or delete on models.compliance_record
  for each row execute function models.audit_statement();
revoke execute on function models.describe_statement, models.audit_statement from public;

-- Every state of attestations and exceptions: a record is replaced by its next state, these rows stay. A withdrawal is a state too. States that
-- arrive after a later one were never in force and are not here.
create table models.statement_history (
  tenant_id       uuid             not null,
  id              text collate "C" not null, -- of the record
  version         bigint           not null,
  digest          bytea            not null,
  recorded_at     timestamptz(3)   not null,
  recorded_by     text             not null, -- the actor of the audit event: who wrote it, next to who attests
  kind            text collate "C" not null,
  requirement_key text collate "C",
  facts           jsonb            not null,
  primary key (tenant_id, id, version, digest) -- the writer of a record's present state
);
-- the latest states of each requirement
create index statement_history_requirement on models.statement_history (tenant_id, kind, requirement_key, recorded_at);

create function models.record_statement_state() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  insert into models.statement_history (tenant_id, id, version, digest, recorded_at, recorded_by, kind, requirement_key, facts)
  values (new.tenant_id, new.id, new.version, new.digest, new.updated_at, :audit.current_actor(), new.kind, new.requirement_key, new.facts)
  on conflict do nothing;
  return null;
end $$;
create trigger record_statement_state after insert or update on models.compliance_record
  for each row when (new.kind in ('attestation', 'exception')) execute function models.record_statement_state();
revoke execute on function models.record_statement_state from public;

alter table models.statement_history enable row level security;
alter table models.statement_history force row level security;
create policy tenant_isolation on models.statement_history for select to tenantscope_api, tenantscope_jobs
  using (tenant_id = current_setting('tenantscope.tenant')::uuid);
create policy owner on models.statement_history to current_user using (true);
create policy admin on models.statement_history for select to tenantscope_admin using (true);
grant select on models.statement_history to tenantscope_api, tenantscope_jobs, tenantscope_admin;

-- The command line and the console write attestations too, under the same rule of versions.
create policy admin on models.compliance_record to tenantscope_admin using (true) with check (true);
create policy console on models.compliance_record for select to tenantscope_console using (true);
grant select, insert, update on models.compliance_record to tenantscope_admin;
grant select on models.compliance_record to tenantscope_console; -- the last import of a source

-- Whether a detection or an alert has this id: a statement about an incident must name one that exists.
create function models.incident_exists(tenant uuid, incident text) returns boolean
  language sql stable security definer set search_path = pg_catalog, pg_temp
  return exists (select from models.detection d where d.tenant_id = tenant and d.id = incident)
      or exists (select from models.security_alert a where a.tenant_id = tenant and a.id = incident);
revoke execute on function models.incident_exists from public;
grant execute on function models.incident_exists to tenantscope_admin;
