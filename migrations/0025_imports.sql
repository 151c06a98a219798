-- schemas: models
--
-- Imports of files by operators, and what became of their messages. Ingestion counts in the transaction that moves the lane, so the counts are exact
-- however often a process is killed and whichever producers write to the same partitions.

create table models.import (
  id           uuid           primary key default gen_random_uuid(),
  tenant_id    uuid           not null,
  topic        text           not null,
  format       text           not null,
  input        text           not null, -- how the files are split into records, where the operator names it; else 'auto'
  files        jsonb          not null, -- [{name, bytes, modifiedAtMs}], in their order; bytes is null of standard input
  started_by   text           not null,
  started_at   timestamptz(3) not null default clock_timestamp(),
  published    bigint         not null default 0, -- messages that all replicas have: an interrupted import continues behind them
  published_at timestamptz(3)                     -- when the last message of all files was published; null: interrupted or running
);

-- What a lane has read of an import. Messages are numbered from 1 and rise within a partition: one at or below the last number was sent twice.
create table models.import_lane (
  import_id     uuid    not null references models.import on delete cascade,
  cluster_id    text    not null,
  topic_id      uuid    not null,
  partition     integer not null,
  last_sequence bigint  not null,
  messages      bigint  not null,
  records       bigint  not null, -- a message may hold several; each is a row, a duplicate or a dead letter
  rows          bigint  not null,
  duplicates    bigint  not null,
  dead_letters  jsonb   not null, -- {reason: count}
  primary key (import_id, cluster_id, topic_id, partition) -- each batch with messages of imports
);

-- tenantscope imports list
create index on models.import (started_at desc);

alter table models.import enable row level security;
alter table models.import force row level security;
create policy operators on models.import to tenantscope_ingest, tenantscope_admin using (true) with check (true);
create policy owner on models.import to current_user using (true); -- models.erase_tenant

create trigger audit_row_change after insert on models.import for each row execute function :audit.audit_row_change('published', 'published_at');

grant select on models.import to tenantscope_ingest, tenantscope_admin;
grant insert (tenant_id, topic, format, input, files, started_by) on models.import to tenantscope_admin;
grant update (published, published_at) on models.import to tenantscope_admin;
grant select, insert, update on models.import_lane to tenantscope_ingest;
grant select on models.import_lane to tenantscope_admin;
