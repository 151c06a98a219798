-- schemas: control
--
-- As before, and an account that a token of the host takes over has no session of its former owner left: such a session would have the new role and tenants for up to 12 hours.

create or replace function control.accept_set_up_token(token_sha256 bytea, member_name text, member_subject text) returns uuid
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  token       control.set_up_token;
  accepted_id uuid;
  ended       integer;
begin
  update control.set_up_token t set used_at = clock_timestamp()
   where t.sha256 = token_sha256 and t.used_at is null and t.revoked_at is null and t.expires_at > clock_timestamp()
  returning * into token;
  if token.id is null then
    return null;
  end if;
  insert into control.member (organization_id, name, source, subject, role, tenant_ids)
  values (token.organization_id, member_name, 'local', member_subject, token.role, token.tenant_ids)
  on conflict (source, subject) do nothing returning id into accepted_id;
  if accepted_id is null and token.created_by not like 'member:%' then
    update control.member m set name = member_name, role = token.role, tenant_ids = token.tenant_ids
     where m.source = 'local' and m.subject = member_subject and m.organization_id = token.organization_id returning m.id into accepted_id;
    update control.console_session s set ended_at = clock_timestamp()
     where s.member_id = accepted_id and s.ended_at is null and s.ends_at > clock_timestamp();
    get diagnostics ended = row_count;
    if ended > 0 then
      perform control.append_admin_event(token.organization_id, 'ended', 'session', accepted_id::text, null, jsonb_build_object('sessions', ended));
    end if;
  end if;
  if accepted_id is null then
    raise unique_violation using message = 'this name is taken';
  end if;
  return accepted_id;
end $$;
