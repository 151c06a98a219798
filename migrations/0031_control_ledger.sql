-- schemas: control
--
-- The tables of the ledger in the control schema. Not in it: sessions, which a restore ends, counts of use, and what collectors and dead letters
-- have come to, which continue at the time of the backup.

do $$
declare
  name text;
begin
  foreach name in array array['organization', 'tenant', 'api_key', 'member', 'set_up_token', 'source_binding', 'collector'] loop
    execute format('create trigger record_ledger_entry after insert or update or delete on control.%I
                      for each row execute function control.record_ledger_entry()', name);
  end loop;
end $$;

-- Ingestion reads the ledger, so it has no secret by which a member signs in: of passwords, authenticators and recovery codes it has their end alone.
-- After a restore what was replaced or used since the backup does not work, and who set up another one does so again. Passkeys, which are public keys,
-- come back.
create trigger record_ledger_entry after insert or update on control.member_credential
  for each row when (new.kind = 'passkey') execute function control.record_ledger_entry();
create trigger record_ledger_removal after delete on control.member_credential
  for each row execute function control.record_ledger_entry();
create trigger record_ledger_consumption after update on control.member_credential
  for each row when (new.consumed_at is not null) execute function control.record_ledger_entry();
