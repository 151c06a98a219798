import pg from 'pg';
import { type MissingEntry, readMissing, type Schema } from './staged-entries.ts';

/** Entries that were applied, by table. */
export type AppliedEntries = Map<string, number>;

interface LedgerTable {
  readonly name: string;
  readonly isForced: boolean;
  readonly columns: readonly string[];
  readonly key: readonly string[];
}

const { escapeIdentifier } = pg;

/**
 * Applies staged entries that the database lacks in the order of their numbers, which for each row is the order of its changes. A state of an older version lacks newer columns, which keep their
 * defaults; columns that were removed since are ignored. Triggers and row-level security do not apply: the states passed them once, and audit events are entries
 * themselves. For this the transaction locks the tables.
 */
export async function applyMissingEntries(client: pg.Client, schema: Schema, applied: AppliedEntries): Promise<void> {
  const tables = await readLedgerTables(client, schema);
  for (const { name, isForced } of tables.values())
    await client.query(
      `alter table ${schema}.${name} disable trigger user${isForced ? ', no force row level security' : ''}`,
    );
  for await (const entry of readMissing(client, schema)) {
    const table = tables.get(entry.subject);
    if (table === undefined) throw new UnknownTable(`${schema}.${entry.subject}`, entry.number);
    await client.query(applyStatement(schema, table, entry), [entry.number]);
    const name = `${schema}.${table.name}`;
    applied.set(name, (applied.get(name) ?? 0) + 1);
  }
  if (tables.has('admin_event')) await moveChainEnds(client, schema);
  for (const { name, isForced } of tables.values())
    await client.query(
      `alter table ${schema}.${name} enable trigger user${isForced ? ', force row level security' : ''}`,
    );
}

/** The restored database is of an older version than the ledger. */
export class UnknownTable extends Error {
  override name = 'UnknownTable';
  constructor(table: string, number: number) {
    super(
      `the entry ${number} of the ledger is of ${table}, which is no table of this version of the database: the backup is older than an upgrade; run "tenantscope migrate", then repeat the command`,
    );
  }
}

async function readLedgerTables(client: pg.Client, schema: string): Promise<Map<string, LedgerTable>> {
  const { rows } = await client.query<LedgerTable>(
    `select c.relname as name, c.relforcerowsecurity as "isForced",
            array(select attname::text from pg_attribute a where a.attrelid = c.oid and attnum > 0 and not attisdropped and attgenerated = '') as columns,
            array(select a.attname::text from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any(i.indkey)
                   where i.indrelid = c.oid and i.indisprimary) as key
       from pg_trigger t join pg_class c on c.oid = t.tgrelid
      where t.tgname = 'record_ledger_entry' and c.relnamespace = $1::regnamespace order by 1`,
    [schema],
  );
  return new Map(rows.map((table) => [table.name, table]));
}

function applyStatement(schema: string, table: LedgerTable, entry: MissingEntry): string {
  const { name, columns, key } = table;
  const list = (names: readonly string[]) => names.map(escapeIdentifier).join(', ');
  const state = `(select state from pg_temp.staged_${schema} where number = $1)`;
  const row = `jsonb_populate_record(null::${schema}.${name}, ${state})`;
  if (entry.isRemoval) return `delete from ${schema}.${name} where (${list(key)}) in (select ${list(key)} from ${row})`;
  const present = columns.filter((column) => entry.columns.includes(column));
  const others = present.filter((column) => !key.includes(column));
  const update = others
    .map((column) => `${escapeIdentifier(column)} = excluded.${escapeIdentifier(column)}`)
    .join(', ');
  return `insert into ${schema}.${name} (${list(present)}) overriding system value select ${list(present)} from ${row}
          on conflict (${list(key)}) do ${others.length === 0 ? 'nothing' : `update set ${update}`}`;
}

async function moveChainEnds(client: pg.Client, schema: string): Promise<void> {
  await client.query(
    `insert into ${schema}.admin_event_head as h (chain, number, sha256)
     select distinct on (chain) chain, number, sha256 from ${schema}.admin_event order by chain, number desc
     on conflict (chain) do update set number = excluded.number, sha256 = excluded.sha256 where h.number < excluded.number`,
  );
}
