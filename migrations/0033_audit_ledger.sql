-- schemas: audit
--
-- Events of the audit log are in the ledger.

create trigger record_ledger_entry after insert on :audit.admin_event for each row execute function :audit.record_ledger_entry();
