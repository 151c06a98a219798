-- schemas: control
--
-- What administrators want done with dead letters. The console writes a request; ingestion, which has Kafka and the readers, takes it and says what
-- became of every letter.

create table control.letter_request (
  id              uuid           primary key default gen_random_uuid(),
  organization_id uuid           not null references control.organization,
  act             text           not null check (act in ('dryRun', 'replay', 'discard')),
  letter_ids      uuid[]         not null check (cardinality(letter_ids) between 1 and 1000 and array_position(letter_ids, null) is null),
  reason          text           check (length(reason) between 1 and 1000),
  requested_by    uuid           not null references control.person,
  requested_at    timestamptz(3) not null default clock_timestamp(),
  taken_by        uuid, -- of the process that works on it; another takes over when it has been silent
  taken_at        timestamptz(3),
  trouble         text, -- why it waits
  results         jsonb          not null default '[]', -- [{letterId, result, reason, detail}], one a letter that was looked at
  done_at         timestamptz(3),
  check (act <> 'discard' or reason is not null)
) with (fillfactor = 70);
-- ingestion, each two seconds: what waits, oldest first
create index on control.letter_request (requested_at) where done_at is null;

grant select on control.letter_request to tenantscope_admin, tenantscope_ingest;
grant insert (organization_id, act, letter_ids, reason, requested_by) on control.letter_request to tenantscope_admin;
grant update (taken_by, taken_at, trouble, results, done_at) on control.letter_request to tenantscope_ingest;

-- Further acts that change no row an administrator writes.
create or replace function control.note_admin_event(chain uuid, act text, subject_type text, subject_id text, details jsonb)
  returns void
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if act not in ('signed in', 'sign-in failed', 'signed out', 'ran', 'downloaded', 'opened', 'exported', 'tried', 'replayed', 'discarded') then
    raise invalid_parameter_value using message = 'no act that may be noted: ' || act;
  end if;
  perform control.append_admin_event(chain, act, subject_type, subject_id, null, details);
end $$;
