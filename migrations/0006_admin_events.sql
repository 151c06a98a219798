-- schemas: control
--
-- What administrators do: the audited tables of the control schema, actions that change no row, and what a member may do. The events and the
-- trigger are those of 0000_audit_events.sql.

-- Records an action that changes no audited row: a sign-in, a playground run, a download. Only these words, so that no caller can fake a change.
create function control.record_admin_action(chain uuid, action text, subject_type text, subject_id text, details jsonb)
  returns void
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if action not in ('sign-in failed', 'signed out', 'ended', 'ran', 'downloaded', 'opened', 'exported', 'tried', 'replayed', 'discarded') then
    raise invalid_parameter_value using message = 'unknown action: ' || action;
  end if;
  perform control.append_admin_event(chain, action, subject_type, subject_id, null, details);
end $$;

create trigger audit_row_change after insert or update or delete on control.organization
  for each row execute function control.audit_row_change('digest', 'changed_at');
create trigger audit_row_change after insert or update or delete on control.tenant
  for each row execute function control.audit_row_change('digest', 'changed_at');
create trigger audit_row_change after insert or update or delete on control.api_key
  for each row execute function control.audit_row_change('secret_sha256');
create trigger audit_row_change after insert or update or delete on control.member
  for each row execute function control.audit_row_change('last_signed_in_at');
create trigger audit_row_change after insert or update or delete on control.member_credential
  for each row execute function control.audit_row_change('secret', 'facts', 'used_at');

create trigger audit_row_change after insert or update on control.set_up_token
  for each row execute function control.audit_row_change('sha256');

-- Requests to ingestion are in the audit log however they were written.
create function control.audit_request() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if current_setting('tenantscope.actor', true) like 'member:%' and current_setting('tenantscope.actor', true) <> 'member:' || new.requested_by then
    raise insufficient_privilege using message = 'a member can make requests in its own name only';
  end if;
  perform control.append_admin_event(
    new.organization_id, case new.action when 'dryRun' then 'tried' when 'replay' then 'replayed' else 'discarded' end, 'dead_letter_request', new.id::text, null,
    jsonb_strip_nulls(jsonb_build_object('deadLetters', new.dead_letter_ids, 'reason', new.reason)));
  return null;
end $$;

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
  -- Without a session an account is created only with the role and tenants of a token that this transaction has used.
  if new.actor = 'set-up' and new.subject_type = 'member' and not exists (
    select from control.set_up_token t
     where t.organization_id = new.chain and t.used_at >= date_trunc('milliseconds', now())
       and t.role = subject_row ->> 'role' and to_jsonb(t.tenant_ids) is not distinct from nullif(subject_row -> 'tenant_ids', 'null')) then
    raise insufficient_privilege using message = 'an account needs a set-up token with its role and tenants';
  end if;
  if (new.actor = 'set-up' or new.actor like 'sign-in:%')
     and new.subject_type not in ('account', 'member', 'member_credential', 'console_session', 'session', 'set_up_token') then
    raise insufficient_privilege using message = 'signing in and setting up change accounts and sessions only';
  end if;
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
  elsif is_change or new.subject_type in ('dead_letter', 'dead_letter_request') then
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
  elsif is_change and new.subject_type in ('member', 'organization', 'set_up_token') then
    if member.tenant_ids is not null then
      raise insufficient_privilege using message = 'this change requires access to the whole organization';
    end if;
  elsif is_change and new.subject_type <> 'member_credential' then
    raise insufficient_privilege using message = 'members cannot change ' || new.subject_type;
  end if;
  return new;
end $$;
create trigger authorize_admin_event before insert on control.admin_event for each row execute function control.authorize_admin_event();

revoke execute on function control.record_admin_action, control.audit_request, control.authorize_admin_event from public;
grant execute on function control.record_admin_action to tenantscope_console;
