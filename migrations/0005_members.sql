-- schemas: control
--
-- Members of the console: their role in an organization, their credentials and their sessions. Secrets are stored as digests only.

create table control.member (
  id                uuid           primary key default gen_random_uuid(),
  organization_id   uuid           not null references control.organization,
  name              text           not null check (name <> ''),
  email             text,
  source            text           not null check (source in ('oidc', 'local', 'demo')),
  subject           text           not null check (subject <> ''), -- issuer and subject of the identity provider, or the local name in lower case
  role              text           not null check (role in ('admin', 'officer', 'viewer')),
  tenant_ids        uuid[], -- null: every tenant of the organization
  disabled_at       timestamptz(3),
  created_at        timestamptz(3) not null default clock_timestamp(),
  last_signed_in_at timestamptz(3),
  unique (source, subject) -- every sign-in
);
-- list the members of an organization
create index on control.member (organization_id);

-- An organization keeps at least one active administrator. Under a snapshot taken before the other's commit, two administrators who disable
-- themselves would each see the other one remain: hence the lock, and read committed only.
create function control.require_remaining_admin() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if old.role = 'admin' and old.disabled_at is null and (new.role <> 'admin' or new.disabled_at is not null or new.organization_id <> old.organization_id) then
    if current_setting('transaction_isolation') <> 'read committed' then
      raise insufficient_privilege using message = 'administrators can be changed in read committed transactions only';
    end if;
    perform from control.organization o where o.id = old.organization_id for update;
    if not exists (select from control.member m where m.organization_id = old.organization_id and m.id <> old.id and m.role = 'admin' and m.disabled_at is null) then
      raise insufficient_privilege using message = 'the last administrator of an organization cannot be removed: add another one first';
    end if;
  end if;
  return new;
end $$;
create trigger require_remaining_admin before update on control.member for each row execute function control.require_remaining_admin();

-- Credentials of local accounts: a password with a second factor, or passkeys. One row per credential.
create table control.member_credential (
  id          uuid           primary key default gen_random_uuid(),
  member_id   uuid           not null references control.member on delete cascade,
  kind        text           not null check (kind in ('password', 'passkey', 'totp', 'recovery')),
  name        text, -- of a passkey
  secret      text           not null, -- argon2id of a password, a passkey's public key, a TOTP secret sealed by the console's key, the digest of a recovery code
  facts       jsonb          not null default '{}', -- a passkey's id, counter and transports; the last used time step of an authenticator
  created_at  timestamptz(3) not null default clock_timestamp(),
  used_at     timestamptz(3),
  consumed_at timestamptz(3) -- of recovery codes
);
-- the credentials of a member, at sign-in
create index on control.member_credential (member_id, kind);
-- sign-in by passkey; a passkey belongs to one member
create unique index member_credential_passkey on control.member_credential ((facts ->> 'credentialId')) where kind = 'passkey';

create table control.console_session (
  id_sha256        bytea          primary key check (length(id_sha256) = 32),
  id               uuid           not null unique default gen_random_uuid(), -- its name in lists and in the audit log
  member_id        uuid           not null references control.member on delete cascade,
  created_at       timestamptz(3) not null default clock_timestamp(),
  seen_at          timestamptz(3) not null default clock_timestamp(),
  authenticated_at timestamptz(3) not null default clock_timestamp(),
  ends_at          timestamptz(3) not null, -- regardless of activity
  ended_at         timestamptz(3),
  address          text,
  agent            text
) with (fillfactor = 50);
-- list the sessions of a member
create index on control.console_session (member_id, created_at);

-- Failed sign-in attempts, by recognized device, by account and address, by account and by address: counted over 15 minutes or an hour.
create table control.sign_in_failure (
  bucket text           not null, -- device:<id>:<digest of the name>, account:<digest>@<address>, account:<digest> or address:<address>
  at     timestamptz(3) not null default clock_timestamp()
);
-- count the recent failures of an account or an address
create index on control.sign_in_failure (bucket, at);

-- Challenges of passkeys and OIDC states are sealed into a cookie; each is accepted once, whichever process receives it.
create table control.used_challenge (
  sha256  bytea          primary key check (length(sha256) = 32),
  used_at timestamptz(3) not null default clock_timestamp()
);
-- delete challenges that have expired
create index on control.used_challenge (used_at);

-- One-time links that create a local account: from the command line on the host (the first administrator, and recovery), or as an invitation by
-- an administrator.
create table control.set_up_token (
  sha256          bytea          primary key check (length(sha256) = 32),
  id              uuid           not null unique default gen_random_uuid(), -- its name in lists and in the audit log
  organization_id uuid           not null references control.organization,
  name            text           check (name <> ''), -- for whom
  role            text           not null check (role in ('admin', 'officer', 'viewer')),
  tenant_ids      uuid[]         check (cardinality(tenant_ids) > 0), -- null: every tenant of the organization
  created_by      text           not null default '', -- the actor, as the audit log names it; set by a trigger
  created_at      timestamptz(3) not null default clock_timestamp(),
  expires_at      timestamptz(3) not null,
  used_at         timestamptz(3),
  revoked_at      timestamptz(3)
);
-- list the invitations of an organization
create index on control.set_up_token (organization_id, created_at);

-- Playground runs: the request and its status, never the response.
create table control.playground_run (
  id          uuid           primary key default gen_random_uuid(),
  member_id   uuid           not null references control.member on delete cascade,
  tenant_id   uuid           not null,
  at          timestamptz(3) not null default clock_timestamp(),
  mode        text           not null check (mode in ('rest', 'mcp')),
  operation   text           not null,
  parameters  jsonb          not null,
  status      integer        not null,
  duration_ms integer        not null
);
-- list the runs of a member, newest first
create index on control.playground_run (member_id, at);

-- A member starts sessions of its own only; others may be ended by an administrator of the organization. A session lasts 12 hours at most.
create function control.authorize_session_change() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  actor constant text := current_setting('tenantscope.actor', true);
begin
  if actor like 'member:%' and actor <> 'member:' || new.member_id
     and (tg_op = 'INSERT' or not exists (
       select from control.member owner join control.member admin on admin.organization_id = owner.organization_id
        where owner.id = new.member_id and 'member:' || admin.id = actor and admin.role = 'admin')) then
    raise insufficient_privilege using message = 'a session can be started by its member only, and ended by its member or an administrator';
  end if;
  if tg_op = 'INSERT' and new.ends_at > clock_timestamp() + interval '12 hours 1 minute' then
    raise check_violation using message = 'a session can last 12 hours at most';
  end if;
  return new;
end $$;
create trigger authorize_session_change before insert or update on control.console_session
  for each row execute function control.authorize_session_change();

-- Sessions begin, and are confirmed by another authentication, through these functions only: none exists without its event in the audit log.
create function control.begin_session(id_sha256 bytea, member_id uuid, lifetime interval, address text, agent text) returns void
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  organization uuid;
begin
  update control.member m set last_signed_in_at = clock_timestamp()
   where m.id = begin_session.member_id and m.disabled_at is null returning m.organization_id into organization;
  if organization is null then
    raise insufficient_privilege using message = 'a session needs an active member';
  end if;
  perform control.append_admin_event(organization, 'signed in', 'member', begin_session.member_id::text, null, null);
  insert into control.console_session (id_sha256, member_id, ends_at, address, agent)
  values (begin_session.id_sha256, begin_session.member_id, clock_timestamp() + lifetime, begin_session.address, begin_session.agent);
end $$;

create function control.confirm_session(session_id uuid) returns void
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  confirmed control.console_session;
begin
  update control.console_session s set authenticated_at = clock_timestamp()
   where s.id = confirm_session.session_id and s.ended_at is null and s.ends_at > clock_timestamp() returning * into confirmed;
  if confirmed.id is null then
    raise insufficient_privilege using message = 'an ended session cannot be confirmed';
  end if;
  perform control.append_admin_event((select m.organization_id from control.member m where m.id = confirmed.member_id),
                                     'signed in', 'member', confirmed.member_id::text, null, null);
end $$;

-- A token of the host is valid for an hour at most, an invitation for three days, and gives access within its organization only.
create function control.check_set_up_token() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  new.created_by := control.current_actor();
  new.created_at := clock_timestamp();
  if new.created_by like 'sign-in:%' or new.created_by = 'set-up' then
    raise insufficient_privilege using message = 'a set-up token is created on the host or by an administrator';
  end if;
  if new.expires_at > new.created_at + (case when new.created_by like 'member:%' then interval '72 hours 1 minute' else interval '1 hour' end) then
    raise check_violation using message = 'a set-up token can be valid for an hour at most, an invitation for 72 hours';
  end if;
  if exists (select from unnest(new.tenant_ids) t (id)
              where not exists (select from control.tenant o where o.id = t.id and o.organization_id = new.organization_id)) then
    raise insufficient_privilege using message = 'a set-up token can give access to tenants of its own organization only';
  end if;
  return new;
end $$;
create trigger check_set_up_token before insert on control.set_up_token for each row execute function control.check_set_up_token();

-- Consumes a token and creates its member, with the role and tenants of the token: nothing else uses one. A token of the host also takes over an
-- account of the organization that has this name, for recovery; an invitation never does. Null: unknown, used, revoked or expired.
create function control.accept_set_up_token(token_sha256 bytea, member_name text, member_subject text) returns uuid
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  token     control.set_up_token;
  member_id uuid;
begin
  update control.set_up_token t set used_at = clock_timestamp()
   where t.sha256 = token_sha256 and t.used_at is null and t.revoked_at is null and t.expires_at > clock_timestamp()
  returning * into token;
  if token.id is null then
    return null;
  end if;
  insert into control.member (organization_id, name, source, subject, role, tenant_ids)
  values (token.organization_id, member_name, 'local', member_subject, token.role, token.tenant_ids)
  on conflict (source, subject) do nothing returning id into member_id;
  if member_id is null and token.created_by not like 'member:%' then
    update control.member m set name = member_name, role = token.role, tenant_ids = token.tenant_ids
     where m.source = 'local' and m.subject = member_subject and m.organization_id = token.organization_id returning m.id into member_id;
  end if;
  if member_id is null then
    raise unique_violation using message = 'this name is taken';
  end if;
  return member_id;
end $$;

-- What has ended or was used stays so. Argument: the column that says when.
create function control.prevent_reopening() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  end_column text := tg_argv[0];
begin
  if to_jsonb(old) ->> end_column is not null and to_jsonb(new) ->> end_column is null then
    raise insufficient_privilege using message = tg_table_name || '.' || end_column || ' cannot be cleared';
  end if;
  return new;
end $$;
create trigger prevent_reopening before update on control.console_session for each row execute function control.prevent_reopening('ended_at');
create trigger prevent_reopening before update on control.set_up_token for each row execute function control.prevent_reopening('used_at');
create trigger prevent_unrevoking before update on control.set_up_token for each row execute function control.prevent_reopening('revoked_at');
create trigger prevent_reopening before update on control.member_credential for each row execute function control.prevent_reopening('consumed_at');
revoke execute on function control.require_remaining_admin, control.authorize_session_change, control.prevent_reopening, control.begin_session,
  control.confirm_session, control.check_set_up_token, control.accept_set_up_token from public;
grant execute on function control.begin_session, control.confirm_session, control.accept_set_up_token to tenantscope_console;

-- The login of the console cannot move a credential, a session or a token to another member, nor extend it.
grant select on control.member, control.member_credential, control.console_session, control.set_up_token to tenantscope_console;
grant insert (organization_id, name, email, source, subject, role, tenant_ids) on control.member to tenantscope_console;
grant update (name, email, role, tenant_ids, disabled_at) on control.member to tenantscope_console;
grant insert (member_id, kind, name, secret, facts) on control.member_credential to tenantscope_console;
grant update (name, facts, used_at, consumed_at) on control.member_credential to tenantscope_console;
grant delete on control.member_credential to tenantscope_console;
grant update (seen_at, ended_at) on control.console_session to tenantscope_console;
grant insert (sha256, organization_id, name, role, tenant_ids, expires_at) on control.set_up_token to tenantscope_console;
grant update (revoked_at) on control.set_up_token to tenantscope_console;
grant select, insert, delete on control.sign_in_failure, control.used_challenge to tenantscope_console;
grant select, insert on control.playground_run to tenantscope_console;

-- The command line creates the token of an account on the host, and names members in the audit log.
grant select on control.member to tenantscope_admin;
grant select, insert (sha256, organization_id, name, role, tenant_ids, expires_at) on control.set_up_token to tenantscope_admin;
