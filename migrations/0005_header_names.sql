-- schemas: control, models
--
-- A header's name may hold a NUL, which jsonb refuses and json keeps as it was written.

alter table :schema.dead_letter_message alter column headers type json using headers::json;
