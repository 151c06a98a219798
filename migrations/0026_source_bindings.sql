-- schemas: control
--
-- Source bindings: topics of collectors that do not write the product's envelope. A binding says which format the values of a topic have and whose they
-- are. It is never changed, only removed: a dead letter names the binding that it was read with.

create table control.source_binding (
  id             uuid           primary key default gen_random_uuid(),
  cluster        text           not null check (cluster ~ '^[a-z0-9][a-z0-9-]{0,62}$'), -- a configured Kafka cluster, main by default
  topic          text           not null check (topic ~ '^[A-Za-z0-9._-]{1,249}$'),
  format         text           not null check (length(format) between 1 and 100),
  tenant_id      uuid, -- no foreign key: the records of a tenant that is gone become dead letters
  tenant_path    text           check (length(tenant_path) between 1 and 200), -- the member with the provider's id of the tenant
  created_at     timestamptz(3) not null default clock_timestamp(),
  removed_at     timestamptz(3),
  -- What ingestion found: why it does not read the topic, and when it last looked.
  problem        text,
  checked_at     timestamptz(3),
  check ((tenant_id is null) <> (tenant_path is null))
);
-- one binding at a time for each topic; ingestion, every five seconds
create unique index source_binding_topic on control.source_binding (cluster, topic) where removed_at is null;

alter table control.source_binding enable row level security;
alter table control.source_binding force row level security;
create policy operators on control.source_binding to tenantscope_ingest, tenantscope_admin using (true) with check (true);
create policy console on control.source_binding for select to tenantscope_console using (true);
create policy owner on control.source_binding to current_user using (true); -- control.erase_tenant

create trigger audit_row_change after insert or update on control.source_binding
  for each row execute function control.audit_row_change('problem', 'checked_at');

grant select on control.source_binding to tenantscope_admin, tenantscope_ingest, tenantscope_console;
grant insert (cluster, topic, format, tenant_id, tenant_path) on control.source_binding to tenantscope_admin;
grant update (removed_at) on control.source_binding to tenantscope_admin;
grant update (problem, checked_at) on control.source_binding to tenantscope_ingest;
