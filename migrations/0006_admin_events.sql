-- schemas: control
--
-- The audit log of administrators. Every change of a table that administrators write is an event of its organization's chain, written by the
-- table's trigger in the same transaction, so that no code path can omit it. The admin login can read events but not change them.

create table control.admin_event (
  chain           uuid             not null, -- the organization, or zeros for events of the installation
  number          bigint           not null, -- 1, 2, 3 … without gaps
  at              timestamptz(3)   not null,
  actor           text             not null, -- member:<id>, sign-in:<source>, cli:<operating system's user>, database:<login>
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
create index admin_event_at on control.admin_event (chain, at, number);
-- the log of one subject
create index admin_event_subject on control.admin_event (chain, subject_type, subject_id, number);

-- The end of each chain. Locking its row puts the events of an organization into one order; a truncated chain does not match it.
create table control.admin_event_head (
  chain  uuid   primary key,
  number bigint not null,
  sha256 bytea
);

-- RFC 8785 for values whose numbers are safe integers and whose member names are ASCII, as in events.
create function control.canonical_json(value jsonb) returns text
  language plpgsql immutable strict parallel safe set search_path = pg_catalog, pg_temp as $$
declare
  inner_text text;
begin
  case jsonb_typeof(value)
    when 'object' then
      select string_agg(to_json(m.key)::text || ':' || control.canonical_json(m.value), ',' order by m.key collate "C") into inner_text from jsonb_each(value) m;
      return '{' || coalesce(inner_text, '') || '}';
    when 'array' then
      select string_agg(control.canonical_json(e.value), ',' order by e.position) into inner_text from jsonb_array_elements(value) with ordinality e (value, position);
      return '[' || coalesce(inner_text, '') || ']';
    else
      return value::text;
  end case;
end $$;

create function control.append_admin_event(
  chain uuid, action text, subject_type text, subject_id text, before jsonb, after jsonb)
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
    raise insufficient_privilege using message = 'an administrative change requires an actor: set tenantscope.actor in the transaction';
  end if;
  insert into control.admin_event_head (chain, number) values (event.chain, 0) on conflict do nothing;
  select * into strict head from control.admin_event_head h where h.chain = event.chain for update;
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
  event.sha256 := sha256(coalesce(head.sha256, '') || convert_to(control.canonical_json(jsonb_build_object(
    'chain', event.chain, 'number', event.number, 'at', to_char(event.at, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'actor', event.actor,
    'sessionId', event.session_id, 'requestId', event.request_id, 'action', event.action, 'subjectType', event.subject_type, 'subjectId', event.subject_id,
    'before', event.before, 'after', event.after)
    || case when event.address is null then '{}' else jsonb_build_object('address', event.address) end), 'UTF8'));
  insert into control.admin_event select event.*;
  update control.admin_event_head h set number = event.number, sha256 = event.sha256 where h.chain = event.chain;
end $$;

-- Records an action that changes no audited row: a sign-in, a playground run, a download. Only these words, so that no caller can fake a change.
create function control.record_admin_action(chain uuid, action text, subject_type text, subject_id text, details jsonb)
  returns void
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if action not in ('signed in', 'sign-in failed', 'signed out', 'ended', 'ran', 'downloaded', 'opened', 'exported', 'tried', 'replayed', 'discarded') then
    raise invalid_parameter_value using message = 'unknown action: ' || action;
  end if;
  perform control.append_admin_event(chain, action, subject_type, subject_id, null, details);
end $$;

-- The trigger of every table that administrators write. Arguments: columns to leave out.
create function control.audit_row_change() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp set timezone = 'UTC' as $$
declare
  before jsonb := case when tg_op <> 'INSERT' then to_jsonb(old) - tg_argv end;
  after  jsonb := case when tg_op <> 'DELETE' then to_jsonb(new) - tg_argv end;
  changed_row jsonb := coalesce(after, before);
begin
  if before is not distinct from after then
    return null;
  end if;
  perform control.append_admin_event(
    coalesce(
      case when tg_table_name = 'organization' then (changed_row ->> 'id')::uuid end,
      (changed_row ->> 'organization_id')::uuid,
      (select t.organization_id from control.tenant t where t.id = (changed_row ->> 'tenant_id')::uuid),
      (select m.organization_id from control.member m where m.id = (changed_row ->> 'member_id')::uuid)),
    case tg_op when 'INSERT' then 'created' when 'UPDATE' then 'changed' else 'removed' end,
    tg_table_name, changed_row ->> 'id', before, after);
  return null;
end $$;
create trigger audit_row_change after insert or update on control.organization
  for each row execute function control.audit_row_change('digest', 'changed_at');
create trigger audit_row_change after insert or update on control.tenant
  for each row execute function control.audit_row_change('digest', 'changed_at');
create trigger audit_row_change after insert or update on control.api_key
  for each row execute function control.audit_row_change('secret_sha256');
create trigger audit_row_change after insert or update on control.member
  for each row execute function control.audit_row_change('last_signed_in_at');
create trigger audit_row_change after insert or update or delete on control.member_credential
  for each row execute function control.audit_row_change('secret', 'facts', 'used_at');

-- Requests to ingestion and set-up tokens are in the audit log however they were written.
create function control.audit_request() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if tg_table_name = 'set_up_token' then
    if new.expires_at > clock_timestamp() + interval '1 hour' then
      raise check_violation using message = 'a set-up token can be valid for an hour at most';
    end if;
    perform control.append_admin_event(new.organization_id, 'opened', 'set-up', new.organization_id::text, null, null);
  else
    if current_setting('tenantscope.actor', true) like 'member:%' and current_setting('tenantscope.actor', true) <> 'member:' || new.requested_by then
      raise insufficient_privilege using message = 'a member can make requests in its own name only';
    end if;
    perform control.append_admin_event(
      new.organization_id, case new.action when 'dryRun' then 'tried' when 'replay' then 'replayed' else 'discarded' end, 'dead_letter_request', new.id::text, null,
      jsonb_strip_nulls(jsonb_build_object('deadLetters', new.dead_letter_ids, 'reason', new.reason)));
  end if;
  return null;
end $$;
create trigger audit_request after insert on control.set_up_token for each row execute function control.audit_request();

-- What a member may do, checked where it is recorded. The console's routes and statements check it first; this holds when one of them is
-- missing a check: every action of a member is an event, and an event without the right to it rolls back its whole transaction.
create function control.authorize_admin_event() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  uuid_pattern constant text := '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$';
  is_change constant boolean := new.action in ('created', 'changed', 'removed');
  subject_row constant jsonb := coalesce(new.after, new.before);
  member    control.member;
  session   control.console_session;
  tenant    uuid;
begin
  if new.actor not like 'member:%' then
    return new;
  end if;
  if substr(new.actor, 8) ~ uuid_pattern then
    select * into member from control.member m where m.id = substr(new.actor, 8)::uuid;
  end if;
  if member.organization_id is distinct from new.chain then
    raise insufficient_privilege using message = 'actions are limited to the own organization of the member';
  end if;

  -- Without a session a member signs in, and its credentials are used. Signing out ends the session first.
  if new.session_id is not null then
    if new.session_id ~ uuid_pattern then
      select * into session from control.console_session s where s.id = new.session_id::uuid;
    end if;
    if session.member_id is distinct from member.id or (session.ended_at is not null or session.ends_at <= clock_timestamp()) and new.action not in ('signed out', 'ended') then
      raise insufficient_privilege using message = 'a member needs an active session of its own';
    end if;
  elsif new.action <> 'signed in' and new.subject_type <> 'member_credential' then
    raise insufficient_privilege using message = 'a member needs an active session of its own';
  end if;

  -- A member who changes itself is judged by its rights before the change.
  if new.subject_type = 'member' and is_change and new.subject_id = member.id::text then
    select b.role, b.tenant_ids, b.disabled_at into member.role, member.tenant_ids, member.disabled_at
      from jsonb_populate_record(null::control.member, new.before) b;
  end if;
  if member.disabled_at is not null and new.action not in ('signed out', 'ended') then
    raise insufficient_privilege using message = 'the account is disabled';
  end if;

  if new.subject_type = 'member_credential' then
    if (subject_row ->> 'member_id')::uuid is distinct from member.id then
      raise insufficient_privilege using message = 'a credential can be changed by its owner only';
    end if;
  elsif new.subject_type = 'operation' or new.subject_type = 'api_key' and subject_row ->> 'kind' = 'playground' then
    if member.role not in ('admin', 'officer') then
      raise insufficient_privilege using message = 'not permitted for the role ' || member.role;
    end if;
  elsif is_change or new.subject_type in ('dead_letter', 'dead_letter_request', 'set-up') then
    if member.role <> 'admin' then
      raise insufficient_privilege using message = 'not permitted for the role ' || member.role;
    end if;
  end if;

  if new.subject_type in ('api_key', 'operation') then
    tenant := coalesce(subject_row ->> 'tenant_id', subject_row ->> 'tenantId')::uuid;
    if tenant is not null and not exists (select from control.tenant t where t.id = tenant and t.organization_id = member.organization_id)
       or member.tenant_ids is not null and (tenant is null or tenant <> all (member.tenant_ids)) then
      raise insufficient_privilege using message = 'actions are limited to the visible tenants of the member';
    end if;
  elsif is_change and new.subject_type in ('member', 'organization') then
    if member.tenant_ids is not null then
      raise insufficient_privilege using message = 'this change requires access to the whole organization';
    end if;
  elsif is_change and new.subject_type <> 'member_credential' then
    raise insufficient_privilege using message = 'members cannot change ' || new.subject_type;
  end if;
  return new;
end $$;
create trigger authorize_admin_event before insert on control.admin_event for each row execute function control.authorize_admin_event();

grant select on control.admin_event, control.admin_event_head to tenantscope_admin;
revoke execute on function control.canonical_json, control.append_admin_event, control.record_admin_action, control.audit_row_change,
  control.audit_request, control.authorize_admin_event from public;
grant execute on function control.record_admin_action to tenantscope_admin;
