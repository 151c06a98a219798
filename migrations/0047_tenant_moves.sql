-- schemas: control
--
-- Moves of tenants from one cell to another, see docs/adr/0022-tenant-move.md. The cell of a tenant changes with the state of its move, in one transaction.

create table control.tenant_move (
  id            uuid           primary key default gen_random_uuid(),
  tenant_id     uuid           not null references control.tenant (id),
  from_cell     text           not null references control.cell (id),
  to_cell       text           not null references control.cell (id) check (to_cell <> from_cell),
  -- copying: the tenant is served by from_cell, which takes its records. fenced: it takes no more of them. switched: the tenant is in to_cell, its rows
  -- are in from_cell too. confirmed: they were erased there. reversed: the tenant was moved back.
  state         text           not null default 'copying' check (state in ('copying', 'fenced', 'switched', 'confirmed', 'cancelled', 'reversed')),
  begun_by      text           not null,
  begun_at      timestamptz(3) not null default clock_timestamp(),
  fenced_at     timestamptz(3), -- by the clock of the control database
  served_through timestamptz(3), -- from_cell has every row of the tenant through this time, and will have no later one
  switched_at   timestamptz(3),
  ended_at      timestamptz(3),
  row_counts    jsonb          not null default '{}', -- by table, as verified in both databases
  sha256        text           -- of the verified digests of all tables
);
-- One move of a tenant at a time.
create unique index tenant_move_open on control.tenant_move (tenant_id) where state in ('copying', 'fenced');
create unique index tenant_move_unconfirmed on control.tenant_move (tenant_id) where state = 'switched';
create index on control.tenant_move (tenant_id);

create trigger audit_row_change after insert or update or delete on control.tenant_move
  for each row execute function control.audit_row_change();
create trigger record_ledger_entry after insert or update or delete on control.tenant_move
  for each row execute function control.record_ledger_entry();

alter table control.tenant_move enable row level security;
alter table control.tenant_move force row level security;
create policy owner on control.tenant_move to current_user using (true);
create policy admin on control.tenant_move for select to tenantscope_admin using (true);

-- The owner alone moves tenants.
grant select on control.tenant_move to tenantscope_admin;
