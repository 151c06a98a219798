-- schemas: models
--
-- The tables of the ledger in the read models: snapshots and their requests, statements of people, imports. All other rows come back from Kafka.

do $$
declare
  name text;
begin
  foreach name in array array['compliance_snapshot', 'snapshot_request', 'statement_history', 'import'] loop
    execute format('create trigger record_ledger_entry after insert or update or delete on models.%I
                      for each row execute function models.record_ledger_entry()', name);
  end loop;
end $$;
-- Not the states that systems report: they come from Kafka again.
create trigger record_ledger_entry after insert or update on models.compliance_record
  for each row when (new.kind not in ('sourceStatus', 'policy', 'detector', 'securityScore')) execute function models.record_ledger_entry('facts');
create trigger record_ledger_removal after delete on models.compliance_record
  for each row when (old.kind not in ('sourceStatus', 'policy', 'detector', 'securityScore')) execute function models.record_ledger_entry('facts');
