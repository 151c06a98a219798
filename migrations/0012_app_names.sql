-- schemas: models
--
-- Log rows carry the id and name of their application, joined when they are made, from what ingest keeps in mind of all apps.

-- what changed since ingest last looked, of all tenants
create index entity_app_changed on models.entity_app (updated_at) where app_id is not null;
