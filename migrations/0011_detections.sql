-- schemas: models
--
-- Detection episodes: the newest state of each.
--
-- This and the following tables of mutable records have in common: a row is the newest state of one record, replaced by a greater
-- (version, digest) only, so that every order of delivery ends in the same rows. updated_at is our write time, stamped by the lane like
-- discovered_at, with the same guarantee. first_seen_at is the earliest stamp of any state of the record, in whatever order they arrive:
-- evidence of a period still shows a record that existed then and changed since.

create table models.detection (
  tenant_id     uuid             not null,
  id            text collate "C" not null,
  version       bigint           not null,
  digest        bytea            not null,
  updated_at    timestamptz(3)   not null,
  opened_at     timestamptz(3)   not null, -- the begin of the episode's window, up to a day before anyone could know of it
  first_seen_at timestamptz(3),
  status        text collate "C" not null,
  severity      text collate "C" not null,
  kind          text collate "C" not null,
  level         text collate "C", -- null for kinds without tiers
  detector_id   text collate "C" not null,
  entity_type   text collate "C",
  entity_id     text collate "C",
  action_group  text collate "C",
  document      text             not null,
  detail        text,
  primary key (tenant_id, id) -- GET /detections/{id}, and every write
) with (fillfactor = 70);
-- GET /detections by openedAt, both directions
create index detection_opened on models.detection (tenant_id, opened_at, id);
-- GET /detections by updatedAt: polling
create index detection_updated on models.detection (tenant_id, updated_at, id);
select models.enable_tenant_isolation('models.detection');
