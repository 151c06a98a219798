-- schemas: control
--
-- Administrators' requests to replay or discard dead letters. The console writes a request; ingestion, which has Kafka and the readers,
-- claims it and records the result of every dead letter.

create table control.dead_letter_request (
  id              uuid           primary key default gen_random_uuid(),
  organization_id uuid           not null references control.organization,
  action          text           not null check (action in ('dryRun', 'replay', 'discard')),
  dead_letter_ids uuid[]         not null check (cardinality(dead_letter_ids) between 1 and 1000 and array_position(dead_letter_ids, null) is null),
  reason          text           check (length(reason) between 1 and 1000),
  requested_by    uuid           not null references control.member,
  requested_at    timestamptz(3) not null default clock_timestamp(),
  claimed_by      uuid, -- the process that works on it; when it stops reporting, another one claims the request
  claimed_at      timestamptz(3),
  last_error      text, -- why it is waiting
  results         jsonb          not null default '[]', -- [{deadLetterId, result, reason, detail}], one per processed dead letter
  completed_at    timestamptz(3),
  check (action <> 'discard' or reason is not null)
) with (fillfactor = 70);
-- ingestion, every two seconds: incomplete requests, oldest first
create index on control.dead_letter_request (requested_at) where completed_at is null;

create trigger audit_request after insert on control.dead_letter_request for each row execute function control.audit_request();

grant select on control.dead_letter_request to tenantscope_console, tenantscope_ingest;
grant insert (organization_id, action, dead_letter_ids, reason, requested_by) on control.dead_letter_request to tenantscope_console;
grant update (claimed_by, claimed_at, last_error, results, completed_at) on control.dead_letter_request to tenantscope_ingest;
