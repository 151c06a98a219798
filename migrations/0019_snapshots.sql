-- schemas: models
--
-- Compliance snapshots: an append-only chain per tenant, and requests for manual snapshots. The weekly schedule has no table of its own: due
-- snapshots follow from the tenants, their weeks and the existing rows.

create table models.compliance_snapshot (
  tenant_id         uuid           not null,
  id                uuid           not null,
  taken_at          timestamptz(3) not null,
  trigger           text           not null check (trigger in ('scheduled', 'manual')),
  period            text check (period ~ '^\d{4}-W(0[1-9]|[1-4]\d|5[0-3])$'), -- ISO week in the tenant's time zone
  late              boolean        not null,
  taken_by          text           not null,
  catalogue_version text           not null,
  previous_sha256   text check (previous_sha256 ~ '^[0-9a-f]{64}$'),
  sha256            text           not null check (sha256 ~ '^[0-9a-f]{64}$'),
  signature         text, -- detached JWS over the text of sha256; null without a key
  document          text           not null,
  primary key (tenant_id, id),
  unique nulls not distinct (tenant_id, previous_sha256), -- one first snapshot, and no forks
  check ((trigger = 'scheduled') = (period is not null)),
  check (trigger = 'scheduled' or not late)
);
-- one snapshot per week, whichever process takes it and however often it retries
create unique index compliance_snapshot_period on models.compliance_snapshot (tenant_id, period) where trigger = 'scheduled';
-- a page, the newest snapshot, the chain from its beginning
create index compliance_snapshot_page on models.compliance_snapshot (tenant_id, taken_at, id);

-- Arguments: what the rows are, for the error.
create function models.reject_change() returns trigger
  language plpgsql as $$
begin
  if tg_op = 'DELETE' and coalesce(current_setting('tenantscope.erasing', true), '') <> '' then
    return old; -- models.erase_tenant: no login may delete such rows itself
  end if;
  raise exception '% are immutable', tg_argv[0] using errcode = 'insufficient_privilege';
end $$;
create trigger reject_change before update or delete on models.compliance_snapshot for each row execute function models.reject_change('snapshots');
create trigger reject_truncate before truncate on models.compliance_snapshot for each statement execute function models.reject_change('snapshots');

-- The text that JSON.stringify writes of what JSON.parse read, which orders names that are array indexes before the others.
create function models.serialize_json(value json) returns text
  language plpgsql immutable strict parallel safe set search_path = pg_catalog, pg_temp as $$
declare
  inner_text text;
  is_refused boolean;
begin
  case json_typeof(value)
    when 'object' then
      select string_agg(to_json(m.key)::text || ':' || models.serialize_json(m.value), ',' order by m.position),
             count(*) > count(distinct m.key) or bool_or(m.key ~ '^\d+$')
        into inner_text, is_refused from json_each(value) with ordinality m (key, value, position);
      if is_refused then
        raise invalid_parameter_value using message = 'an object has a repeated name, or a name that is a number';
      end if;
      return '{' || coalesce(inner_text, '') || '}';
    when 'array' then
      select string_agg(models.serialize_json(e.value), ',' order by e.position) into inner_text from json_array_elements(value) with ordinality e (value, position);
      return '[' || coalesce(inner_text, '') || ']';
    when 'string' then
      return to_json(value #>> '{}')::text;
    else
      return :audit.canonical_json(value::text::jsonb);
  end case;
end $$;

-- What the login of the jobs inserts continues the chain: its predecessor is the last snapshot, its time follows it, its document is what verification
-- serializes from the columns and the status, byte by byte, and its digest is that of the document. A row that was otherwise would end the chain for
-- good, since rows are immutable. The owner may restore rows as they were.
create function models.verify_snapshot() returns trigger
  language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  last models.compliance_snapshot;
  serialized text;
begin
  perform pg_advisory_xact_lock(hashtextextended('tenantscope.snapshot ' || new.tenant_id, 0));
  select * into last from models.compliance_snapshot s where s.tenant_id = new.tenant_id order by s.taken_at desc, s.id desc limit 1;
  if new.previous_sha256 is distinct from last.sha256 then
    raise insufficient_privilege using message = 'a snapshot must name the digest of the last one of its tenant';
  end if;
  if new.taken_at <= last.taken_at or new.taken_at < clock_timestamp() - interval '1 hour'
     or new.taken_at > greatest(clock_timestamp() + interval '1 minute', last.taken_at + interval '1 ms') then
    raise insufficient_privilege using message = 'a snapshot must be taken now and after the last one of its tenant';
  end if;
  select row_to_json(d)::text into serialized
    from (select new.id, to_char(new.taken_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "takenAt", new.trigger, new.taken_by as "takenBy",
                 new.period, new.late, new.catalogue_version as "catalogueVersion", new.previous_sha256 as "previousSha256", new.sha256, new.signature,
                 models.serialize_json(new.document::json -> 'status')::json as status) d;
  if new.document <> serialized then
    raise insufficient_privilege using message = 'the document of a snapshot must be the serialization of its columns and its status';
  end if;
  if new.sha256 <> encode(sha256(convert_to(:audit.canonical_json(new.document::jsonb - 'sha256' - 'signature'), 'UTF8')), 'hex') then
    raise insufficient_privilege using message = 'the digest of a snapshot must be that of its document';
  end if;
  return new;
end $$;
create trigger verify_snapshot before insert on models.compliance_snapshot for each row when (session_user = 'tenantscope_jobs')
  execute function models.verify_snapshot();
revoke execute on function models.serialize_json, models.verify_snapshot from public;
grant usage on schema :audit to tenantscope_jobs;
grant execute on function :audit.canonical_json, models.serialize_json to tenantscope_jobs;

alter table models.compliance_snapshot enable row level security;
alter table models.compliance_snapshot force row level security;
create policy tenant_isolation on models.compliance_snapshot for select to tenantscope_api, tenantscope_jobs
  using (tenant_id = current_setting('tenantscope.tenant')::uuid);
create policy tenant_insert on models.compliance_snapshot for insert to tenantscope_jobs
  with check (tenant_id = current_setting('tenantscope.tenant')::uuid);
create policy admin on models.compliance_snapshot for select to tenantscope_admin using (true);
create policy owner on models.compliance_snapshot to current_user using (true); -- models.erase_tenant
grant select on models.compliance_snapshot to tenantscope_api, tenantscope_jobs, tenantscope_admin;
grant insert on models.compliance_snapshot to tenantscope_jobs;

-- Which of these weeks have their snapshot, for many tenants in one call. Runs with the caller's rights, tenant by tenant.
create function models.taken_periods(tenants uuid[], periods text[]) returns table (tenant_id uuid, period text)
  language plpgsql volatile as $$
declare
  tenant uuid;
begin
  foreach tenant in array tenants loop
    perform set_config('tenantscope.tenant', tenant::text, true);
    return query select s.tenant_id, s.period from models.compliance_snapshot s
                  where s.tenant_id = tenant and s.trigger = 'scheduled' and s.period = any (periods);
  end loop;
end $$;
revoke execute on function models.reject_change, models.taken_periods from public;
grant execute on function models.taken_periods to tenantscope_jobs;

-- Requests for manual snapshots.
create table models.snapshot_request (
  id           uuid           primary key default gen_random_uuid(),
  tenant_id    uuid           not null,
  requested_by text           not null check (requested_by <> ''),
  requested_at timestamptz(3) not null default clock_timestamp(),
  state        text           not null default 'waiting' check (state in ('waiting', 'taken', 'failed')),
  snapshot_id  uuid,
  failure      text, -- shown to the requester
  settled_at   timestamptz(3),
  check ((state = 'taken') = (snapshot_id is not null)),
  check ((state = 'failed') = (failure is not null))
);
create trigger audit_row_change after insert on models.snapshot_request for each row execute function :audit.audit_row_change();
-- the waiting requests, oldest first
create index snapshot_request_waiting on models.snapshot_request (requested_at) where state = 'waiting';
alter table models.snapshot_request enable row level security;
alter table models.snapshot_request force row level security;
create policy requests on models.snapshot_request to tenantscope_jobs, tenantscope_admin using (true) with check (true);
create policy owner on models.snapshot_request to current_user using (true); -- models.erase_tenant
grant select, insert on models.snapshot_request to tenantscope_admin;
grant select on models.snapshot_request to tenantscope_jobs;
grant update (state, snapshot_id, failure, settled_at) on models.snapshot_request to tenantscope_jobs;
