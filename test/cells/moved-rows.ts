import { randomUUID } from 'node:crypto';
import { movedTables } from '@tenantscope/store/move';
import pg from 'pg';

interface Column {
  readonly name: string;
  readonly type: string;
}

/** Copied by rules of their own. */
const importTables = [
  { name: 'import', ofTenant: 'tenant_id = $1' },
  { name: 'import_lane', ofTenant: 'import_id in (select i.id from models.import i where i.tenant_id = $1)' },
];
const tables = [...movedTables.map(({ name }) => ({ name, ofTenant: 'tenant_id = $1' })), ...importTables];

const jsonTexts = new Set(['document', 'detail', 'facts', 'aliases']);

const hex64 = (number: number) => number.toString(16).padStart(64, '0');

/** Values that checks of the tables require, by table and column; everything else follows from the type. */
const required: Readonly<Record<string, Readonly<Record<string, (number: number, tenantId: string) => unknown>>>> = {
  agent_evidence: { document: () => '{"payload": {"a": 1}}' },
  compliance_record: { document: () => '{"payload": {"a": 1}}', kind: () => 'attestation' },
  compliance_snapshot: {
    trigger: () => 'scheduled',
    period: (number) => `2026-W${String(number + 1).padStart(2, '0')}`,
    previous_sha256: (number) => (number === 0 ? null : hex64(number - 1)),
    sha256: hex64,
  },
  log_fact: { kind: () => 'consent' },
  log_receipt: {
    day: (number) => new Date(Date.UTC(2026, 0, number + 1)).toISOString().slice(0, 10),
    previous_sha256: (number) => (number === 0 ? null : hex64(number - 1)),
    sha256: hex64,
  },
  snapshot_request: { state: () => 'waiting', snapshot_id: () => null, failure: () => null },
};

/**
 * Writes `count` rows of a tenant into each table that a move copies, around the times `plainMs` and `sealedMs`, which must be in a partition of the log that is
 * not sealed, and in one that is. Triggers do not apply.
 */
export async function writeMovedRows(
  superuser: string,
  tenantId: string,
  { count, plainMs, sealedMs }: { count: number; plainMs: number; sealedMs: number },
): Promise<void> {
  const client = new pg.Client(superuser);
  await client.connect();
  try {
    await client.query('set session_replication_role = replica');
    const importIds: string[] = [];
    for (const { name } of tables) {
      const { rows: columns } = await client.query<Column>(
        `select a.attname as name, format_type(a.atttypid, null) as type from pg_attribute a
          where a.attrelid = $1::regclass and a.attnum > 0 and not a.attisdropped and a.attgenerated = '' order by a.attnum`,
        [`models.${name}`],
      );
      const fromMs = name === 'log_sealed' ? sealedMs : plainMs;
      for (let number = 0; number < count; number++) {
        const values = columns.map(({ name: column, type }) => {
          const own = required[name]?.[column];
          if (own !== undefined) return own(number, tenantId);
          if (column === 'tenant_id') return tenantId;
          if (column === 'import_id') return importIds[number];
          // Ingestion parses them.
          if (type === 'text' && jsonTexts.has(column)) return column === 'aliases' ? '[]' : `{"number": ${number}}`;
          return createValue(type, number, fromMs);
        });
        if (name === 'import') importIds.push(String(values[columns.findIndex(({ name: column }) => column === 'id')]));
        await client.query(
          `insert into models.${name} (${columns.map((column) => `"${column.name}"`).join(', ')})
           values (${columns.map(({ type }, index) => `$${index + 1}::${type}`).join(', ')})`,
          values,
        );
      }
    }
  } finally {
    await client.end();
  }
}

function createValue(type: string, number: number, fromMs: number): unknown {
  const isList = type.endsWith('[]');
  if (isList)
    return [createValue(type.slice(0, -2), number, fromMs), createValue(type.slice(0, -2), number + 1, fromMs)];
  if (type === 'uuid') return randomUUID();
  if (type.startsWith('timestamp')) return new Date(fromMs + number).toISOString();
  if (type === 'boolean') return number % 2 === 0;
  if (['smallint', 'integer', 'bigint'].includes(type)) return number;
  if (type === 'bytea') return Buffer.from([number, 0xff]);
  if (type === 'jsonb') return JSON.stringify({ number });
  if (type === 'date') return new Date(fromMs).toISOString().slice(0, 10);
  return `text "${number}"\n\\ ż`;
}

/** By table, the texts of a tenant's rows in ascending order. */
export async function readMovedRows(superuser: string, tenantId: string): Promise<Record<string, string[]>> {
  const client = new pg.Client(superuser);
  await client.connect();
  try {
    const found: Record<string, string[]> = {};
    for (const { name, ofTenant } of tables) {
      const { rows } = await client.query<{ text: string }>(
        `select t::text as text from models.${name} t where ${ofTenant} order by 1`,
        [tenantId],
      );
      found[name] = rows.map(({ text }) => text);
    }
    return found;
  } finally {
    await client.end();
  }
}
