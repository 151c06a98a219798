-- schemas: models
--
-- Every decision whether to notify a user. A decision never changes; it follows the rules of mutable records so that a repeated message
-- writes nothing.

create table models.notification (
  tenant_id    uuid             not null,
  id           text collate "C" not null,
  version      bigint           not null,
  digest       bytea            not null,
  updated_at   timestamptz(3)   not null,
  created_at   timestamptz(3)   not null,
  decision     text collate "C" not null,
  source       text collate "C" not null,
  kind         text collate "C" not null,
  channel      text collate "C" not null,
  severity     text collate "C",
  policy_id    text collate "C",
  subject_type text collate "C",
  resource_id  text collate "C",
  document     text             not null,
  detail       text, -- always null: there is no by-id read
  primary key (tenant_id, id) -- every write
);
-- GET /notifications by createdAt, both directions
create index notification_created on models.notification (tenant_id, created_at, id);
-- GET /notifications by updatedAt: polling
create index notification_updated on models.notification (tenant_id, updated_at, id);
select models.enable_tenant_isolation('models.notification');
