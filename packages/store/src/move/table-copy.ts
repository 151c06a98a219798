import type pg from 'pg';
import { CopyIn, CopyOut } from '../connection/copy.ts';
import { inTransaction } from '../connection/transaction.ts';
import { MoveRefused } from './connections.ts';
import type { MovedTable } from './moved-tables.ts';

/** Rows whose stamp is after `after` and at or before `through`, ISO times; null: no bound. */
export interface StampRange {
  readonly after: string | null;
  readonly through: string | null;
  /** The source still writes: rows without stamps may differ again as soon as they were copied, and are not verified. */
  readonly isWritten: boolean;
}

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

interface Portion {
  readonly where: string;
  readonly values: readonly unknown[];
}

const portionRowsDefault = 10_000;
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
 * them again. Repeated after an interruption it copies what is missing. Throws MoveRefused where a portion that must be equal stays different.
 */
export async function copyTable(
  { source, target }: Databases,
  tenantId: string,
  table: MovedTable,
  columns: TableColumns,
  range: StampRange,
): Promise<VerifiedTable> {
  const portions = await splitIntoPortions(source, tenantId, table, range);
  const verified = { table: table.name, rows: 0, sha256s: [] as string[], copied: 0 };
  for (const portion of portions) {
    for (let attempt = 1; ; attempt++) {
      const [expected, found] = await Promise.all(
        [source, target].map((client) => digestPortion(client, table, columns, portion)),
      );
      if (expected && found && expected.sha256 === found.sha256 && expected.rows === found.rows) {
        verified.rows += expected.rows;
        verified.sha256s.push(expected.sha256);
        break;
      }
      const isVerified = table.stamp !== undefined || !range.isWritten;
      if (attempt > 1 && !isVerified) {
        verified.rows += found?.rows ?? 0;
        break;
      }
      if (attempt > maxAttempts)
        throw new MoveRefused(
          `models.${table.name} has ${expected?.rows} rows in one database and ${found?.rows} in the other, or different ones, after ${maxAttempts} attempts: another process writes them; run the command again`,
        );
      verified.copied += await copyPortion({ source, target }, table, columns, portion);
    }
  }
  return verified;
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

/** Condition with the tenant as $1 and the stamps as $2 and $3. */
function describeRange({ stamp }: MovedTable, range: StampRange): Portion {
  // Each statement has three parameters, whether or not it uses them.
  const typed = '$2::timestamptz is not null and $3::timestamptz is not null';
  const stamped = stamp === undefined ? '' : ` and ${stamp} > $2::timestamptz and ${stamp} <= $3::timestamptz`;
  return {
    where: `tenant_id = $1${stamped} and ${typed}`,
    values: [range.after ?? '-infinity', range.through ?? 'infinity'],
  };
}

async function splitIntoPortions(
  source: pg.Client,
  tenantId: string,
  table: MovedTable,
  range: StampRange,
): Promise<Portion[]> {
  const { where, values } = describeRange(table, range);
  const { portionBy, portionRows = portionRowsDefault } = table;
  const { rows } = await source.query<{ at: string }>(
    `select distinct on (${portionBy}) ${portionBy}::text as at
       from (select ${portionBy}, row_number() over (order by ${portionBy}) as number from models.${table.name} where ${where}) ordered
      where number % $4::integer = 0 order by ${portionBy}`,
    [tenantId, ...values, portionRows],
  );
  const ends = rows.map(({ at }) => at);
  const { rows: types } = await source.query<{ type: string }>(
    `select format_type(a.atttypid, a.atttypmod) as type from pg_attribute a
      where a.attrelid = $1::regclass and a.attname = $2`,
    [`models.${table.name}`, portionBy],
  );
  const type = types[0]?.type ?? 'text';
  return [null, ...ends].map((from, index): Portion => {
    const to = ends[index];
    return {
      where: [
        where,
        ...(from === null ? [] : [`${portionBy} > $4::${type}`]),
        ...(to === undefined ? [] : [`${portionBy} <= $${from === null ? 4 : 5}::${type}`]),
      ].join(' and '),
      values: [tenantId, ...values, ...(from === null ? [] : [from]), ...(to === undefined ? [] : [to])],
    };
  });
}

/** The digest is that of the rows' digests in ascending order: of the same rows it is the same in every database. */
async function digestPortion(
  client: pg.Client,
  { name }: MovedTable,
  { columns }: TableColumns,
  { where, values }: Portion,
): Promise<{ rows: number; sha256: string }> {
  const { rows } = await client.query<{ rows: number; sha256: string }>(
    `select count(*)::integer as rows, encode(sha256(coalesce(string_agg(digest, ''::bytea order by digest), ''::bytea)), 'hex') as sha256
       from (select sha256(convert_to(row(${quoteAll(columns)})::text, 'UTF8')) as digest from models.${name} where ${where}) r`,
    [...values],
  );
  return rows[0] ?? { rows: 0, sha256: '' };
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
