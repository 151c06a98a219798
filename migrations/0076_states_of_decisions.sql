-- schemas: models
--
-- Decisions have a history, as attestations and exceptions do: a decision that is made again under its id does not undo that its subject was reviewed before, and while the present state
-- is dated ahead, the one before it remains in force.
create or replace trigger record_statement_state after insert or update on models.compliance_record
  for each row when (new.kind in ('attestation', 'exception', 'decision')) execute function models.record_statement_state();

-- Of decisions stored before, the present state. Who wrote it is in the audit log.
insert into models.statement_history (tenant_id, id, version, digest, recorded_at, recorded_by, kind, requirement_key, facts)
select r.tenant_id, r.id, r.version, r.digest, r.updated_at, :audit.current_actor(), r.kind, r.requirement_key, r.facts
  from models.compliance_record r where r.kind = 'decision'
on conflict do nothing;

-- States of a record whose version was set back come before it, in their order: of an exception with a version far ahead of the clock the withdrawal had no effect, since the state
-- with that version remained the newest one. Deleted and inserted, since the ledger records the end of a key with a deletion only.
create function models.set_back_statement_states(tenant uuid, record_id text, to_version bigint) returns void
  language sql set search_path = pg_catalog, pg_temp
begin atomic
  with later as (
    delete from models.statement_history s where s.tenant_id = tenant and s.id = record_id and s.version > to_version returning s.*
  )
  insert into models.statement_history (tenant_id, id, version, digest, recorded_at, recorded_by, kind, requirement_key, facts)
  select l.tenant_id, l.id, to_version - row_number() over (order by l.version desc, l.digest desc), l.digest, l.recorded_at, l.recorded_by, l.kind, l.requirement_key, l.facts
    from later l;
end;
revoke execute on function models.set_back_statement_states from public;

select models.set_back_statement_states(r.tenant_id, r.id, r.version)
  from models.compliance_record r
 where r.kind in ('attestation', 'exception')
   and exists (select from models.statement_history h where h.tenant_id = r.tenant_id and h.id = r.id and h.version > r.version);

create or replace function models.record_statement_state() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if not models.is_moving() then
    if tg_op = 'UPDATE' and new.version < old.version then
      perform models.set_back_statement_states(new.tenant_id, new.id, new.version);
    end if;
    insert into models.statement_history (tenant_id, id, version, digest, recorded_at, recorded_by, kind, requirement_key, facts)
    values (new.tenant_id, new.id, new.version, new.digest, new.updated_at, :audit.current_actor(), new.kind, new.requirement_key, new.facts)
    on conflict do nothing;
  end if;
  return null;
end $$;
