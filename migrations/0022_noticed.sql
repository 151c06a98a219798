-- schemas: models
--
-- Evidence is read as it was known at a moment, page after page, while records go on changing. A record that was known by then and changed since is
-- still shown, as it stands: noticed_at is the earliest of our stamps at which any of its states was told. Of detections it is kept already.

alter table models.action add column noticed_at timestamptz(3);
alter table models.policy_scan add column noticed_at timestamptz(3);
alter table models.security_alert add column noticed_at timestamptz(3);
