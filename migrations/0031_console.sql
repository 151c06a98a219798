-- schemas: control
--
-- Who may use the console: people with a role in an organization, how they prove who they are, and their sessions. Secrets are stored as digests only.

create table control.person (
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
create index on control.person (organization_id);
create trigger record_admin_event after insert or update on control.person
  for each row execute function control.record_admin_event('last_signed_in_at');

-- The last administrator of an organization stays one, whoever asks.
create function control.keep_an_admin() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if old.role = 'admin' and old.disabled_at is null and (new.role <> 'admin' or new.disabled_at is not null or new.organization_id <> old.organization_id) then
    perform from control.organization o where o.id = old.organization_id for update;
    if not exists (select from control.person p where p.organization_id = old.organization_id and p.id <> old.id and p.role = 'admin' and p.disabled_at is null) then
      raise insufficient_privilege using message = 'the last administrator of an organization stays one: make another first';
    end if;
  end if;
  return new;
end $$;
create trigger keep_an_admin before update on control.person for each row execute function control.keep_an_admin();

-- How a local account proves itself: a password and a second factor. One row a thing.
create table control.person_credential (
  id          uuid           primary key default gen_random_uuid(),
  person_id   uuid           not null references control.person on delete cascade,
  kind        text           not null check (kind in ('password', 'passkey', 'totp', 'recovery')),
  name        text, -- of a passkey
  secret      text           not null, -- argon2id of a password, a passkey's public key, a TOTP secret sealed by the console's key, the digest of a recovery code
  facts       jsonb          not null default '{}', -- a passkey's id, counter and transports
  created_at  timestamptz(3) not null default clock_timestamp(),
  used_at     timestamptz(3),
  spent_at    timestamptz(3) -- of recovery codes
);
create index on control.person_credential (person_id, kind);
create unique index person_credential_passkey on control.person_credential ((facts ->> 'credentialId')) where kind = 'passkey'; -- sign-in by passkey
create trigger record_admin_event after insert or update or delete on control.person_credential
  for each row execute function control.record_admin_event('secret', 'facts', 'used_at');

create table control.console_session (
  id_sha256        bytea          primary key check (length(id_sha256) = 32),
  id               uuid           not null unique default gen_random_uuid(), -- its name in lists and in the audit
  person_id        uuid           not null references control.person on delete cascade,
  created_at       timestamptz(3) not null default clock_timestamp(),
  seen_at          timestamptz(3) not null default clock_timestamp(),
  authenticated_at timestamptz(3) not null default clock_timestamp(),
  ends_at          timestamptz(3) not null, -- however busy it is
  ended_at         timestamptz(3),
  address          text,
  agent            text
) with (fillfactor = 50);
create index on control.console_session (person_id, created_at);

-- Failed tries, by account and by address: counted for a quarter of an hour.
create table control.sign_in_failure (
  place text           not null, -- account:<digest of the name> or address:<address>
  at    timestamptz(3) not null default clock_timestamp()
);
create index on control.sign_in_failure (place, at);

-- Made on the host by the command line, good for one use: the first administrator, and the way back in.
create table control.set_up_token (
  sha256          bytea          primary key check (length(sha256) = 32),
  organization_id uuid           not null references control.organization,
  expires_at      timestamptz(3) not null,
  used_at         timestamptz(3)
);

-- Runs of the playground: what was asked, never what was answered.
create table control.playground_run (
  id          uuid           primary key default gen_random_uuid(),
  person_id   uuid           not null references control.person on delete cascade,
  tenant_id   uuid           not null,
  at          timestamptz(3) not null default clock_timestamp(),
  mode        text           not null check (mode in ('rest', 'mcp')),
  operation   text           not null,
  parameters  jsonb          not null,
  status      integer        not null,
  duration_ms integer        not null
);
create index on control.playground_run (person_id, at);

grant select, insert, update on control.person to tenantscope_admin;
grant select, insert, update, delete on control.person_credential to tenantscope_admin;
grant select, insert, update, delete on control.console_session to tenantscope_admin;
grant select, insert, delete on control.sign_in_failure to tenantscope_admin;
grant select, insert, update on control.set_up_token to tenantscope_admin;
grant select, insert on control.playground_run to tenantscope_admin;
revoke execute on function control.keep_an_admin from public;
