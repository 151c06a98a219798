-- schemas: control
--
-- Collectors pull the records of a tenant from a provider and publish them to Kafka (apps/collect). What operators decide is in control.collector and
-- in the audit log; how far each stream has come is in control.collector_stream, which only the collecting processes write.

create table control.collector (
  id               uuid           primary key default gen_random_uuid(),
  tenant_id        uuid           not null,
  provider         text           not null check (provider ~ '^[a-z][a-z0-9-]{0,31}$'), -- a name of the contract
  url              text           not null check (url ~ '^https?://'), -- the provider's API, without path
  settings         jsonb          not null default '{}', -- what the provider needs besides; never a secret
  secret_file      text           not null check (secret_file ~ '^/'), -- read by the collecting process before each run; its content is stored nowhere
  streams          text[]         not null check (cardinality(streams) between 1 and 100),
  interval_seconds integer        not null check (interval_seconds between 1 and 86400),
  start_at         timestamptz(3) not null, -- records before are not requested
  state            text           not null default 'active' check (state in ('active', 'paused', 'removed')),
  created_at       timestamptz(3) not null default clock_timestamp(),
  changed_at       timestamptz(3) not null default clock_timestamp()
);
-- one collector of a tenant and an address; the list of a tenant
create unique index on control.collector (tenant_id, provider, url) where state <> 'removed';

-- One stream of a collector: its lease, its position, and what was reported of it. A run has the stream while its lease lasts; a process that is killed
-- loses it to the next one, which continues at the position. Everything before the position is acknowledged by Kafka.
create table control.collector_stream (
  collector_id   uuid           not null references control.collector on delete cascade,
  stream         text           not null,
  position       jsonb,                   -- the provider module's own; null: nothing was collected
  record_count   bigint         not null default 0, -- records that Kafka has, repeated ones included
  gaps           jsonb          not null default '[]', -- [{from, to, reason}]: times whose records can no longer be collected
  due_at         timestamptz(3) not null default clock_timestamp(),
  completed_at   timestamptz(3),          -- the last request that found nothing newer was sent then
  failure_count  integer        not null default 0, -- runs that failed since the last one that did not
  failure        text,
  failure_kind   text,                    -- the kind of ProviderFailure
  failed_at      timestamptz(3),
  lease_id       uuid,                    -- of the present run; null: no run
  leased_until   timestamptz(3),
  leased_by      text,
  reported       jsonb,                   -- the sourceStatus that was published last
  reported_at    timestamptz(3),
  reported_state text,                    -- the collector's state then
  primary key (collector_id, stream)
);
-- the next stream that is due
create index on control.collector_stream (due_at);

alter table control.collector enable row level security;
alter table control.collector force row level security;
create policy collectors on control.collector to tenantscope_admin, tenantscope_collect using (true) with check (true);
create policy owner on control.collector to current_user using (true); -- control.erase_tenant

create trigger audit_row_change after insert or update or delete on control.collector
  for each row execute function control.audit_row_change('changed_at');

grant select on control.collector to tenantscope_admin, tenantscope_collect;
grant insert (tenant_id, provider, url, settings, secret_file, streams, interval_seconds, start_at) on control.collector to tenantscope_admin;
grant update (state, changed_at) on control.collector to tenantscope_admin;
grant usage on schema control to tenantscope_collect;
grant select on control.collector_stream to tenantscope_admin, tenantscope_collect;
grant insert (collector_id, stream) on control.collector_stream to tenantscope_collect;
grant update (position, record_count, gaps, due_at, completed_at, failure_count, failure, failure_kind, failed_at, lease_id, leased_until, leased_by, reported, reported_at, reported_state)
  on control.collector_stream to tenantscope_collect;
