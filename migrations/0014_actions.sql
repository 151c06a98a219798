-- schemas: models
--
-- The remediation ledger: the newest state of each action. ledger, steps and settled_at are not served; the evidence of agents is made of them.

create table models.action (
  tenant_id       uuid             not null,
  id              text collate "C" not null,
  version         bigint           not null,
  digest          bytea            not null,
  updated_at      timestamptz(3)   not null,
  created_at      timestamptz(3)   not null,
  first_seen_at   timestamptz(3),
  rung            text collate "C" not null,
  action_type     text collate "C" not null,
  policy_id       text collate "C",
  actor_kind      text collate "C" not null,
  resource_type   text collate "C",
  resource_id     text collate "C",
  is_simulated    boolean          not null,
  is_irreversible boolean          not null,
  has_failures    boolean          not null,
  revert_bucket   text collate "C",
  ledger          text collate "C",
  steps           text, -- JSON: [{"rung", "at", "by", "byKind"}, …]
  settled_at      text collate "C", -- in the format of served times
  document        text             not null,
  detail          text, -- always null: there is no by-id read
  primary key (tenant_id, id) -- every write
) with (fillfactor = 70);
-- GET /actions by createdAt, both directions
create index action_created on models.action (tenant_id, created_at, id);
-- GET /actions by updatedAt: polling
create index action_updated on models.action (tenant_id, updated_at, id);
select models.enable_tenant_isolation('models.action');
