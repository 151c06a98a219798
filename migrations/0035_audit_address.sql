-- schemas: control
--
-- From where an administrator's change came is part of its event. Events written before have no address, and the digest covers one where there is one,
-- so that theirs stay what they are.

alter table control.admin_event add column address text;

create or replace function control.append_admin_event(
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
  event.address := nullif(current_setting('tenantscope.address', true), '');
  event.act := append_admin_event.act;
  event.subject_type := append_admin_event.subject_type;
  event.subject_id := append_admin_event.subject_id;
  event.before := append_admin_event.before;
  event.after := append_admin_event.after;
  event.previous_sha256 := head.sha256;
  event.sha256 := sha256(coalesce(head.sha256, '') || convert_to(control.canonical(jsonb_build_object(
    'chain', event.chain, 'number', event.number, 'at', to_char(event.at, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'actor', event.actor,
    'sessionId', event.session_id, 'requestId', event.request_id, 'act', event.act, 'subjectType', event.subject_type, 'subjectId', event.subject_id,
    'before', event.before, 'after', event.after)
    || case when event.address is null then '{}' else jsonb_build_object('address', event.address) end), 'UTF8'));
  insert into control.admin_event select event.*;
  update control.admin_event_head h set number = event.number, sha256 = event.sha256 where h.chain = event.chain;
end $$;

-- A session that was ended changes no row that is audited.
create or replace function control.note_admin_event(chain uuid, act text, subject_type text, subject_id text, details jsonb)
  returns void
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if act not in ('signed in', 'sign-in failed', 'signed out', 'ended', 'ran', 'downloaded', 'opened', 'exported', 'tried', 'replayed', 'discarded') then
    raise invalid_parameter_value using message = 'no act that may be noted: ' || act;
  end if;
  perform control.append_admin_event(chain, act, subject_type, subject_id, null, details);
end $$;
