-- schemas: models
-- transaction: none
--
-- Files with types are sensitive: the index of these is used instead.

drop index concurrently if exists models.file_exposure_typed;
