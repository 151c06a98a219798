-- schemas: control
--
-- Organizations and their tenants. Never joined with read models, which may be in another database: plan and tenant properties travel as values.

create table control.organization (
  id                uuid           primary key,
  name              text           not null check (name <> ''),
  version           bigint         not null default 1 check (version between 1 and 9007199254740991),
  digest            bytea          not null, -- of the state of this version; decides between two states of one version
  key_lifetime_days integer check (key_lifetime_days between 1 and 3650), -- null: unlimited
  created_at        timestamptz(3) not null default clock_timestamp(),
  changed_at        timestamptz(3) not null default clock_timestamp()
);

create table control.tenant (
  id              uuid           primary key,
  organization_id uuid, -- no foreign key: the tenant's record may arrive before its organization's, on another partition
  name            text           not null check (name <> ''),
  azure_tenant_id uuid,
  plan            text           not null check (plan in ('api', 'none')),
  time_zone       text           not null default 'UTC' check (time_zone <> ''), -- an IANA name; weeks begin in it
  version         bigint         not null default 1 check (version between 1 and 9007199254740991),
  digest          bytea          not null,
  connected_at    timestamptz(3) not null default clock_timestamp(),
  changed_at      timestamptz(3) not null default clock_timestamp()
);
-- look_up_key: the tenants of an organization, and one of them by its upstream id
create index on control.tenant (organization_id, azure_tenant_id);
-- the command line finds a tenant by its upstream id
create index on control.tenant (azure_tenant_id);

grant select, insert, update on control.organization, control.tenant to tenantscope_ingest, tenantscope_admin;
-- Snapshots need the tenants, their time zones and when they were connected.
grant usage on schema control to tenantscope_jobs;
grant select (id, name, azure_tenant_id, organization_id, plan, time_zone, connected_at) on control.tenant to tenantscope_jobs;

-- The login of key look-ups may use this schema; only the functions that it needs are left executable.
grant usage on schema control to tenantscope_keys;
revoke execute on function control.current_timeline() from public;
grant execute on function control.current_timeline() to tenantscope_ingest;
