import type pg from 'pg';
import { CopyIn, CopyOut } from '../connection/copy.ts';
import { inTransaction } from '../connection/transaction.ts';
import { MoveRefused } from './connections.ts';
import type { MovedTable } from './moved-tables.ts';
import {
  describeRange,
  digestPortion,
  findUnchanged,
  type Portion,
  type PortionDigest,
  type Portions,
  type StampRange,
  splitIntoPortions,
} from './portions.ts';

/** What both databases have of a table, in a range. */
export interface VerifiedTable {
  readonly table: string;
  readonly rows: number;
  /** Of the digests of its portions. */
  readonly sha256s: readonly string[];
  /** Rows that were copied. */
  readonly copied: number;
}

export interface TableColumns {
  /** Without generated ones. */
  readonly columns: readonly string[];
  /** Of the primary key, or none. */
  readonly key: readonly string[];
}

interface Databases {
  readonly source: pg.Client;
  readonly target: pg.Client;
}

/** Of a table without stamps, what a pass has found in both databases. */
export interface ComparedTable {
  readonly portions: Portions;
  /** By portion; null where they may differ. */
  readonly digests: readonly (Record<keyof Databases, PortionDigest> | null)[];
}

export interface CopyOptions {
  readonly range: StampRange;
  readonly compared: Map<string, ComparedTable>;
  /** After each portion. */
  readonly onPortion?: (done: ComparedPortion) => void;
}

/** How far a table was compared. */
export interface ComparedPortion {
  readonly table: string;
  readonly portion: number;
  readonly portions: number;
}

const maxAttempts = 3;

/** Of all tables, from the catalog. */
export async function readColumns(client: pg.Client): Promise<ReadonlyMap<string, TableColumns>> {
  const { rows } = await client.query<{ name: string; columns: string[]; key: string[] }>(
    `select c.relname as name,
            array(select a.attname::text from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
                   order by a.attname) as columns,
            array(select a.attname::text from pg_index i join pg_attribute a on a.attrelid = c.oid and a.attnum = any (i.indkey)
                   where i.indrelid = c.oid and i.indisprimary order by a.attname) as key
       from pg_class c where c.relnamespace = 'models'::regnamespace and c.relkind in ('r', 'p')`,
  );
  return new Map(rows.map(({ name, ...columns }) => [name, columns]));
}

/**
 * Makes the rows of a tenant in `target` those of `source`: compares counts and digests portion by portion, copies the portions that differ, and compares
 * them again. Repeated after an interruption it copies what is missing. Of a table without stamps, portions that an earlier call found equal are not compared
 * again where they are unchanged since; `compared` has what these calls found, on the same connections. Throws MoveRefused where a portion that must be
 * equal stays different.
 */
export async function copyTable(
  databases: Databases,
  tenantId: string,
  table: MovedTable,
  columns: TableColumns,
  { range, compared, onPortion }: CopyOptions,
): Promise<VerifiedTable> {
  const before = compared.get(table.name);
  const portions = before?.portions ?? (await splitIntoPortions(databases.source, tenantId, table, range));
  const unchanged = before ? await findUnchangedInBoth(databases, tenantId, table, before) : [];
  const verified = { table: table.name, rows: 0, sha256s: [] as string[], copied: 0 };
  const digests: ComparedTable['digests'][number][] = [];
  for (const [index, portion] of portions.all.entries()) {
    const equal = unchanged[index] ? before?.digests[index] : null;
    const { both, rows, copied } = equal
      ? { both: equal, rows: equal.source.rows, copied: 0 }
      : await copyUntilEqual(databases, table, columns, portion, range);
    digests.push(both);
    verified.rows += rows;
    verified.copied += copied;
    if (both) verified.sha256s.push(both.source.sha256);
    onPortion?.({ table: table.name, portion: index + 1, portions: portions.all.length });
  }
  if (table.stamp === undefined) compared.set(table.name, { portions, digests });
  return verified;
}

async function findUnchangedInBoth(
  databases: Databases,
  tenantId: string,
  table: MovedTable,
  { portions, digests }: ComparedTable,
): Promise<boolean[]> {
  const find = (name: keyof Databases) =>
    findUnchanged(
      databases[name],
      tenantId,
      table,
      portions,
      digests.map((both) => both?.[name] ?? null),
    );
  const [source, target] = await Promise.all([find('source'), find('target')]);
  return source.map((isUnchanged, index) => isUnchanged && target[index] === true);
}

/** `both` is null where rows that are still written differ again. */
async function copyUntilEqual(
  { source, target }: Databases,
  table: MovedTable,
  columns: TableColumns,
  portion: Portion,
  range: StampRange,
): Promise<{ both: Record<keyof Databases, PortionDigest> | null; rows: number; copied: number }> {
  const list = quoteAll(columns.columns);
  let copied = 0;
  for (let attempt = 1; ; attempt++) {
    const [expected, found] = await Promise.all([
      digestPortion(source, table, list, portion),
      digestPortion(target, table, list, portion),
    ]);
    if (expected.sha256 === found.sha256 && expected.rows === found.rows)
      return { both: { source: expected, target: found }, rows: expected.rows, copied };
    const isVerified = table.stamp !== undefined || !range.isWritten;
    if (attempt > 1 && !isVerified) return { both: null, rows: found.rows, copied };
    if (attempt > maxAttempts)
      throw new MoveRefused(
        `models.${table.name} has ${expected.rows} rows in one database and ${found.rows} in the other, or different ones, after ${maxAttempts} attempts: another process writes them; run the command again`,
      );
    copied += await copyPortion({ source, target }, table, columns, portion);
  }
}

/** Tables that have rows of the tenant in the range. */
export async function findFilled(
  client: pg.Client,
  tenantId: string,
  tables: readonly MovedTable[],
  range: StampRange,
): Promise<Set<string>> {
  const found = tables.map((table) => {
    const { where } = describeRange(table, range);
    return `select '${table.name}' as name where exists (select from models.${table.name} where ${where})`;
  });
  const { rows } = await client.query<{ name: string }>(found.join(' union all '), [
    tenantId,
    range.after ?? '-infinity',
    range.through ?? 'infinity',
  ]);
  return new Set(rows.map(({ name }) => name));
}

/** Returns how many rows were written. Rows that are the same stay: triggers record changes only. Without a primary key all of the portion are replaced. */
async function copyPortion(
  { source, target }: Databases,
  { name }: MovedTable,
  { columns, key }: TableColumns,
  { where, values }: Portion,
): Promise<number> {
  const list = quoteAll(columns);
  const chunks: Buffer[] = [];
  // COPY has no parameters.
  const text = `copy (select ${list} from models.${name} where ${inline(where, values)}) to stdout (format binary)`;
  const out = source.query(
    new CopyOut(text, (bytes, from, to) => void chunks.push(Buffer.from(bytes.subarray(from, to)))),
  );
  await out.done;
  return inTransaction(target, async () => {
    await target.query(`select set_config('tenantscope.erasing', 'on', true)`);
    await target.query(`create temp table moved on commit drop as select ${list} from models.${name} with no data`);
    await target.query(new CopyIn(`copy moved (${list}) from stdin (format binary)`, chunks)).done;
    if (key.length === 0) {
      await target.query(`delete from models.${name} where ${where}`, [...values]);
      const { rowCount } = await target.query(`insert into models.${name} (${list}) select ${list} from moved`);
      return rowCount ?? 0;
    }
    await target.query(`create index on moved (${quoteAll(key)}); analyze moved`);
    const isSame = `(${quoteAll(key, 'm')}) = (${quoteAll(key, 't')})`;
    await target.query(
      `delete from models.${name} t where ${where} and not exists (
         select from moved m where ${isSame} and row(${quoteAll(columns, 'm')})::text = row(${quoteAll(columns, 't')})::text)`,
      [...values],
    );
    const { rowCount } = await target.query(
      `insert into models.${name} (${list}) select ${list} from moved m
        where not exists (select from models.${name} t where ${isSame})`,
    );
    return rowCount ?? 0;
  });
}

const quoteAll = (columns: readonly string[], of?: string): string =>
  columns.map((column) => (of === undefined ? `"${column}"` : `${of}."${column}"`)).join(', ');

const inline = (where: string, values: readonly unknown[]): string =>
  where.replaceAll(/\$(\d)/g, (_, number) => `'${String(values[Number(number) - 1]).replaceAll("'", "''")}'`);
