import { parseSort } from '@tenantscope/contract';
import { logRecordStatement } from '@tenantscope/store/read';
import type pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestPool } from '../services/pool.ts';
import { isLong } from '../torture/random.ts';
import { type BulkRows, insertBulkRows } from './bulk-rows.ts';
import { type ControlledInstallation, type Reader, startControlledInstallation } from './controlled-installation.ts';
import { captureStatement, gets, inspectList, type ListMapping, lists } from './list-mapping.ts';

/**
 * `npm run torture` checks a million rows. 20,000 suffice to tell plans apart: a page in their middle that does not start by index reads thousands of
 * rows instead of 50. Filling all lists with 100,000 took 51 s of CPU time.
 */
const count = isLong ? 1_000_000 : 20_000;

let product: ControlledInstallation;
/** The login of the api, so that the plans are those of the api. */
let api: pg.Pool;

beforeAll(async () => {
  product = await startControlledInstallation();
  api = openTestPool(product.database.roles.api, { max: 3 });
  for (let week = 1; week <= weeks; week++) await openPastWeek(product.superuser, week);
});
afterAll(async () => {
  await api?.end();
  await product?.[Symbol.asyncDispose]();
});

const weeks = 5;
const weekMs = 7 * 86_400_000;

/** A log after some weeks of operation; a new one has partitions for the weeks ahead. */
async function openPastWeek(superuser: pg.Pool, week: number): Promise<void> {
  await superuser.query(
    `do $$ declare earliest timestamptz; leaf text;
     begin
       select min(from_at) into earliest from models.audit_log_partition;
       leaf := 'audit_log_past_${week}';
       execute format('create table models.%I partition of models.audit_log for values from (%L) to (%L)', leaf, earliest - interval '7 days', earliest);
       insert into models.audit_log_partition values (leaf, earliest - interval '7 days', earliest);
     end $$`,
  );
}

/** A list with a full table, and its reader. */
interface Full {
  readonly mapping: ListMapping;
  readonly rows: BulkRows;
  readonly reader: Reader;
}

interface Plan {
  readonly 'Node Type': string;
  readonly 'Index Name'?: string;
  readonly 'Relation Name'?: string;
  readonly 'Index Cond'?: string;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Shared Hit Blocks'?: number;
  readonly 'Shared Read Blocks'?: number;
  readonly Plans?: readonly Plan[];
}

const limit = 50;

/** The plan of the statement on rows, run as the api runs it, for its tenant or another one. */
async function planOf(
  statement: string,
  { as = '', analyze = true }: { as?: string; analyze?: boolean } = {},
): Promise<Plan> {
  const named = /set_config\('tenantscope\.tenant', '([^']+)'/.exec(statement)?.[1] ?? '';
  const [settings = '', query = ''] = statement.replaceAll(named, as || named).split(/;(.+)/s);
  const select = query.replace(/^copy \((.+)\) to stdout.*$/s, '$1');
  const client = await api.connect();
  try {
    await client.query('begin');
    await client.query(settings);
    const { rows: lines } = await client.query(
      `explain (${analyze ? 'analyze, buffers, timing off, ' : ''}format json) ${select}`,
    );
    return lines[0]['QUERY PLAN'][0].Plan;
  } finally {
    await client.query('rollback');
    client.release();
  }
}

const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];
const blocks = (plan: Plan) => (plan['Shared Hit Blocks'] ?? 0) + (plan['Shared Read Blocks'] ?? 0);
const axisOf = (sort: string) => parseSort(sort as 'xAsc').axis;

/** A scan of one index in its order, without sorting or a bitmap. */
async function expectOrderedIndexScan(plan: Plan, { axes }: ListMapping, sort: string): Promise<void> {
  const nodes = nodesOf(plan);
  const kinds = [...new Set(nodes.map((node) => node['Node Type']))];
  const ordered = ['Limit', 'Append', 'Result', 'Index Scan', 'Index Only Scan'];
  expect(
    kinds.filter((kind) => !ordered.includes(kind)),
    sort,
  ).toEqual([]);
  const scans = nodes.filter((node) => node['Index Name']);
  expect(scans.length, sort).toBeGreaterThan(0);
  for (const scan of scans) {
    const { rows: found } = await product.superuser.query<{ columns: string[] }>(
      `select array_agg(attname::text order by attnum) as columns from pg_attribute where attrelid = ('models.' || quote_ident($1))::regclass`,
      [scan['Index Name']],
    );
    expect(found[0]?.columns).toEqual(['tenant_id', axes[axisOf(sort)], 'id']);
    expect(scan['Index Cond']).toContain('tenant_id = ');
  }
}

const midOf = ({ fromMs, toMs }: BulkRows) => Math.floor((fromMs + toMs) / 2);

function firstStatement({ mapping: { list }, reader }: Full, sort: string): Promise<string> {
  return captureStatement(product, reader, list.path, { sort, limit: String(limit) });
}

/** The statement of the page after one that started in the middle. */
async function deepStatement({ mapping: { list }, reader, rows }: Full, sort: string): Promise<string> {
  const { axis, ascending } = parseSort(sort as 'xAsc');
  const { from = '', to = '' } = list.windows[axis] ?? {};
  const page = await reader.get(list.path, {
    sort,
    limit: String(limit),
    [ascending ? from : to]: String(midOf(rows)),
  });
  return captureStatement(product, reader, list.path, { cursor: page.body.pagination.nextCursor });
}

test.concurrent.each(lists.map((list) => [list.name, list] as const))(
  `%s reads each page of ${count.toLocaleString('en')} rows by the intended index`,
  { timeout: 300_000 },
  async (_, list) => {
    const [largeTenant, smallTenant] = await Promise.all([product.createTenant(), product.createTenant()]);
    const toMs = product.throughMs();
    const rows = { largeTenant, smallTenant, count, fromMs: toMs - weeks * weekMs, toMs };
    const reader = product.reader(largeTenant);
    const full = { mapping: await inspectList(product, reader, list), rows, reader };
    await insertBulkRows(product.superuser, full.mapping, rows);
    await expectOrderWithoutStatistics(full);
    await product.superuser.query(`analyze ${full.mapping.table}`);
    await expectEqualPageCosts(full);
    await expectPruned(full);
    if (list.filters.user) await expectOrderForUser(full);
    await expectFoundById(full);
    await product.superuser.query(`truncate ${full.mapping.table}`);
  },
);

/** Without statistics, as in a new partition or after a large import. */
async function expectOrderWithoutStatistics(full: Full): Promise<void> {
  for (const sort of full.mapping.list.sorts)
    for (const statement of [await firstStatement(full, sort), await deepStatement(full, sort)])
      await expectOrderedIndexScan(await planOf(statement, { analyze: false }), full.mapping, sort);
}

/** A filter that compares two columns without case follows the order of the page too, with one name as with very many. */
async function expectOrderForUser({ mapping, reader }: Full): Promise<void> {
  const names = Array.from({ length: 50 }, (_, number) => `person-${number}@contoso.example`);
  for (const user of [mapping.list.filters.user?.example ?? '', names.join()])
    for (const sort of mapping.list.sorts) {
      const statement = await captureStatement(product, reader, mapping.list.path, {
        user,
        sort,
        limit: String(limit),
      });
      await expectOrderedIndexScan(await planOf(statement), mapping, sort);
    }
}

async function expectEqualPageCosts(full: Full): Promise<void> {
  for (const sort of full.mapping.list.sorts) {
    const first = await firstStatement(full, sort);
    const [one, deep, small] = await Promise.all([
      planOf(first),
      planOf(await deepStatement(full, sort)),
      planOf(first, { as: full.rows.smallTenant }),
    ]);
    for (const plan of [one, deep, small]) {
      await expectOrderedIndexScan(plan, full.mapping, sort);
      const passedOver = nodesOf(plan).reduce((sum, node) => sum + (node['Rows Removed by Filter'] ?? 0), 0);
      expect(passedOver, sort).toBeLessThan(10 * limit);
    }
    expect(blocks(deep), `${sort}: ${blocks(one)} blocks of the first page`).toBeLessThanOrEqual(
      1.5 * blocks(one) + 20,
    );
  }
}

/** A page of a partitioned table reads only the partitions of its window and position. */
async function expectPruned(full: Full): Promise<void> {
  const { list, table } = full.mapping;
  const { rows: parts } = await product.superuser.query<{ name: string; from_ms: number; to_ms: number }>(
    `select p.name, (extract(epoch from p.from_at) * 1000)::float8 as from_ms, (extract(epoch from p.to_at) * 1000)::float8 as to_ms
       from models.audit_log_partition p join pg_inherits i on i.inhrelid = ('models.' || p.name)::regclass where i.inhparent = $1::regclass`,
    [table],
  );
  if (parts.length === 0) return;
  const relationsOf = (plan: Plan) => nodesOf(plan).flatMap((node) => node['Relation Name'] ?? []);
  const between = (fromMs: number, toMs: number) =>
    parts.filter(({ from_ms, to_ms }) => from_ms <= toMs && to_ms > fromMs).map(({ name }) => name);
  const mid = midOf(full.rows);
  for (const sort of list.sorts) {
    const { axis, ascending } = parseSort(sort as 'xAsc');
    const left = ascending ? between(mid, full.rows.toMs) : between(0, mid);
    expect(left.length).toBeLessThan(parts.length);
    expect(relationsOf(await planOf(await deepStatement(full, sort))).toSorted(), sort).toEqual(left.toSorted());
    const { from = '', to = '' } = list.windows[axis] ?? {};
    const window = { sort, [from]: String(mid), [to]: String(mid + 1_000) };
    const within = await captureStatement(product, full.reader, list.path, window);
    expect(relationsOf(await planOf(within)), sort).toEqual(between(mid, mid + 1_000));
  }
}

async function expectFoundById({ mapping: { list }, reader }: Full): Promise<void> {
  const get = gets.find(({ path }) => path === `${list.path}/{id}`);
  if (!get) return;
  const plan = await planOf(await captureStatement(product, reader, get.path.replace('{id}', noSuchId), {}));
  expect(
    nodesOf(plan).map((node) => node['Node Type']),
    get.name,
  ).not.toContain('Seq Scan');
  expect(blocks(plan), get.name).toBeLessThan(30);
}

test('a row of the log and its raw record are read from their partitions by index', async () => {
  const reader = product.reader(await product.createTenant());
  const plan = await planOf(
    `select set_config('tenantscope.tenant', '${reader.tenantId}', true);${logRecordStatement(reader.tenantId, noSuchId, product.throughMs())}`,
  );
  const relations = nodesOf(plan).flatMap((node) => node['Relation Name'] ?? []);
  expect(relations.filter((name) => /^audit_log_\d/.test(name))).toHaveLength(1);
  expect(relations.filter((name) => name.startsWith('audit_log_raw_')).length).toBeLessThanOrEqual(2);
  expect(JSON.stringify(plan)).toContain('discovered_at');
});

const noSuchId = '00000000-0000-8000-8000-000000000000';
