-- schemas: control, models
--
-- The ledger: each state of the rows that Kafka cannot give back, such as keys, members, attestations and snapshots. A trigger writes it in the
-- transaction of the change, ingestion publishes it to the topic ledger.v1, and "tenantscope restore finish" applies what a restored database lacks.

create table :schema.ledger_entry (
  number       bigint         primary key generated always as identity, -- never used twice, also after a restore
  recorded_at  timestamptz(3) not null default clock_timestamp(),
  subject      text           not null, -- the table
  is_removal   boolean        not null,
  state        jsonb, -- of the row, of a removed one its key; null once it is published
  mac          text, -- null as the state
  topic_offset bigint -- in the topic; null: not yet published
);
-- what is to be published, every half second
create index ledger_entry_pending on :schema.ledger_entry (number) where topic_offset is null;
-- how far the topic is known
create index ledger_entry_topic_offset on :schema.ledger_entry (topic_offset);

-- Who may write to the topic must not thereby create a key or a member at the next restore: an entry has a code that only this database can compute.
create table :schema.ledger_secret (inner_key bytea not null, outer_key bytea not null);
insert into :schema.ledger_secret
select decode(replace(concat(gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), gen_random_uuid()), '-', ''), 'hex'),
       decode(replace(concat(gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), gen_random_uuid()), '-', ''), 'hex');

-- The value of a message, without its code.
create function :schema.build_ledger_entry(number bigint, recorded_at timestamptz, subject text, is_removal boolean, state jsonb) returns jsonb
  language sql stable
  return jsonb_build_object('schema', ':schema', 'number', number, 'subject', subject, 'isRemoval', is_removal,
                            'recordedAt', to_char(recorded_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'state', state);

create function :schema.ledger_mac(entry jsonb) returns text
  language sql stable
  return (select encode(sha256(outer_key || sha256(inner_key || convert_to(entry::text, 'UTF8'))), 'hex') from :schema.ledger_secret);

-- Whether a message of the topic is an entry of this database, or of the one that it was restored from.
create function :schema.is_ledger_entry(entry jsonb) returns boolean
  language sql stable security definer set search_path = pg_catalog, pg_temp
  return coalesce(entry ->> 'mac' = :schema.ledger_mac(entry - 'mac'), false);

-- The trigger of every table of the ledger. Arguments: columns to leave out. By another name than its own it records that the row has ended, whatever
-- has happened to it. A restored database is not changed before its ledger is complete.
create function :schema.record_ledger_entry() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp set timezone = 'UTC' as $$
declare
  state jsonb := to_jsonb(case tg_op when 'DELETE' then old else new end) - coalesce(tg_argv, '{}');
  is_removal constant boolean := tg_op = 'DELETE' or tg_name <> 'record_ledger_entry';
  number bigint;
  recorded_at timestamptz(3) := clock_timestamp();
begin
  if tg_table_name <> 'ingest_epoch' then
    perform :schema.require_open_epoch();
  end if;
  if is_removal then -- an erasure must not publish what it deletes
    select jsonb_object_agg(a.attname, state -> a.attname) into state
      from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any (i.indkey)
     where i.indrelid = tg_relid and i.indisprimary;
  end if;
  if tg_op <> 'UPDATE' or old is distinct from new then
    number := nextval(pg_get_serial_sequence(':schema.ledger_entry', 'number'));
    insert into :schema.ledger_entry (number, recorded_at, subject, is_removal, state, mac) overriding system value
    values (number, recorded_at, tg_table_name, is_removal, state,
            :schema.ledger_mac(:schema.build_ledger_entry(number, recorded_at, tg_table_name, is_removal, state)));
  end if;
  return null;
end $$;
revoke execute on function :schema.record_ledger_entry, :schema.ledger_mac, :schema.build_ledger_entry, :schema.is_ledger_entry from public;

create trigger record_ledger_entry after insert or update on :schema.ingest_epoch
  for each row when (new.closed_at is null) execute function :schema.record_ledger_entry();

grant select on :schema.ledger_entry to tenantscope_ingest;
grant update (state, mac, topic_offset) on :schema.ledger_entry to tenantscope_ingest;
grant execute on function :schema.build_ledger_entry, :schema.is_ledger_entry to tenantscope_ingest;
grant select (number, recorded_at, topic_offset) on :schema.ledger_entry to tenantscope_admin;
