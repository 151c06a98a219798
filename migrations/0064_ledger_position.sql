-- schemas: control, models
--
-- How far the database has the topic of the ledger. Entries of another database are in the topic too, so the last one of its own does not show it: after a long quiet
-- time a retention deletes the entries after that one. Null until ingest has compared the topic, and in a backup from before.

create table :schema.ledger_position (
  compared_to bigint, -- offset; every earlier entry is in the database
  is_only     boolean primary key default true check (is_only)
);
insert into :schema.ledger_position default values;

grant select, update (compared_to) on :schema.ledger_position to tenantscope_ingest;
