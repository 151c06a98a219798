-- schemas: control
--
-- How far a person's acts reach, decided where they are written down. The console's routes and statements decide it first; this holds when one of
-- them forgets: every act of a person is an event, and an event that its person has no right to takes its whole transaction with it.

create function control.guard_admin_event() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  id_form constant text := '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$';
  is_change constant boolean := new.act in ('created', 'changed', 'removed');
  thing constant jsonb := coalesce(new.after, new.before);
  person    control.person;
  session   control.console_session;
  of_tenant uuid;
begin
  if new.actor not like 'person:%' then
    return new;
  end if;
  if substr(new.actor, 8) ~ id_form then
    select * into person from control.person p where p.id = substr(new.actor, 8)::uuid;
  end if;
  if person.organization_id is distinct from new.chain then
    raise insufficient_privilege using message = 'a person acts in its own organization';
  end if;

  -- Without a session one signs in, and uses up what one signs in by. Signing out ends the session first.
  if new.session_id is not null then
    if new.session_id ~ id_form then
      select * into session from control.console_session s where s.id = new.session_id::uuid;
    end if;
    if session.person_id is distinct from person.id or (session.ended_at is not null or session.ends_at <= clock_timestamp()) and new.act not in ('signed out', 'ended') then
      raise insufficient_privilege using message = 'a person acts in a session of its own that lasts';
    end if;
  elsif new.act <> 'signed in' and new.subject_type <> 'person_credential' then
    raise insufficient_privilege using message = 'a person acts in a session of its own that lasts';
  end if;

  -- Who changes itself does so as what it was.
  if new.subject_type = 'person' and is_change and new.subject_id = person.id::text then
    select b.role, b.tenant_ids, b.disabled_at into person.role, person.tenant_ids, person.disabled_at
      from jsonb_populate_record(null::control.person, new.before) b;
  end if;
  if person.disabled_at is not null and new.act not in ('signed out', 'ended') then
    raise insufficient_privilege using message = 'the account is closed';
  end if;

  if new.subject_type = 'person_credential' then
    if (thing ->> 'person_id')::uuid is distinct from person.id then
      raise insufficient_privilege using message = 'a proof is changed by whose it is';
    end if;
  elsif new.subject_type = 'operation' or new.subject_type = 'api_key' and thing ->> 'kind' = 'playground' then
    if person.role not in ('admin', 'officer') then
      raise insufficient_privilege using message = 'this is not for the role ' || person.role;
    end if;
  elsif is_change or new.subject_type in ('dead_letter', 'letter_request', 'set-up') then
    if person.role <> 'admin' then
      raise insufficient_privilege using message = 'this is not for the role ' || person.role;
    end if;
  end if;

  if new.subject_type in ('api_key', 'operation') then
    of_tenant := coalesce(thing ->> 'tenant_id', thing ->> 'tenantId')::uuid;
    if of_tenant is not null and not exists (select from control.tenant t where t.id = of_tenant and t.organization_id = person.organization_id)
       or person.tenant_ids is not null and (of_tenant is null or of_tenant <> all (person.tenant_ids)) then
      raise insufficient_privilege using message = 'a person acts on tenants that it may look at';
    end if;
  elsif is_change and new.subject_type in ('person', 'organization') then
    if person.tenant_ids is not null then
      raise insufficient_privilege using message = 'this is decided by those who see the whole organization';
    end if;
  elsif is_change and new.subject_type <> 'person_credential' then
    raise insufficient_privilege using message = 'no person changes this: ' || new.subject_type;
  end if;
  return new;
end $$;
create trigger guard_admin_event before insert on control.admin_event for each row execute function control.guard_admin_event();

-- What somebody proves itself by stands in the audit of its organization.
create or replace function control.record_admin_event() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp set timezone = 'UTC' as $$
declare
  before jsonb := case when tg_op <> 'INSERT' then to_jsonb(old) - tg_argv end;
  after  jsonb := case when tg_op <> 'DELETE' then to_jsonb(new) - tg_argv end;
  thing jsonb := coalesce(after, before);
begin
  if before is not distinct from after then
    return null;
  end if;
  perform control.append_admin_event(
    coalesce(
      case when tg_table_name = 'organization' then (thing ->> 'id')::uuid end,
      (thing ->> 'organization_id')::uuid,
      (select t.organization_id from control.tenant t where t.id = (thing ->> 'tenant_id')::uuid),
      (select p.organization_id from control.person p where p.id = (thing ->> 'person_id')::uuid)),
    case tg_op when 'INSERT' then 'created' when 'UPDATE' then 'changed' else 'removed' end,
    tg_table_name, thing ->> 'id', before, after);
  return null;
end $$;

-- A key takes the place of one of its own organization, and one of the playground, which lists leave out, ends soon.
create function control.guard_key_kin() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if new.kind = 'playground' and (new.tenant_id is null or new.expires_at is null or new.expires_at > new.created_at + interval '1 hour') then
    raise check_violation using message = 'a key of the playground reads one tenant, and no longer than an hour';
  end if;
  if tg_op = 'INSERT' and new.replaces is not null and not exists (
    select from control.api_key k left join control.tenant t on t.id = k.tenant_id
     where k.id = new.replaces
       and coalesce(k.organization_id, t.organization_id, k.tenant_id) =
           coalesce(new.organization_id, (select n.organization_id from control.tenant n where n.id = new.tenant_id), new.tenant_id)) then
    raise foreign_key_violation using message = 'a key takes the place of one of its own organization';
  end if;
  return new;
end $$;
create trigger guard_key_kin before insert or update on control.api_key for each row execute function control.guard_key_kin();

-- Under a snapshot taken before the other's commit each of two administrators would see the other one stay.
create or replace function control.keep_an_admin() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if old.role = 'admin' and old.disabled_at is null and (new.role <> 'admin' or new.disabled_at is not null or new.organization_id <> old.organization_id) then
    if current_setting('transaction_isolation') <> 'read committed' then
      raise insufficient_privilege using message = 'administrators are changed in transactions that see what others committed: read committed';
    end if;
    perform from control.organization o where o.id = old.organization_id for update;
    if not exists (select from control.person p where p.organization_id = old.organization_id and p.id <> old.id and p.role = 'admin' and p.disabled_at is null) then
      raise insufficient_privilege using message = 'the last administrator of an organization stays one: make another first';
    end if;
  end if;
  return new;
end $$;

-- What is asked of ingestion, and the way in from the host, are in the audit however they were written.
create function control.record_request() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if tg_table_name = 'set_up_token' then
    if new.expires_at > clock_timestamp() + interval '1 hour' then
      raise check_violation using message = 'a set-up token is good for an hour at most';
    end if;
    perform control.append_admin_event(new.organization_id, 'opened', 'set-up', new.organization_id::text, null, null);
  else
    if current_setting('tenantscope.actor', true) like 'person:%' and current_setting('tenantscope.actor', true) <> 'person:' || new.requested_by then
      raise insufficient_privilege using message = 'a request is of whom it says it is';
    end if;
    perform control.append_admin_event(
      new.organization_id, case new.act when 'dryRun' then 'tried' when 'replay' then 'replayed' else 'discarded' end, 'letter_request', new.id::text, null,
      jsonb_strip_nulls(jsonb_build_object('letters', new.letter_ids, 'reason', new.reason)));
  end if;
  return null;
end $$;
create trigger record_request after insert on control.set_up_token for each row execute function control.record_request();
create trigger record_request after insert on control.letter_request for each row execute function control.record_request();

-- What has ended or was used up stays so.
create function control.stay_ended() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  ended text := tg_argv[0];
begin
  if to_jsonb(old) ->> ended is not null and to_jsonb(new) ->> ended is null then
    raise insufficient_privilege using message = 'what has ended stays so: ' || tg_table_name || '.' || ended;
  end if;
  return new;
end $$;
create trigger stay_ended before update on control.console_session for each row execute function control.stay_ended('ended_at');
create trigger stay_ended before update on control.set_up_token for each row execute function control.stay_ended('used_at');
create trigger stay_ended before update on control.person_credential for each row execute function control.stay_ended('spent_at');

-- A session begins for whoever arrives, and is touched by its person, or by an administrator of the organization.
create function control.guard_session() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  actor constant text := current_setting('tenantscope.actor', true);
begin
  if actor like 'person:%' and actor <> 'person:' || new.person_id
     and (tg_op = 'INSERT' or not exists (
       select from control.person whose join control.person who on who.organization_id = whose.organization_id
        where whose.id = new.person_id and 'person:' || who.id = actor and who.role = 'admin')) then
    raise insufficient_privilege using message = 'a session is begun by whose it is, and ended by an administrator of its organization';
  end if;
  if tg_op = 'INSERT' and new.ends_at > clock_timestamp() + interval '12 hours 1 minute' then
    raise check_violation using message = 'a session lasts 12 hours at most';
  end if;
  return new;
end $$;
create trigger guard_session before insert or update on control.console_session for each row execute function control.guard_session();
revoke execute on function control.guard_session, control.guard_admin_event, control.guard_key_kin, control.record_request, control.stay_ended from public;

-- The admin's login hands nothing of one person to another, and lengthens nothing.
revoke insert, update on control.person, control.person_credential, control.console_session, control.set_up_token from tenantscope_admin;
revoke delete on control.console_session from tenantscope_admin;
grant insert (organization_id, name, email, source, subject, role, tenant_ids) on control.person to tenantscope_admin;
grant update (name, email, role, tenant_ids, disabled_at, last_signed_in_at) on control.person to tenantscope_admin;
grant insert (person_id, kind, name, secret, facts) on control.person_credential to tenantscope_admin;
grant update (name, facts, used_at, spent_at) on control.person_credential to tenantscope_admin;
grant insert (id_sha256, person_id, ends_at, address, agent) on control.console_session to tenantscope_admin;
grant update (seen_at, authenticated_at, ended_at) on control.console_session to tenantscope_admin;
grant insert (sha256, organization_id, expires_at) on control.set_up_token to tenantscope_admin;
grant update (used_at) on control.set_up_token to tenantscope_admin;
