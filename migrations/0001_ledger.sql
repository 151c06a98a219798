-- schemas: control, models
--
-- What one Kafka batch leaves behind besides its rows: the lane it moved and the dead letters it set aside. Control and read models may
-- live in different databases and a batch is one transaction, so each has a ledger of its own.

-- A lane is one topic-partition. Its row is the lock, the offset, the stamp and the watermark of everything that partition writes.
create table :schema.ingest_lane (
  cluster_id          text           not null,
  topic_id            uuid           not null, -- a recreated topic is a new lane
  partition           integer        not null,
  topic               text           not null,
  source              text           not null, -- the topic's name without its prefix
  next_offset         bigint         not null default 0,
  previous_settled_at timestamptz(3) not null default 'epoch',
  settled_at          timestamptz(3) not null, -- nothing of this lane can appear at or before it any more
  written_at          timestamptz(3),
  opened              boolean        not null default false,
  state               text           not null default 'running' check (state in ('running', 'stopped', 'tripped')),
  reason              text,
  primary key (cluster_id, topic_id, partition)
) with (fillfactor = 20); -- so that every tick stays a HOT update

-- A promoted standby is a new timeline: a new epoch. Until it is opened the ticker stands still.
create table :schema.ingest_epoch (
  timeline  text primary key,
  opened_at timestamptz(3) not null default clock_timestamp()
);

create function :schema.current_timeline() returns text
  language sql volatile
  return substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8);

-- The first writer after a promotion lifts every lane above all that the lost node can have served. Clocks may differ by less than 5 s.
create function :schema.open_epoch() returns boolean
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  opened boolean;
begin
  if exists (select from :schema.ingest_epoch where timeline = :schema.current_timeline()) then
    return false;
  end if;
  lock table :schema.ingest_epoch in share row exclusive mode;
  if exists (select from :schema.ingest_epoch) then
    update :schema.ingest_lane
       set settled_at = greatest(settled_at, date_trunc('milliseconds', clock_timestamp()) + interval '5 s');
  end if;
  insert into :schema.ingest_epoch (timeline) values (:schema.current_timeline()) on conflict do nothing;
  get diagnostics opened = row_count;
  return opened;
end $$;

-- The message as Kafka gave it, once, however many of its elements were set aside.
create table :schema.dead_letter_message (
  id          uuid primary key, -- a digest of cluster, topic id, partition and offset
  topic       text           not null,
  partition   integer        not null,
  "offset"    bigint         not null,
  produced_at timestamptz(3),
  key         bytea,
  value       bytea,
  headers     jsonb          not null -- [[name, base64], …] in their order; a name may repeat
);

create table :schema.dead_letter (
  id             uuid primary key, -- a digest of the message's id and the element
  message_id     uuid           not null references :schema.dead_letter_message on delete cascade,
  element        integer        not null,
  tenant_id      uuid,
  reason         text           not null,
  stage          text           not null,
  detail         text           not null check (length(detail) <= 512),
  format         text,
  state          text           not null default 'parked' check (state in ('parked', 'replayed', 'settled', 'discarded')),
  replays        integer        not null default 0,
  worker_version text           not null,
  set_aside_at   timestamptz(3) not null default clock_timestamp(),
  changed_at     timestamptz(3) not null default clock_timestamp()
);
-- dead-letters list: newest first, of one tenant or of all
create index on :schema.dead_letter (tenant_id, set_aside_at desc, id);
create index on :schema.dead_letter (set_aside_at desc, id);
-- status: what waits for somebody
create index on :schema.dead_letter (tenant_id, reason) where state = 'parked';
create index on :schema.dead_letter (message_id);

alter table :schema.dead_letter_message enable row level security;
alter table :schema.dead_letter_message force row level security;
alter table :schema.dead_letter enable row level security;
alter table :schema.dead_letter force row level security;
create policy operators on :schema.dead_letter_message to tenantscope_ingest, tenantscope_admin using (true) with check (true);
create policy operators on :schema.dead_letter to tenantscope_ingest, tenantscope_admin using (true) with check (true);

grant usage on schema :schema to tenantscope_ingest, tenantscope_admin;
grant select, insert, update on :schema.ingest_lane to tenantscope_ingest;
grant select, insert, update on :schema.dead_letter_message, :schema.dead_letter to tenantscope_ingest;
grant select on :schema.ingest_epoch to tenantscope_ingest, tenantscope_admin;
grant select on :schema.ingest_lane, :schema.dead_letter_message, :schema.dead_letter to tenantscope_admin;
grant update (state, reason) on :schema.ingest_lane to tenantscope_admin;
grant update (state, replays, changed_at) on :schema.dead_letter to tenantscope_admin;
revoke execute on function :schema.open_epoch() from public;
grant execute on function :schema.open_epoch() to tenantscope_ingest;
