-- schemas: control, models
--
-- Dead letters: records that could not become rows. They are written in the transaction of their batch, so each schema has its own tables.

-- The message as Kafka delivered it, stored once, however many of its elements are dead letters.
create table :schema.dead_letter_message (
  id          uuid primary key, -- a digest of cluster, topic id, partition and offset
  topic       text           not null,
  partition   integer        not null,
  "offset"    bigint         not null,
  produced_at timestamptz(3),
  key         bytea,
  value       bytea,
  -- [[name, base64], …] in their order; a name may repeat. Not jsonb: a header's name may contain a NUL, which jsonb rejects.
  headers     json           not null,
  binding_id  uuid, -- the source binding of its topic when it was read; key and headers are then no envelope
  import_id   uuid, -- the import that published it, by its header: a claim of the producer
  -- Of a message larger than what is stored: the length and the digest of its whole value. Key, value and headers are then their beginnings.
  value_bytes  bigint,
  value_sha256 bytea,
  check ((value_bytes is null) = (value_sha256 is null))
);

-- list, replay and discard the dead letters of one import
create index on :schema.dead_letter_message (import_id) where import_id is not null;

create table :schema.dead_letter (
  id               uuid primary key, -- a digest of the message's id and the element
  message_id       uuid           not null references :schema.dead_letter_message on delete cascade,
  element          integer        not null, -- index in a list of records; -1 for a message that was rejected as a whole
  topic            text           not null, -- of the message: what is counted and searched by topic needs no message
  tenant_id        uuid,
  reason           text           not null,
  stage            text           not null,
  detail           text           not null check (length(detail) <= 512),
  format           text,
  state            text           not null default 'pending' check (state in ('pending', 'replayed', 'settled', 'discarded')),
  replays          integer        not null default 0,
  worker_version   text           not null,
  dead_lettered_at timestamptz(3) not null default clock_timestamp(),
  changed_at       timestamptz(3) not null default clock_timestamp()
);
-- list the dead letters of one tenant, newest first
create index on :schema.dead_letter (tenant_id, dead_lettered_at desc, id);
-- list all dead letters, newest first
create index on :schema.dead_letter (dead_lettered_at desc, id);
-- list the dead letters of one reason, newest first, also where another reason has a million
create index on :schema.dead_letter (reason, dead_lettered_at desc, id);
-- find the dead letters of a message, and delete them with it
create index on :schema.dead_letter (message_id);
-- find decided dead letters past their retention
create index on :schema.dead_letter (changed_at) where state in ('settled', 'discarded');

-- How many dead letters there are, as differences that are written with them: the count of a group is the sum of its rows. No row is updated, so
-- that lanes do not wait for each other. Counting 800,000 dead letters took 20 s on a busy machine.
create table :schema.dead_letter_count (
  tenant_id uuid,
  topic     text           not null,
  format    text,
  reason    text           not null,
  state     text           not null,
  hour      timestamptz(3) not null, -- of dead_lettered_at: the times below are those of an hour, whatever was decided since
  amount    bigint         not null,
  first_at  timestamptz(3), -- of the dead letters that were added; null where they were removed
  last_at   timestamptz(3)
);

create function :schema.count_dead_letters() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if tg_op <> 'INSERT' then
    insert into :schema.dead_letter_count (tenant_id, topic, format, reason, state, hour, amount)
    select tenant_id, topic, format, reason, state, date_trunc('hour', dead_lettered_at, 'UTC'), -count(*) from changed_before group by 1, 2, 3, 4, 5, 6;
  end if;
  if tg_op <> 'DELETE' then
    insert into :schema.dead_letter_count
    select tenant_id, topic, format, reason, state, date_trunc('hour', dead_lettered_at, 'UTC'), count(*), min(dead_lettered_at), max(dead_lettered_at)
      from changed_after group by 1, 2, 3, 4, 5, 6;
  end if;
  return null;
end $$;
revoke execute on function :schema.count_dead_letters from public;
create trigger count_inserted after insert on :schema.dead_letter
  referencing new table as changed_after for each statement execute function :schema.count_dead_letters();
create trigger count_updated after update on :schema.dead_letter
  referencing old table as changed_before new table as changed_after for each statement execute function :schema.count_dead_letters();
create trigger count_deleted after delete on :schema.dead_letter
  referencing old table as changed_before for each statement execute function :schema.count_dead_letters();

-- Replaces the rows of a group and hour by their sum, once they are several. A caller does nothing while another one sums, or a tenant is erased.
create function :schema.sum_dead_letter_counts() returns void
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if not pg_try_advisory_xact_lock(hashtext('tenantscope.:schema.dead_letter_count')) then return; end if;
  -- No row is updated, so a ctid is that of this statement's snapshot.
  with several as (
    select unnest(array_agg(ctid)) as id from :schema.dead_letter_count
     group by tenant_id, topic, format, reason, state, hour having count(*) > 1 or sum(amount) = 0
  ), removed as (
    delete from :schema.dead_letter_count c using several where c.ctid = several.id returning c.*
  )
  insert into :schema.dead_letter_count
  select tenant_id, topic, format, reason, state, hour, sum(amount), min(first_at), max(last_at)
    from removed group by 1, 2, 3, 4, 5, 6 having sum(amount) <> 0;
end $$;
revoke execute on function :schema.sum_dead_letter_counts from public;
grant execute on function :schema.sum_dead_letter_counts to tenantscope_ingest;

alter table :schema.dead_letter_message enable row level security;
alter table :schema.dead_letter_message force row level security;
alter table :schema.dead_letter enable row level security;
alter table :schema.dead_letter force row level security;
alter table :schema.dead_letter_count enable row level security;
alter table :schema.dead_letter_count force row level security;
create policy console on :schema.dead_letter_message for select to tenantscope_console using (true);
create policy console on :schema.dead_letter for select to tenantscope_console using (true);
create policy console on :schema.dead_letter_count for select to tenantscope_console using (true);
create policy operators on :schema.dead_letter_message to tenantscope_ingest, tenantscope_admin using (true) with check (true);
create policy operators on :schema.dead_letter to tenantscope_ingest, tenantscope_admin using (true) with check (true);
create policy operators on :schema.dead_letter_count to tenantscope_ingest, tenantscope_admin using (true) with check (true);
-- The owner, as whom these functions run, is subject to row-level security too.
create policy owner on :schema.dead_letter_message to current_user using (true);
create policy owner on :schema.dead_letter to current_user using (true);
create policy owner on :schema.dead_letter_count to current_user using (true);

-- Deletes messages whose dead letters were all decided before the retention, with these dead letters; pending and replayed ones stay however
-- old they are. Ingest has no other right to delete, and not below 30 days. A limited number, so that no caller waits for it. Returns how many
-- messages were deleted.
create function :schema.delete_expired_dead_letters(retention_days integer, max_messages integer default 1000) returns integer
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  decided_before timestamptz := clock_timestamp() - make_interval(days => greatest(retention_days, 30));
  expired        uuid[] := array(select d.message_id from :schema.dead_letter d
                                  where d.state in ('settled', 'discarded') and d.changed_at < decided_before
                                    and not exists (select from :schema.dead_letter o
                                                     where o.message_id = d.message_id
                                                       and (o.state not in ('settled', 'discarded') or o.changed_at >= decided_before))
                                  order by d.changed_at limit max_messages);
  deleted        integer;
begin
  -- In one statement, which is counted once, and not by the deletion of each message.
  delete from :schema.dead_letter where message_id = any (expired);
  delete from :schema.dead_letter_message where id = any (expired);
  get diagnostics deleted = row_count;
  return deleted;
end $$;
revoke execute on function :schema.delete_expired_dead_letters from public;
grant execute on function :schema.delete_expired_dead_letters to tenantscope_ingest;

-- Deletes dead letters of a tenant that is erased, pending ones too, with their messages; called by the functions that check the erasure. A message
-- that also has dead letters of other tenants stays with those. Returns how many dead letters were deleted.
create function :schema.erase_dead_letters(tenant uuid, max_rows integer) returns integer
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  deleted  integer;
  messages uuid[];
begin
  perform set_config('tenantscope.erasing', 'on', true); -- one event for all, by models.erase_tenant
  with of_tenant as (
    delete from :schema.dead_letter where id = any (array(select id from :schema.dead_letter where tenant_id = tenant limit max_rows)) returning message_id)
  select count(*), array_agg(distinct message_id) into deleted, messages from of_tenant;
  delete from :schema.dead_letter_message m
   where m.id = any (messages) and not exists (select from :schema.dead_letter d where d.message_id = m.id);
  if deleted < max_rows then -- the differences of the tenant, whose sums are zero now; none is being summed
    perform pg_advisory_xact_lock(hashtext('tenantscope.:schema.dead_letter_count'));
    delete from :schema.dead_letter_count where tenant_id = tenant;
  end if;
  return deleted;
end $$;
revoke execute on function :schema.erase_dead_letters from public;

-- Decisions: a replay, a discard, and whatever another login than ingestion does. That a replay became a row, or failed again, is none. A decision
-- about one dead letter is an event with its row, unless its transaction names a bulk action.
create trigger audit_row_change after update of state, replays on :schema.dead_letter for each row
  when (coalesce(current_setting('tenantscope.bulk_action', true), '') = ''
        and (old.state, old.replays) is distinct from (new.state, new.replays)
        and (session_user <> 'tenantscope_ingest' or new.state in ('replayed', 'discarded')))
  execute function :audit.audit_row_change('message_id', 'element', 'stage', 'detail', 'format', 'worker_version', 'changed_at');

-- A bulk action, {"id", "filter"}, is one event per statement, tenant and decision: 100,000 dead letters as events of their own took over a minute and
-- hid all others. The rows are counted and digested here, whatever the transaction says about them: sha256 of their ids as text, ascending, each
-- followed by a line feed.
create function :schema.audit_bulk_decision() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp set timezone = 'UTC' as $$
declare
  bulk_action constant jsonb := current_setting('tenantscope.bulk_action')::jsonb;
  decision record;
begin
  for decision in
    with changed as (
      select n.id, n.tenant_id, n.reason, n.state, o.state as old_state from changed_before o join changed_after n using (id)
       where (o.state, o.replays) is distinct from (n.state, n.replays)
         and (session_user <> 'tenantscope_ingest' or n.state in ('replayed', 'discarded')))
    select tenant_id, state, count(*) as amount, sha256(convert_to(string_agg(id || E'\n', '' order by id), 'UTF8')) as ids_sha256,
           (select jsonb_object_agg(old_state, amount) from (select old_state, count(*) as amount from changed o
             where o.tenant_id is not distinct from c.tenant_id and o.state = c.state group by 1) old_states) as old_states,
           (select jsonb_object_agg(reason, amount) from (select reason, count(*) as amount from changed r
             where r.tenant_id is not distinct from c.tenant_id and r.state = c.state group by 1) reasons) as reasons
      from changed c group by tenant_id, state
     -- as audit_row_change: two transactions lock chains in one order
     order by :audit.find_event_chain('dead_letter', jsonb_build_object('tenant_id', tenant_id)), tenant_id, state
  loop
    perform :audit.append_admin_event(
      :audit.find_event_chain('dead_letter', jsonb_build_object('tenant_id', decision.tenant_id)), 'changed', 'dead_letters', bulk_action ->> 'id',
      jsonb_build_object('state', decision.old_states),
      jsonb_build_object('tenant_id', decision.tenant_id, 'state', decision.state, 'count', decision.amount, 'reasons', decision.reasons,
                         'ids_sha256', encode(decision.ids_sha256, 'hex'), 'filter', bulk_action -> 'filter'));
  end loop;
  return null;
end $$;
revoke execute on function :schema.audit_bulk_decision from public;
create trigger audit_bulk_decision after update on :schema.dead_letter
  referencing old table as changed_before new table as changed_after for each statement
  when (coalesce(current_setting('tenantscope.bulk_action', true), '') <> '') execute function :schema.audit_bulk_decision();
create trigger audit_row_delete after delete on :schema.dead_letter for each row
  when (session_user <> 'tenantscope_ingest' and coalesce(current_setting('tenantscope.erasing', true), '') = '')
  execute function :audit.audit_row_change('message_id', 'element', 'stage', 'detail', 'format', 'worker_version', 'changed_at');

grant select, insert, update on :schema.dead_letter_message, :schema.dead_letter to tenantscope_ingest;
grant select on :schema.dead_letter_message, :schema.dead_letter to tenantscope_admin, tenantscope_console;
grant select on :schema.dead_letter_count to tenantscope_ingest, tenantscope_admin, tenantscope_console;
grant update (state, replays, changed_at) on :schema.dead_letter to tenantscope_admin;
