-- schemas: models
--
-- What the evidence pack needs and no feed carries: life-cycle events, threat events, instruction changes, permission grants, restrictions of
-- data and their history. An id is the record's kind, a slash and the record's own id, since those are unique within a kind only. A deletion is
-- a row of its own, its id ending in /deleted: the record is gone while its deletion is above it by (version, digest).

create table models.agent_evidence (
  tenant_id      uuid             not null,
  id             text collate "C" not null,
  version        bigint           not null,
  digest         bytea            not null,
  updated_at     timestamptz(3)   not null,
  happened_at    timestamptz(3)   not null, -- when it occurred, was declared, was deleted or, for grants, last changed
  kind           text collate "C" not null,
  record_id      text collate "C" not null,
  agent_id       text collate "C",
  restriction_id text collate "C",
  is_deletion    boolean          not null,
  document       text             not null,
  detail         text, -- always null: there is no by-id read
  primary key (tenant_id, id) -- every write
) with (fillfactor = 70);
-- the rows of a section in a window
create index agent_evidence_happened on models.agent_evidence (tenant_id, kind, happened_at, id);
-- how far what a pack shows had come at a moment of our write clock
create index agent_evidence_updated on models.agent_evidence (tenant_id, updated_at, id);
select models.raise_walls('models.agent_evidence');
