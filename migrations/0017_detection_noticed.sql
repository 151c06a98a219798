-- schemas: models
--
-- An episode opens with a window that began up to a day before anybody could know. Who was told in time is judged from here: the earliest of our
-- stamps at which any of its states was told. Those known before this migration were noticed when they were last written, or earlier.

alter table models.detection add column noticed_at timestamptz(3);
