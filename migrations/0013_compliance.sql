-- schemas: models
--
-- What compliance is measured by, beside the documents that are served. Documents are text and wide; facts are narrow and made to be counted.

-- Records of compliance.v1: attestations, framework selections, tenant facts, decisions, risk classes, states of sources, policies, detectors and
-- the vendor's security score. An id is the record's kind, a slash and the record's own id, since those are unique within a kind only.
create table models.compliance_record (
  tenant_id       uuid             not null,
  id              text collate "C" not null,
  version         bigint           not null, -- microseconds of changedAt
  digest          bytea            not null,
  updated_at      timestamptz(3)   not null,
  changed_at      timestamptz(3)   not null,
  kind            text collate "C" not null,
  record_id       text collate "C" not null,
  subject_type    text collate "C", -- of decisions, risk classes and attestations that concern one thing
  subject_id      text collate "C",
  requirement_key text collate "C", -- of attestations
  document        text             not null,
  detail          text, -- always null: there is no by-id read
  facts           jsonb            not null generated always as ((document::jsonb) -> 'payload') stored,
  primary key (tenant_id, id) -- every write
) with (fillfactor = 70);
-- all records of a kind, newest last
create index compliance_record_kind on models.compliance_record (tenant_id, kind, changed_at, id);
-- what was decided about one thing
create index compliance_record_subject on models.compliance_record (tenant_id, subject_type, subject_id) where subject_id is not null;
select models.raise_walls('models.compliance_record');
-- An attestation may also be written by a person, through the command line or the console, under the same rule of versions.
create policy admin on models.compliance_record to tenantscope_admin using (true) with check (true);
grant usage on schema models to tenantscope_admin;
grant select, insert, update on models.compliance_record to tenantscope_admin;

alter table models.agent_evidence
  add column facts jsonb generated always as ((document::jsonb) -> 'payload') stored; -- null of deletions

-- Of each entity what rules and evidence count, and what is kept without being served. Written with the entity.
create table models.entity_fact (
  tenant_id  uuid             not null,
  kind       text collate "C" not null,
  id         text collate "C" not null,
  is_deleted boolean          not null,
  updated_at timestamptz(3)   not null,
  facts      jsonb            not null,
  primary key (tenant_id, kind, id) -- a scan of one kind
) with (fillfactor = 70);
select models.raise_walls('models.entity_fact');
-- Entities known before this migration: what they serve, until their next change.
insert into models.entity_fact
select e.tenant_id, e.kind, e.id, e.is_deleted, e.updated_at, e.facts
  from (          select tenant_id, 'user' as kind, id, is_deleted, updated_at, detail::jsonb - 'id' as facts from models.entity_user
        union all select tenant_id, 'agent', id, is_deleted, updated_at, detail::jsonb - 'id' from models.entity_agent
        union all select tenant_id, 'file', id, is_deleted, updated_at, detail::jsonb - 'id' from models.entity_file
        union all select tenant_id, 'group', id, is_deleted, updated_at, detail::jsonb - 'id' from models.entity_group
        union all select tenant_id, 'site', id, is_deleted, updated_at, detail::jsonb - 'id' from models.entity_site
        union all select tenant_id, 'app', id, is_deleted, updated_at, detail::jsonb - 'id' from models.entity_app
        union all select tenant_id, 'device', id, is_deleted, updated_at, detail::jsonb - 'id' from models.entity_device
        union all select tenant_id, 'email', id, is_deleted, updated_at, detail::jsonb - 'id' from models.entity_email
        union all select tenant_id, 'license', id, is_deleted, updated_at, detail::jsonb - 'id' from models.entity_license
        union all select tenant_id, 'sensitiveInfoType', id, is_deleted, updated_at, detail::jsonb - 'id' from models.entity_sensitive_info_type) e;

-- Log rows that rules and evidence look at one by one: interactions with AI, life of agents, consents, privileged roles, forwarding to outside.
-- Written with the log row, once, and dropped with it.
create table models.log_fact (
  tenant_id     uuid             not null,
  log_id        uuid             not null,
  kind          text collate "C" not null check (kind in ('aiInteraction', 'agentLifecycle', 'consent', 'privilegedRole', 'externalForwarding')),
  occurred_at   timestamptz(3)   not null,
  discovered_at timestamptz(3)   not null,
  agent_id      text collate "C",
  actor_id      text collate "C",
  facts         jsonb            not null,
  primary key (tenant_id, log_id, kind) -- every write
);
-- those of a kind in a window
create index log_fact_occurred on models.log_fact (tenant_id, kind, occurred_at, log_id);
-- dropped by age
create index log_fact_discovered on models.log_fact (discovered_at);
select models.raise_walls('models.log_fact');

-- How far each source of a tenant has come, by lane, so that lanes never wait for each other here.
create table models.source_progress (
  tenant_id          uuid             not null,
  source             text collate "C" not null, -- a read model such as logs or users; of logs also logs/<the collector's feed>
  cluster_id         text             not null,
  topic_id           uuid             not null,
  partition          integer          not null,
  last_occurred_at   timestamptz(3),
  last_discovered_at timestamptz(3)   not null,
  row_count          bigint           not null,
  primary key (tenant_id, source, cluster_id, topic_id, partition)
) with (fillfactor = 50);
select models.raise_walls('models.source_progress');
create policy admin on models.source_progress for select to tenantscope_admin using (true);
grant select on models.source_progress to tenantscope_admin;

create view models.source_status with (security_invoker = true) as
select tenant_id, source, max(last_occurred_at) as last_occurred_at, max(last_discovered_at) as last_discovered_at, sum(row_count)::bigint as row_count
  from models.source_progress
 group by tenant_id, source;
grant select on models.source_status to tenantscope_api, tenantscope_jobs, tenantscope_admin, tenantscope_ingest;
