import { randomUUID } from 'node:crypto';
import { type ComparedTable, copyTable, type MovedTable, movedTables, readColumns } from '@tenantscope/store/move';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../installation/eventually.ts';
import { createTestDatabase, type TestDatabase } from '../services/database.ts';
import { createRandom } from '../torture/random.ts';
import { writeMovedRows } from './moved-rows.ts';

const tables = movedTables.filter(({ stamp }) => stamp === undefined);
const tenantId = randomUUID();
const rowsOfTable = 50;
const portionRows = 7;
const portionsOfTable = Math.floor(rowsOfTable / 2 / portionRows) + 1;

const databases: TestDatabase[] = [];
let source: pg.Client;
let target: pg.Client;
/** Writes in transactions that last. */
let other: pg.Client;
let digests = 0;

beforeAll(async () => {
  const connect = async (database: TestDatabase) => {
    const client = new pg.Client(database.superuser);
    await client.connect();
    // Triggers refuse rows of a tenant that has not arrived.
    await client.query('set session_replication_role = replica');
    return client;
  };
  databases.push(await createTestDatabase(), await createTestDatabase());
  const [first, second] = databases as [TestDatabase, TestDatabase];
  [source, target, other] = [await connect(first), await connect(second), await connect(first)];
  const sealedMs = Date.UTC(2025, 5, 1);
  await source.query('select models.add_log_partition($1, $2, true)', [
    new Date(sealedMs),
    new Date(sealedMs + 7 * 86_400_000),
  ]);
  await writeMovedRows(first.superuser, tenantId, { count: rowsOfTable, plainMs: Date.now(), sealedMs });
  for (const { name } of tables) {
    await source.query(`create temp table spare_${name} as select * from models.${name} where tenant_id = $1 limit 0`, [
      tenantId,
    ]);
    await moveToSpare(name, rowsOfTable / 2);
  }
  const query = source.query.bind(source) as (...parameters: unknown[]) => Promise<unknown>;
  source.query = ((...parameters: unknown[]) => {
    if (String(parameters[0]).includes('string_agg(digest')) digests += 1;
    return query(...parameters);
  }) as typeof source.query;
}, 60_000);
afterAll(async () => {
  await Promise.all([source, target, other].map((client) => client?.end()));
  for (const database of databases) await database[Symbol.asyncDispose]();
});

const someOf = (name: string, count: number) =>
  `select ctid from models.${name} where tenant_id = '${tenantId}' order by random() limit ${count}`;

const moveToSpare = (name: string, count: number) =>
  source.query(
    `with gone as (delete from models.${name} where ctid in (${someOf(name, count)}) returning *) insert into spare_${name} select * from gone`,
  );

const readRows = async (client: pg.Client, name: string): Promise<string[]> =>
  (
    await client.query<{ text: string }>(
      `select t::text as text from models.${name} t where tenant_id = $1 order by 1`,
      [tenantId],
    )
  ).rows.map(({ text }) => text);

/** Copies as a pass does. Returns how many portions were digested in the source. */
async function copy(table: MovedTable, compared: Map<string, ComparedTable>, isWritten = true): Promise<number> {
  digests = 0;
  const own = (await readColumns(source)).get(table.name);
  if (own === undefined) throw new Error(`there is no table ${table.name}`);
  await copyTable({ source, target }, tenantId, { ...table, portionRows }, own, {
    range: { after: null, through: null, isWritten },
    compared,
  });
  return digests;
}

/** A transaction of another database that began before a digest and writes makes later rows look new, until it has ended. */
const untilUnchanged = (table: MovedTable, compared: Map<string, ComparedTable>, isWritten = true) =>
  eventually('no portion is digested', 60_000, async () => (await copy(table, compared, isWritten)) === 0);

test.each(tables.map((table) => [table.name, table] as const))(
  'unchanged portions of %s are not digested again, and changed ones are equal after the next pass',
  async (name, table) => {
    const compared = new Map<string, ComparedTable>();
    expect(await copy(table, compared)).toBeGreaterThan(0);
    expect(await readRows(target, name)).toEqual(await readRows(source, name));
    await untilUnchanged(table, compared);
    expect(compared.get(name)?.portions.all.length).toBeLessThanOrEqual(portionsOfTable);

    await source.query(`update models.${name} set tenant_id = tenant_id where ctid in (${someOf(name, 1)})`);
    expect(await copy(table, compared)).toBe(1);
    await untilUnchanged(table, compared);
    // A row that the target drops by its age.
    await target.query(`delete from models.${name} where ctid in (${someOf(name, 1)})`);
    expect(await copy(table, compared)).toBe(2);
    expect(await readRows(target, name)).toEqual(await readRows(source, name));
    await untilUnchanged(table, compared, false);
  },
  240_000,
);

test('each portion of a table is reported when it has been compared', async () => {
  const [table] = tables as [MovedTable];
  const own = (await readColumns(source)).get(table.name);
  const reported: unknown[] = [];
  const compared = new Map<string, ComparedTable>();
  await copyTable({ source, target }, tenantId, { ...table, portionRows }, own as NonNullable<typeof own>, {
    range: { after: null, through: null, isWritten: true },
    compared,
    onPortion: (done) => reported.push(done),
  });
  const portions = compared.get(table.name)?.portions.all.length ?? 0;
  expect(portions).toBeGreaterThan(1);
  expect(reported).toEqual(
    Array.from({ length: portions }, (_, index) => ({ table: table.name, portion: index + 1, portions })),
  );
});

test('after random changes of the source, some of them committed after a pass, both databases have the same rows', async () => {
  const random = createRandom('portions of moves');
  const table = tables.find(({ name }) => name === 'entity_alias') as MovedTable;
  const { name } = table;
  const compared = new Map<string, ComparedTable>();
  const columns = '"tenant_id", "kind", "alias", "id"';
  for (let round = 0; round < 40; round++) {
    await moveToSpare(name, random.between(0, 3));
    await source.query(
      `with back as (delete from spare_${name} where ctid in (select ctid from spare_${name} order by random() limit $1) returning *)
       insert into models.${name} (${columns}) select ${columns} from back`,
      [random.between(0, 3)],
    );
    await other.query('begin');
    await other.query('savepoint one');
    await other.query(`insert into models.${name} (${columns}) values ($1, 'user', $2, $3)`, [
      tenantId,
      `text ${random.between(0, 9)} ${round}`,
      `id ${round}`,
    ]);
    if (random.between(0, 1) === 1) await other.query('rollback to savepoint one');
    // The number of rows stays.
    if (random.between(0, 1) === 1)
      await other.query(`update models.${name} set id = $1 where ctid in (${someOf(name, 1)})`, [`changed ${round}`]);
    await copy(table, compared);
    await other.query('commit');
    if (random.between(0, 2) > 0) continue;
    await copy(table, compared, false);
    expect(await readRows(target, name)).toEqual(await readRows(source, name));
  }
  await copy(table, compared, false);
  expect(await readRows(target, name)).toEqual(await readRows(source, name));
});
