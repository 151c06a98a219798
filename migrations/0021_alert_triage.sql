-- schemas: models
--
-- Vendors do not tell when an alert was first taken up: only that it is not new any more. The earliest of our stamps at which that was told,
-- in whatever order its states arrive; null while none told it.

alter table models.security_alert add column first_left_new_at timestamptz(3);
