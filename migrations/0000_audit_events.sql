-- schemas: audit
--
-- The audit log. Every change that people decide is an event of its organization's chain, written by a trigger in the same transaction, so that
-- no code path can omit it. The logins of the command line and of the console can read events but not change them.
--
-- The schema is control. A database of read models on its own cannot reach it, so there the schema is models, and all events are of the
-- installation's chain.

create table :audit.admin_event (
  chain           uuid             not null, -- the organization, or zeros for events of the installation
  number          bigint           not null, -- 1, 2, 3 … without gaps
  at              timestamptz(3)   not null,
  actor           text             not null, -- member:<id>, sign-in:<source>, set-up, cli:<operating system's user>, ingest:<process>, database:<login>
  session_id      text,
  request_id      text,
  address         text, -- the network address of the request; null for events from the host
  action          text             not null, -- created, changed, removed, or one of record_admin_action
  subject_type    text             not null,
  subject_id      text             not null,
  before          jsonb,
  after           jsonb,
  previous_sha256 bytea, -- null for the first event
  sha256          bytea            not null, -- of previous_sha256 and the RFC 8785 form of the other members
  primary key (chain, number) -- the log, newest first, and the verification of the chain
);
-- the log of a period
create index admin_event_at on :audit.admin_event (chain, at, number);
-- the log of one subject
create index admin_event_subject on :audit.admin_event (chain, subject_type, subject_id, number);

-- The end of each chain. Locking its row puts the events of an organization into one order; a truncated chain does not match it.
create table :audit.admin_event_head (
  chain  uuid   primary key,
  number bigint not null,
  sha256 bytea
);

-- RFC 8785. Refused are numbers beyond 2^53 - 1, of which neighbours are one double, and names beyond U+D7FF, which UTF-16 orders otherwise than UTF-8.
create function :audit.canonical_json(value jsonb) returns text
  language plpgsql immutable strict parallel safe set search_path = pg_catalog, pg_temp set extra_float_digits = 1 as $$
declare
  inner_text text;
  is_refused boolean;
  number numeric;
  double float8;
begin
  case jsonb_typeof(value)
    when 'object' then
      select string_agg(to_json(m.key)::text || ':' || :audit.canonical_json(m.value), ',' order by m.key collate "C"), bool_or(m.key ~ '[\uE000-\U0010FFFF]')
        into inner_text, is_refused from jsonb_each(value) m;
      if is_refused then
        raise invalid_parameter_value using message = 'a member name has characters beyond U+D7FF, whose order is not defined here';
      end if;
      return '{' || coalesce(inner_text, '') || '}';
    when 'array' then
      select string_agg(:audit.canonical_json(e.value), ',' order by e.position) into inner_text from jsonb_array_elements(value) with ordinality e (value, position);
      return '[' || coalesce(inner_text, '') || ']';
    when 'number' then
      number := value::numeric;
      if number = trunc(number) and abs(number) < 9007199254740992 then
        return trunc(number)::text;
      end if;
      double := number; -- its shortest digits
      if abs(double) >= 9007199254740992 then
        raise invalid_parameter_value using message = 'no canonical form of the number ' || value::text;
      elsif abs(double) < 0.000001 then
        return regexp_replace(double::text, 'e-0?', 'e-');
      end if;
      return trim_scale(double::text::numeric)::text;
    else
      return value::text;
  end case;
end $$;

-- Who acts. The login decides which kinds of actor it can name: whatever a process sets, ingestion never acts as a person, and a login without
-- kinds of its own is named as itself. Within its kinds the setting is the process's word.
create function :audit.current_actor() returns text
  language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  named constant text := nullif(current_setting('tenantscope.actor', true), '');
  kinds constant text := case session_user
    when 'tenantscope_admin' then '^cli:'
    when 'tenantscope_console' then '^(member:|sign-in:|set-up$)'
    when 'tenantscope_ingest' then '^ingest:'
    when 'tenantscope_jobs' then '^jobs:' end;
begin
  if kinds is null then
    return 'database:' || session_user;
  end if;
  if named is null and session_user in ('tenantscope_admin', 'tenantscope_console') then
    raise insufficient_privilege using message = 'an administrative change requires an actor: set tenantscope.actor in the transaction';
  end if;
  if named !~ kinds then
    raise insufficient_privilege using message = format('the actor %s is not permitted for the login %s', named, session_user);
  end if;
  return coalesce(named, substr(session_user, length('tenantscope_') + 1) || ':' || coalesce(host(inet_client_addr()), 'local'));
end $$;

create function :audit.append_admin_event(
  chain uuid, action text, subject_type text, subject_id text, before jsonb, after jsonb)
  returns void
  language plpgsql security definer set search_path = pg_catalog, pg_temp set timezone = 'UTC' as $$
declare
  head    :audit.admin_event_head;
  event   :audit.admin_event;
begin
  event.chain := coalesce(append_admin_event.chain, '00000000-0000-0000-0000-000000000000');
  event.actor := :audit.current_actor();
  insert into :audit.admin_event_head (chain, number) values (event.chain, 0) on conflict do nothing;
  select * into strict head from :audit.admin_event_head h where h.chain = event.chain for update;
  event.number := head.number + 1;
  event.at := clock_timestamp();
  event.session_id := nullif(current_setting('tenantscope.session', true), '');
  event.request_id := nullif(current_setting('tenantscope.request', true), '');
  event.address := nullif(current_setting('tenantscope.address', true), '');
  event.action := append_admin_event.action;
  event.subject_type := append_admin_event.subject_type;
  event.subject_id := append_admin_event.subject_id;
  event.before := append_admin_event.before;
  event.after := append_admin_event.after;
  event.previous_sha256 := head.sha256;
  -- The digest covers the address only where there is one.
  event.sha256 := sha256(coalesce(head.sha256, '') || convert_to(:audit.canonical_json(jsonb_build_object(
    'chain', event.chain, 'number', event.number, 'at', to_char(event.at, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'actor', event.actor,
    'sessionId', event.session_id, 'requestId', event.request_id, 'action', event.action, 'subjectType', event.subject_type, 'subjectId', event.subject_id,
    'before', event.before, 'after', event.after)
    || case when event.address is null then '{}' else jsonb_build_object('address', event.address) end), 'UTF8'));
  insert into :audit.admin_event select event.*;
  update :audit.admin_event_head h set number = event.number, sha256 = event.sha256 where h.chain = event.chain;
end $$;

-- The chain of a row: that of its organization, or of its tenant's or its member's organization.
create function :audit.find_event_chain(table_name text, changed_row jsonb) returns uuid
  language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
  if to_regclass('control.organization') is null then
    return null;
  end if;
  return coalesce(
    case when table_name = 'organization' then (changed_row ->> 'id')::uuid end,
    (changed_row ->> 'organization_id')::uuid,
    (select t.organization_id from control.tenant t where t.id = (changed_row ->> 'tenant_id')::uuid),
    (select m.organization_id from control.member m where m.id = (changed_row ->> 'member_id')::uuid));
end $$;

-- The trigger of every audited table. Arguments: columns to leave out. A row that moves to another organization is an event of both.
create function :audit.audit_row_change() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp set timezone = 'UTC' as $$
declare
  before constant jsonb := case when tg_op <> 'INSERT' then to_jsonb(old) - coalesce(tg_argv, '{}') end;
  after  constant jsonb := case when tg_op <> 'DELETE' then to_jsonb(new) - coalesce(tg_argv, '{}') end;
  changed_row constant jsonb := coalesce(after, before);
  action constant text := case tg_op when 'INSERT' then 'created' when 'UPDATE' then 'changed' else 'removed' end;
  subject_id constant text := coalesce(changed_row ->> 'id', changed_row ->> 'feed', (changed_row ->> 'topic') || '/' || (changed_row ->> 'partition'), changed_row ->> 'tenant_id');
  chain uuid;
begin
  if before is not distinct from after then
    return null;
  end if;
  -- In the order of the chains: of two transactions that each lock two of them, one waits and none deadlocks.
  for chain in
    select distinct :audit.find_event_chain(tg_table_name, state) from unnest(array[before, after]) state where state is not null order by 1
  loop
    perform :audit.append_admin_event(chain, action, tg_table_name, subject_id, before, after);
  end loop;
  return null;
end $$;

grant usage on schema :audit to tenantscope_admin, tenantscope_console;
grant select on :audit.admin_event, :audit.admin_event_head to tenantscope_admin, tenantscope_console;
revoke execute on function :audit.canonical_json, :audit.current_actor, :audit.append_admin_event, :audit.find_event_chain,
  :audit.audit_row_change from public;
