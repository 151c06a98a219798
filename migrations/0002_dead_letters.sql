-- schemas: control, models
--
-- Dead letters: records that could not become rows. They are written in the transaction of their batch, so each schema has its own tables.

-- The message as Kafka delivered it, stored once, however many of its elements are dead letters.
create table :schema.dead_letter_message (
  id          uuid primary key, -- a digest of cluster, topic id, partition and offset
  topic       text           not null,
  partition   integer        not null,
  "offset"    bigint         not null,
  produced_at timestamptz(3),
  key         bytea,
  value       bytea,
  -- [[name, base64], …] in their order; a name may repeat. Not jsonb: a header's name may contain a NUL, which jsonb rejects.
  headers     json           not null
);

create table :schema.dead_letter (
  id               uuid primary key, -- a digest of the message's id and the element
  message_id       uuid           not null references :schema.dead_letter_message on delete cascade,
  element          integer        not null,
  tenant_id        uuid,
  reason           text           not null,
  stage            text           not null,
  detail           text           not null check (length(detail) <= 512),
  format           text,
  state            text           not null default 'pending' check (state in ('pending', 'replayed', 'settled', 'discarded')),
  replays          integer        not null default 0,
  worker_version   text           not null,
  dead_lettered_at timestamptz(3) not null default clock_timestamp(),
  changed_at       timestamptz(3) not null default clock_timestamp()
);
-- list the dead letters of one tenant, newest first
create index on :schema.dead_letter (tenant_id, dead_lettered_at desc, id);
-- list all dead letters, newest first
create index on :schema.dead_letter (dead_lettered_at desc, id);
-- count pending dead letters by tenant and reason (tenantscope status)
create index on :schema.dead_letter (tenant_id, reason) where state = 'pending';
-- find the dead letters of a message, and delete them with it
create index on :schema.dead_letter (message_id);

alter table :schema.dead_letter_message enable row level security;
alter table :schema.dead_letter_message force row level security;
alter table :schema.dead_letter enable row level security;
alter table :schema.dead_letter force row level security;
create policy operators on :schema.dead_letter_message to tenantscope_ingest, tenantscope_admin using (true) with check (true);
create policy operators on :schema.dead_letter to tenantscope_ingest, tenantscope_admin using (true) with check (true);

grant select, insert, update on :schema.dead_letter_message, :schema.dead_letter to tenantscope_ingest;
grant select on :schema.dead_letter_message, :schema.dead_letter to tenantscope_admin;
grant update (state, replays, changed_at) on :schema.dead_letter to tenantscope_admin;
