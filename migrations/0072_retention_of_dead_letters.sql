-- schemas: control, models
--
-- Decided dead letters expired by the clock of the server: a clock that was months ahead for a minute deleted those of months. Now they expire by the accepted time
-- of 0071, which the control database has for itself.

create table if not exists :schema.retention_clock (
  is_only     boolean        primary key default true check (is_only),
  accepted_at timestamptz(3), -- dead letters expire by it; null before the first pass
  seen_at     timestamptz(3), -- at the last pass, which is made every minute
  jumped_at   timestamptz(3)  -- the clock after it had jumped; null where it is accepted
);
insert into :schema.retention_clock default values on conflict do nothing;

-- As in 0071, in both schemas.
create or replace function :schema.advance_retention_clock() returns timestamptz
  language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  at_now constant timestamptz := clock_timestamp();
  clock  :schema.retention_clock;
begin
  select * into strict clock from :schema.retention_clock for update;
  if at_now < clock.seen_at - interval '1 hour' or at_now > clock.seen_at + interval '1 day' then
    clock.jumped_at := at_now;
  elsif at_now >= clock.jumped_at + interval '1 day' then
    clock.jumped_at := null;
  end if;
  if clock.jumped_at is null then
    clock.accepted_at := at_now;
  end if;
  update :schema.retention_clock set accepted_at = clock.accepted_at, seen_at = at_now, jumped_at = clock.jumped_at;
  return clock.accepted_at;
end $$;
revoke execute on function :schema.advance_retention_clock from public;

-- As before, by the accepted time.
create or replace function :schema.delete_expired_dead_letters(retention_days integer, max_messages integer default 1000) returns integer
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  decided_before timestamptz := :schema.advance_retention_clock() - make_interval(days => greatest(retention_days, 30));
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
