-- schemas: models
--
-- Records that evidence packs need and no feed carries: life-cycle events, threat events, instruction changes, permission grants, data
-- restrictions and their history. An id is the record's kind, a slash and the record's own id, which is unique within its kind only. A
-- deletion is a row of its own whose id ends in /deleted: the record is gone while its deletion is greater by (version, digest).

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
  facts          jsonb            generated always as ((document::jsonb) -> 'payload') stored, -- null for deletions
  primary key (tenant_id, id) -- every write
) with (fillfactor = 70);
-- the rows of a section in a period
create index agent_evidence_happened on models.agent_evidence (tenant_id, kind, happened_at, id);
-- how current a pack's rows were at an instant of our write clock
create index agent_evidence_updated on models.agent_evidence (tenant_id, updated_at, id);
-- whether a record was deleted: few are, and each read of a section checks it for every record
create index agent_evidence_deletion on models.agent_evidence (tenant_id, id) where is_deletion;
select models.enable_tenant_isolation('models.agent_evidence');
