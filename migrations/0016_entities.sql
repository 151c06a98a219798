-- schemas: models
--
-- Entities: one row each, merged from the parts that the platform and the providers report. Columns named *_key hold lower case, for prefix
-- searches. Deleted entities stay, so that they can be read by id and appear as changes.

-- The last state of each source object and, separately, its removal: at most two rows per part. Only ingest reads them.
create table models.entity_part (
  tenant_id  uuid             not null,
  kind       text collate "C" not null,
  id         text collate "C" not null,
  part       text collate "C" not null,
  is_removal boolean          not null,
  version    bigint           not null,
  digest     bytea            not null,
  changed_at timestamptz(3)   not null,
  facts      text             not null, -- JSON
  aliases    text             not null, -- JSON
  primary key (tenant_id, kind, id, part, is_removal) -- all parts of an entity, at each change of one of them
) with (fillfactor = 70);
alter table models.entity_part enable row level security;
alter table models.entity_part force row level security;
create policy ingest on models.entity_part to tenantscope_ingest using (true) with check (true);
create policy owner on models.entity_part to current_user using (true);
grant select, insert, update on models.entity_part to tenantscope_ingest;

-- Other names of entities, in lower case. Two entities may share one: a sign-in name that was reassigned.
create table models.entity_alias (
  tenant_id uuid             not null,
  kind      text collate "C" not null,
  alias     text collate "C" not null,
  id        text collate "C" not null,
  primary key (tenant_id, kind, alias, id) -- by-id reads by another name
);
-- replace the aliases of an entity
create index entity_alias_of on models.entity_alias (tenant_id, kind, id);
select models.enable_tenant_isolation('models.entity_alias');
grant delete on models.entity_alias to tenantscope_ingest;

-- What rules and evidence count of each entity, and what is stored without being served. Written with the entity.
create table models.entity_fact (
  tenant_id  uuid             not null,
  kind       text collate "C" not null,
  id         text collate "C" not null,
  is_deleted boolean          not null,
  updated_at timestamptz(3)   not null,
  facts      jsonb            not null,
  primary key (tenant_id, kind, id) -- a scan of one kind
) with (fillfactor = 70);
select models.enable_tenant_isolation('models.entity_fact');

-- Users.
create table models.entity_user (
  tenant_id           uuid not null,
  id                  text collate "C" not null,
  version             bigint not null,
  digest              bytea not null,
  updated_at          timestamptz(3) not null,
  first_seen_at       timestamptz(3) not null,
  is_deleted          boolean not null,
  name_key            text collate "C",
  principal_key       text collate "C",
  mail_key            text collate "C",
  user_type           text collate "C",
  account_enabled     boolean,
  is_admin            boolean,
  is_external         boolean,
  risk_level          text collate "C",
  has_copilot_license boolean,
  department          text collate "C",
  roles               text[] collate "C",
  document            text not null,
  detail              text not null,
  primary key (tenant_id, id) -- GET /users/{id}, and every write
) with (fillfactor = 70);
-- GET /users, both directions
create index entity_user_updated on models.entity_user (tenant_id, updated_at, id);
select models.enable_tenant_isolation('models.entity_user');

-- AI agents.
create table models.entity_agent (
  tenant_id             uuid not null,
  id                    text collate "C" not null,
  version               bigint not null,
  digest                bytea not null,
  updated_at            timestamptz(3) not null,
  first_seen_at         timestamptz(3) not null,
  is_deleted            boolean not null,
  name_key              text collate "C",
  evidence              text collate "C", -- reported, or auditOnly: named by AI interactions and by no inventory
  kind                  text collate "C",
  platform              text collate "C",
  lifecycle_status      text collate "C",
  publisher_type        text collate "C",
  is_blocked            boolean,
  has_tenant_wide_reach boolean,
  owner_source          text collate "C",
  risk_level            text collate "C",
  available_to          text collate "C",
  deployed_to           text collate "C",
  document              text not null,
  detail                text not null,
  primary key (tenant_id, id) -- GET /agents/{id}, and every write
) with (fillfactor = 70);
-- GET /agents, both directions
create index entity_agent_updated on models.entity_agent (tenant_id, updated_at, id);
select models.enable_tenant_isolation('models.entity_agent');

-- Files.
create table models.entity_file (
  tenant_id               uuid not null,
  id                      text collate "C" not null,
  version                 bigint not null,
  digest                  bytea not null,
  updated_at              timestamptz(3) not null,
  first_seen_at           timestamptz(3) not null,
  is_deleted              boolean not null,
  name_key                text collate "C",
  site_id                 text collate "C",
  owner_id                text collate "C",
  extension               text collate "C",
  sensitivity_label_id    text collate "C",
  sensitive_info_type_ids text[] collate "C",
  sharing_scope           text collate "C",
  is_restricted           boolean,
  has_anonymous_link      boolean,
  document                text not null,
  detail                  text not null,
  primary key (tenant_id, id) -- GET /files/{id}, and every write
) with (fillfactor = 70);
-- GET /files, both directions
create index entity_file_updated on models.entity_file (tenant_id, updated_at, id);
select models.enable_tenant_isolation('models.entity_file');

-- Groups.
create table models.entity_group (
  tenant_id          uuid not null,
  id                 text collate "C" not null,
  version            bigint not null,
  digest             bytea not null,
  updated_at         timestamptz(3) not null,
  first_seen_at      timestamptz(3) not null,
  is_deleted         boolean not null,
  name_key           text collate "C",
  mail_key           text collate "C",
  group_type         text collate "C",
  visibility         text collate "C",
  is_team            boolean,
  has_no_owner       boolean,
  guest_count        bigint,
  is_role_assignable boolean,
  document           text not null,
  detail             text not null,
  primary key (tenant_id, id) -- GET /groups/{id}, and every write
) with (fillfactor = 70);
-- GET /groups, both directions
create index entity_group_updated on models.entity_group (tenant_id, updated_at, id);
select models.enable_tenant_isolation('models.entity_group');

-- Sites.
create table models.entity_site (
  tenant_id           uuid not null,
  id                  text collate "C" not null,
  version             bigint not null,
  digest              bytea not null,
  updated_at          timestamptz(3) not null,
  first_seen_at       timestamptz(3) not null,
  is_deleted          boolean not null,
  name_key            text collate "C",
  site_type           text collate "C",
  external_sharing    text collate "C",
  everyone_access     boolean,
  is_excluded_from_ai boolean,
  owner_id            text collate "C",
  document            text not null,
  detail              text not null,
  primary key (tenant_id, id) -- GET /sites/{id}, and every write
) with (fillfactor = 70);
-- GET /sites, both directions
create index entity_site_updated on models.entity_site (tenant_id, updated_at, id);
select models.enable_tenant_isolation('models.entity_site');

-- Apps.
create table models.entity_app (
  tenant_id             uuid not null,
  id                    text collate "C" not null,
  version               bigint not null,
  digest                bytea not null,
  updated_at            timestamptz(3) not null,
  first_seen_at         timestamptz(3) not null,
  is_deleted            boolean not null,
  name_key              text collate "C",
  app_id                text collate "C",
  app_type              text collate "C",
  is_ai_app             boolean,
  has_tenant_wide_reach boolean,
  has_admin_consent     boolean,
  is_verified_publisher boolean,
  account_enabled       boolean,
  risk_level            text collate "C",
  document              text not null,
  detail                text not null,
  primary key (tenant_id, id) -- GET /apps/{id}, and every write
) with (fillfactor = 70);
-- GET /apps, both directions
create index entity_app_updated on models.entity_app (tenant_id, updated_at, id);
-- ingestion, which adds names of applications to log rows: the apps of all tenants that changed since its last read
create index entity_app_changed on models.entity_app (updated_at) where app_id is not null;
select models.enable_tenant_isolation('models.entity_app');

-- Devices.
create table models.entity_device (
  tenant_id        uuid not null,
  id               text collate "C" not null,
  version          bigint not null,
  digest           bytea not null,
  updated_at       timestamptz(3) not null,
  first_seen_at    timestamptz(3) not null,
  is_deleted       boolean not null,
  name_key         text collate "C",
  operating_system text collate "C",
  is_managed       boolean,
  is_compliant     boolean,
  ownership        text collate "C",
  risk_level       text collate "C",
  primary_user_id  text collate "C",
  document         text not null,
  detail           text not null,
  primary key (tenant_id, id) -- GET /devices/{id}, and every write
) with (fillfactor = 70);
-- GET /devices, both directions
create index entity_device_updated on models.entity_device (tenant_id, updated_at, id);
select models.enable_tenant_isolation('models.entity_device');

-- Emails that an alert, a match or an audit record mentions.
create table models.entity_email (
  tenant_id         uuid not null,
  id                text collate "C" not null,
  version           bigint not null,
  digest            bytea not null,
  updated_at        timestamptz(3) not null,
  first_seen_at     timestamptz(3) not null,
  is_deleted        boolean not null,
  name_key          text collate "C",
  sender_key        text collate "C",
  recipient_keys    text[] collate "C",
  threat_types      text[] collate "C",
  direction         text collate "C",
  delivery_location text collate "C",
  dlp_match_count   bigint,
  document          text not null,
  detail            text not null,
  primary key (tenant_id, id) -- GET /emails/{id}, and every write
) with (fillfactor = 70);
-- GET /emails, both directions
create index entity_email_updated on models.entity_email (tenant_id, updated_at, id);
select models.enable_tenant_isolation('models.entity_email');

-- Subscriptions.
create table models.entity_license (
  tenant_id     uuid not null,
  id            text collate "C" not null,
  version       bigint not null,
  digest        bytea not null,
  updated_at    timestamptz(3) not null,
  first_seen_at timestamptz(3) not null,
  is_deleted    boolean not null,
  name_key      text collate "C",
  part_key      text collate "C",
  document      text not null,
  detail        text not null,
  primary key (tenant_id, id) -- GET /licenses/{id}, and every write
) with (fillfactor = 70);
-- GET /licenses, both directions
create index entity_license_updated on models.entity_license (tenant_id, updated_at, id);
select models.enable_tenant_isolation('models.entity_license');

-- Sensitive information types.
create table models.entity_sensitive_info_type (
  tenant_id           uuid not null,
  id                  text collate "C" not null,
  version             bigint not null,
  digest              bytea not null,
  updated_at          timestamptz(3) not null,
  first_seen_at       timestamptz(3) not null,
  is_deleted          boolean not null,
  name_key            text collate "C",
  is_custom           boolean,
  restriction_level   text collate "C",
  external_user_count bigint,
  document            text not null,
  detail              text not null,
  primary key (tenant_id, id) -- GET /sensitive-info-types/{id}, and every write
) with (fillfactor = 70);
-- GET /sensitive-info-types, both directions
create index entity_sensitive_info_type_updated on models.entity_sensitive_info_type (tenant_id, updated_at, id);
select models.enable_tenant_isolation('models.entity_sensitive_info_type');
