-- schemas: control
--
-- Challenges of passkeys and rounds at an identity provider are sealed into a cookie; each is good once, whichever process answers it.

create table control.spent_challenge (
  sha256   bytea          primary key check (length(sha256) = 32),
  spent_at timestamptz(3) not null default clock_timestamp()
);
create index on control.spent_challenge (spent_at); -- those that are too old to be good are deleted
grant select, insert, delete on control.spent_challenge to tenantscope_admin;
