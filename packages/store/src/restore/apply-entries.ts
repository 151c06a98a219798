import pg from 'pg';

/** An entry of the ledger's topic. */
export interface LedgerEntry {
  readonly schema: string;
  readonly number: number;
  /** The table. */
  readonly subject: string;
  readonly isRemoval: boolean;
  readonly recordedAt: string;
  /** In the topic. */
  readonly offset: bigint;
  /** The whole entry as JSON text, whose member `state` is the row. */
  readonly text: string;
}

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
 * Applies entries in the order of their numbers, which for each row is the order of its changes. A state of an older version lacks newer columns, which keep their
 * defaults; columns that were removed since are ignored. Triggers and row-level security do not apply: the states passed them once, and audit events are entries
 * themselves. For this the transaction locks the tables.
 */
export async function applyMissingEntries(
  client: pg.Client,
  schema: 'control' | 'models',
  missing: readonly LedgerEntry[],
  ledger: readonly LedgerEntry[],
  applied: AppliedEntries,
): Promise<void> {
  const tables = await readLedgerTables(client, schema);
  for (const { name, isForced } of tables.values())
    await client.query(
      `alter table ${schema}.${name} disable trigger user${isForced ? ', no force row level security' : ''}`,
    );
  for (const entry of missing) {
    const table = tables.get(entry.subject);
    if (table === undefined)
      throw new Error(
        `The entry ${entry.number} of the ledger is of ${schema}.${entry.subject}, which is no table of it.`,
      );
    await client.query(applyStatement(schema, table, entry), [entry.text]);
    const name = `${schema}.${table.name}`;
    applied.set(name, (applied.get(name) ?? 0) + 1);
  }
  if (tables.has('admin_event')) await moveChainEnds(client, schema);
  for (const { name, isForced } of tables.values())
    await client.query(
      `alter table ${schema}.${name} enable trigger user${isForced ? ', force row level security' : ''}`,
    );
  await recordEntries(client, schema, ledger);
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

function applyStatement(schema: string, { name, columns, key }: LedgerTable, { text, isRemoval }: LedgerEntry): string {
  const list = (names: readonly string[]) => names.map(escapeIdentifier).join(', ');
  const row = `jsonb_populate_record(null::${schema}.${name}, $1::jsonb -> 'state')`;
  if (isRemoval) return `delete from ${schema}.${name} where (${list(key)}) in (select ${list(key)} from ${row})`;
  const { state } = JSON.parse(text) as { state: Record<string, unknown> };
  const present = columns.filter((column) => Object.hasOwn(state, column));
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

/** All of them are in the topic, also those that were not yet published at the time of the backup. The next number is greater than each of them. */
async function recordEntries(client: pg.Client, schema: string, ledger: readonly LedgerEntry[]): Promise<void> {
  const own = ledger.filter((entry) => entry.schema === schema);
  await client.query(
    `insert into ${schema}.ledger_entry as e (number, recorded_at, subject, is_removal, topic_offset) overriding system value
     select distinct on (number) * from unnest($1::bigint[], $2::timestamptz[], $3::text[], $4::boolean[], $5::bigint[])
         t (number, recorded_at, subject, is_removal, topic_offset) order by number, topic_offset desc
     on conflict (number) do update set state = null, mac = null, topic_offset = greatest(e.topic_offset, excluded.topic_offset)`,
    [
      own.map(({ number }) => number),
      own.map(({ recordedAt }) => recordedAt),
      own.map(({ subject }) => subject),
      own.map(({ isRemoval }) => isRemoval),
      own.map(({ offset }) => String(offset)),
    ],
  );
  await client.query(
    `select setval(pg_get_serial_sequence('${schema}.ledger_entry', 'number'), max(number)) from ${schema}.ledger_entry having max(number) is not null`,
  );
}
