-- schemas: models
--
-- Detection episodes: the newest state of each.

create table models.detection (
  tenant_id    uuid             not null,
  id           text collate "C" not null,
  version      bigint           not null,
  digest       bytea            not null,
  updated_at   timestamptz(3)   not null,
  opened_at    timestamptz(3)   not null,
  status       text collate "C" not null,
  severity     text collate "C" not null,
  kind         text collate "C" not null,
  level        text collate "C", -- null for kinds without tiers
  detector_id  text collate "C" not null,
  entity_type  text collate "C",
  entity_id    text collate "C",
  action_group text collate "C",
  document     text             not null,
  detail       text,
  primary key (tenant_id, id) -- GET /detections/{id}, and every write
) with (fillfactor = 70);
-- GET /detections by openedAt, both directions
create index detection_opened on models.detection (tenant_id, opened_at, id);
-- GET /detections by updatedAt: what a poller reads
create index detection_updated on models.detection (tenant_id, updated_at, id);
select models.raise_walls('models.detection');
