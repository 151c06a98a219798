-- schemas: control
--
-- What administrators do. Every change of a table that administrators write is an event of its organization's chain, written by the table's own
-- trigger in the same transaction, so that no way of writing can forget it. The admin's login can read events and not touch them.

create table control.admin_event (
  chain           uuid             not null, -- the organization, or zeros for what concerns the installation
  number          bigint           not null, -- 1, 2, 3 … without gaps
  at              timestamptz(3)   not null,
  actor           text             not null, -- person:<id>, cli:<operating system's user>, database:<login>
  session_id      text,
  request_id      text,
  act             text             not null, -- created, changed, or what else was done
  subject_type    text             not null,
  subject_id      text             not null,
  before          jsonb,
  after           jsonb,
  previous_sha256 bytea, -- null of the first
  sha256          bytea            not null, -- of previous_sha256 and the RFC 8785 form of the members before it
  primary key (chain, number)
);
-- the log by time, and by subject
create index admin_event_at on control.admin_event (chain, at, number);
create index admin_event_subject on control.admin_event (chain, subject_type, subject_id, number);

-- Where each chain ends. Its lock puts the events of an organization into one order.
create table control.admin_event_head (
  chain  uuid   primary key,
  number bigint not null,
  sha256 bytea
);

-- RFC 8785 of values whose numbers are safe integers and whose member names are ASCII, which events' are.
create function control.canonical(value jsonb) returns text
  language plpgsql immutable strict parallel safe set search_path = pg_catalog, pg_temp as $$
declare
  inner_text text;
begin
  case jsonb_typeof(value)
    when 'object' then
      select string_agg(to_json(m.key)::text || ':' || control.canonical(m.value), ',' order by m.key collate "C") into inner_text from jsonb_each(value) m;
      return '{' || coalesce(inner_text, '') || '}';
    when 'array' then
      select string_agg(control.canonical(e.value), ',' order by e.position) into inner_text from jsonb_array_elements(value) with ordinality e (value, position);
      return '[' || coalesce(inner_text, '') || ']';
    else
      return value::text;
  end case;
end $$;

create function control.append_admin_event(
  chain uuid, act text, subject_type text, subject_id text, before jsonb, after jsonb)
  returns void
  language plpgsql security definer set search_path = pg_catalog, pg_temp set timezone = 'UTC' as $$
declare
  head    control.admin_event_head;
  event   control.admin_event;
begin
  event.chain := coalesce(append_admin_event.chain, '00000000-0000-0000-0000-000000000000');
  event.actor := coalesce(nullif(current_setting('tenantscope.actor', true), ''),
                          case when session_user <> 'tenantscope_admin' then 'database:' || session_user end);
  if event.actor is null then
    raise insufficient_privilege using message = 'an administrator''s change names who makes it: set tenantscope.actor in the transaction';
  end if;
  insert into control.admin_event_head (chain, number) values (event.chain, 0) on conflict do nothing;
  select * into strict head from control.admin_event_head h where h.chain = event.chain for update;
  event.number := head.number + 1;
  event.at := clock_timestamp();
  event.session_id := nullif(current_setting('tenantscope.session', true), '');
  event.request_id := nullif(current_setting('tenantscope.request', true), '');
  event.act := append_admin_event.act;
  event.subject_type := append_admin_event.subject_type;
  event.subject_id := append_admin_event.subject_id;
  event.before := append_admin_event.before;
  event.after := append_admin_event.after;
  event.previous_sha256 := head.sha256;
  event.sha256 := sha256(coalesce(head.sha256, '') || convert_to(control.canonical(jsonb_build_object(
    'chain', event.chain, 'number', event.number, 'at', to_char(event.at, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'actor', event.actor,
    'sessionId', event.session_id, 'requestId', event.request_id, 'act', event.act, 'subjectType', event.subject_type, 'subjectId', event.subject_id,
    'before', event.before, 'after', event.after)), 'UTF8'));
  insert into control.admin_event select event.*;
  update control.admin_event_head h set number = event.number, sha256 = event.sha256 where h.chain = event.chain;
end $$;

-- What happened without changing a row: a sign-in, a run in the playground, evidence taken away. Only these words, so that nobody can pretend a change.
create function control.note_admin_event(chain uuid, act text, subject_type text, subject_id text, details jsonb)
  returns void
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if act not in ('signed in', 'sign-in failed', 'signed out', 'ran', 'downloaded', 'opened', 'exported') then
    raise invalid_parameter_value using message = 'no act that may be noted: ' || act;
  end if;
  perform control.append_admin_event(chain, act, subject_type, subject_id, null, details);
end $$;

-- The trigger of every table that administrators write. Arguments: columns that are left out.
create function control.record_admin_event() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp set timezone = 'UTC' as $$
declare
  before jsonb := case when tg_op <> 'INSERT' then to_jsonb(old) - tg_argv end;
  after  jsonb := case when tg_op <> 'DELETE' then to_jsonb(new) - tg_argv end;
  subject jsonb := coalesce(after, before);
begin
  if before is not distinct from after then
    return null;
  end if;
  perform control.append_admin_event(
    coalesce(
      case when tg_table_name = 'organization' then (subject ->> 'id')::uuid end,
      (subject ->> 'organization_id')::uuid,
      (select t.organization_id from control.tenant t where t.id = (subject ->> 'tenant_id')::uuid)),
    case tg_op when 'INSERT' then 'created' when 'UPDATE' then 'changed' else 'removed' end,
    tg_table_name, subject ->> 'id', before, after);
  return null;
end $$;

create trigger record_admin_event after insert or update on control.organization
  for each row execute function control.record_admin_event('digest', 'changed_at');
create trigger record_admin_event after insert or update on control.tenant
  for each row execute function control.record_admin_event('digest', 'changed_at');
create trigger record_admin_event after insert or update on control.api_key
  for each row execute function control.record_admin_event('secret_sha256');

-- Keys: what a new one replaces, who made it, and how long one may live.
alter table control.organization add column key_lifetime_days integer check (key_lifetime_days between 1 and 3650); -- null: without end
alter table control.api_key
  add column kind       text not null default 'api' check (kind in ('api', 'playground')),
  add column created_by text,
  add column replaces   uuid references control.api_key;

create function control.guard_api_key() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  lifetime_days integer;
begin
  if tg_op = 'UPDATE' then
    if old.revoked_at is not null and new.revoked_at is distinct from old.revoked_at then
      raise insufficient_privilege using message = 'a revoked key stays revoked';
    end if;
    if (old.revoked_at is not null or old.expires_at <= clock_timestamp()) and new.expires_at is distinct from old.expires_at then
      raise insufficient_privilege using message = 'a key that has ended does not come back';
    end if;
    if new.expires_at is not distinct from old.expires_at then
      return new;
    end if;
  end if;
  select o.key_lifetime_days into lifetime_days
    from control.organization o
   where o.id = coalesce(new.organization_id, (select t.organization_id from control.tenant t where t.id = new.tenant_id));
  if lifetime_days is not null
     and (new.expires_at is null or new.expires_at > new.created_at + make_interval(days => lifetime_days)) then
    raise check_violation using message = 'the organization lets a key live at most ' || lifetime_days || ' days';
  end if;
  return new;
end $$;
create trigger guard_api_key before insert or update on control.api_key for each row execute function control.guard_api_key();

-- The admin's login makes keys, names them and ends them. It cannot read a hash, widen a key or hand it to another tenant.
revoke select, insert, update on control.api_key from tenantscope_admin;
grant select (id, display, name, scopes, tenant_id, organization_id, created_at, expires_at, revoked_at, kind, created_by, replaces)
  on control.api_key to tenantscope_admin;
grant insert (secret_sha256, display, name, scopes, tenant_id, organization_id, expires_at, kind, created_by, replaces)
  on control.api_key to tenantscope_admin;
grant update (name, expires_at, revoked_at) on control.api_key to tenantscope_admin;
grant select on control.admin_event, control.admin_event_head to tenantscope_admin; -- the head tells a cut tail
revoke execute on function control.canonical, control.append_admin_event, control.note_admin_event, control.record_admin_event, control.guard_api_key from public;
grant execute on function control.note_admin_event to tenantscope_admin;

-- How keys are used: hours for two days, days for as long as the log is kept.
create table control.api_key_usage_hour (
  key_id            uuid           not null references control.api_key,
  at                timestamptz(3) not null,
  requests          bigint         not null,
  refused           bigint         not null, -- answered 4xx, those below among them
  over_limit        bigint         not null, -- answered 429
  refused_after_end bigint         not null, -- tried although revoked or expired
  last_used_at      timestamptz(3) not null,
  last_address      text,
  last_agent        text,
  primary key (key_id, at)
) with (fillfactor = 50);
create table control.api_key_usage_day (like control.api_key_usage_hour including all) with (fillfactor = 50);
alter table control.api_key_usage_day add foreign key (key_id) references control.api_key;
grant select on control.api_key_usage_hour, control.api_key_usage_day to tenantscope_admin;

drop function control.add_key_usage;
-- A batch each 15 s and at exit, from every instance: at most one entry a key. What a key did before it ended counts as use; what it was refused
-- afterwards does not.
create function control.add_key_usage(usage jsonb) returns void
  language sql volatile security definer set search_path = pg_catalog, pg_temp set timezone = 'UTC' as $$
  with given as materialized (
    select u.*
      from jsonb_to_recordset(usage) as u (key_id uuid, requests bigint, refused bigint, over_limit bigint, refused_after_end bigint,
                                           last_used_at timestamptz, last_address text, last_agent text)
     where exists (select from control.api_key k where k.id = u.key_id)
     order by u.key_id
  ), total as (
    insert into control.api_key_usage as t (key_id, requests, last_used_at)
    select key_id, requests, last_used_at from given where requests > 0 order by key_id
    on conflict (key_id) do update
      set requests = t.requests + excluded.requests, last_used_at = greatest(t.last_used_at, excluded.last_used_at)
  ), hours as (
    insert into control.api_key_usage_hour as t
    select key_id, date_trunc('hour', last_used_at), requests, refused, over_limit, refused_after_end, last_used_at, last_address, last_agent
      from given order by key_id
    on conflict (key_id, at) do update
      set requests = t.requests + excluded.requests, refused = t.refused + excluded.refused, over_limit = t.over_limit + excluded.over_limit,
          refused_after_end = t.refused_after_end + excluded.refused_after_end, last_used_at = greatest(t.last_used_at, excluded.last_used_at),
          last_address = excluded.last_address, last_agent = excluded.last_agent
  ), days as (
    insert into control.api_key_usage_day as t
    select key_id, date_trunc('day', last_used_at), requests, refused, over_limit, refused_after_end, last_used_at, last_address, last_agent
      from given order by key_id
    on conflict (key_id, at) do update
      set requests = t.requests + excluded.requests, refused = t.refused + excluded.refused, over_limit = t.over_limit + excluded.over_limit,
          refused_after_end = t.refused_after_end + excluded.refused_after_end, last_used_at = greatest(t.last_used_at, excluded.last_used_at),
          last_address = excluded.last_address, last_agent = excluded.last_agent
  ), old_hours as (
    delete from control.api_key_usage_hour o using given g where o.key_id = g.key_id and o.at < g.last_used_at - interval '49 hours'
  )
  delete from control.api_key_usage_day o using given g where o.key_id = g.key_id and o.at < g.last_used_at - interval '401 days'
$$;
revoke execute on function control.add_key_usage from public;
grant execute on function control.add_key_usage to tenantscope_keys;
