import { sortKey } from '@tenantscope/contract';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AskedList, gets, learnList, lists, statementOf } from './asked.ts';
import { type ManyRows, writeMany } from './many-rows.ts';
import { type Reader, type StillProduct, stillProduct } from './still-product.ts';

/** The long form of `npm run torture` asks the same of ten times as many. */
const count = process.env.TENANTSCOPE_TORTURE ? 1_000_000 : 100_000;

let product: StillProduct;
/** The api's own login, so that its plans are the api's. */
let api: pg.Pool;

beforeAll(async () => {
  product = await stillProduct();
  api = new pg.Pool({ connectionString: product.database.roles.api, max: 3 });
  api.on('connect', (client) => void client.on('error', () => {}));
  for (let week = 1; week <= weeks; week++) await openPastWeek(product.superuser, week);
}, 90_000);
afterAll(async () => {
  await api?.end();
  await product?.[Symbol.asyncDispose]();
}, 60_000);

const weeks = 5;
const weekMs = 7 * 86_400_000;

/** A log as it is after some weeks of running; a new one has parts for the weeks ahead. */
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

/** A list whose table is full, and who asks. */
interface Full {
  readonly asked: AskedList;
  readonly rows: ManyRows;
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

/** The plan of the statement about rows, run as the api runs it, for the tenant it names or another. */
async function planOf(
  statement: string,
  { as = '', analyze = true }: { as?: string; analyze?: boolean } = {},
): Promise<Plan> {
  const named = /set_config\('tenantscope\.tenant', '([^']+)'/.exec(statement)?.[1] ?? '';
  const [settings = '', question = ''] = statement.replaceAll(named, as || named).split(/;(.+)/s);
  const select = question.replace(/^copy \((.+)\) to stdout.*$/s, '$1');
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
const axisOf = (sort: string) => sortKey(sort as 'xAsc').axis;

/** Straight down one index in its order: nothing is sorted, nothing is collected first. */
async function expectOrderedIndexScan(plan: Plan, { axes }: AskedList, sort: string): Promise<void> {
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

const midOf = ({ fromMs, toMs }: ManyRows) => Math.floor((fromMs + toMs) / 2);

function firstStatement({ asked: { list }, reader }: Full, sort: string): Promise<string> {
  return statementOf(product, reader, list.path, { sort, limit: String(limit) });
}

/** The statement of the page behind one that began in the middle. */
async function deepStatement({ asked: { list }, reader, rows }: Full, sort: string): Promise<string> {
  const { axis, ascending } = sortKey(sort as 'xAsc');
  const { from = '', to = '' } = list.windows[axis] ?? {};
  const page = await reader.get(list.path, {
    sort,
    limit: String(limit),
    [ascending ? from : to]: String(midOf(rows)),
  });
  return statementOf(product, reader, list.path, { cursor: page.body.pagination.nextCursor });
}

test.concurrent.each(lists.map((list) => [list.name, list] as const))(
  `%s: each page of ${count.toLocaleString('en')} rows goes down the intended index`,
  { timeout: 300_000 },
  async (_, list) => {
    const [largeTenant, smallTenant] = await Promise.all([product.tenant(), product.tenant()]);
    const toMs = product.throughMs();
    const rows = { largeTenant, smallTenant, count, fromMs: toMs - weeks * weekMs, toMs };
    const reader = product.reader(largeTenant);
    const full = { asked: await learnList(product, reader, list), rows, reader };
    await writeMany(product.superuser, full.asked, rows);
    await expectOrderWithoutStatistics(full);
    await product.superuser.query(`analyze ${full.asked.table}`);
    await expectPagesOfOnePrice(full);
    await expectPruned(full);
    await expectFoundById(full);
    await product.superuser.query(`truncate ${full.asked.table}`);
  },
);

/** As it is in a fresh partition, or after a large import, until statistics are taken. */
async function expectOrderWithoutStatistics(full: Full): Promise<void> {
  for (const sort of full.asked.list.sorts)
    for (const statement of [await firstStatement(full, sort), await deepStatement(full, sort)])
      await expectOrderedIndexScan(await planOf(statement, { analyze: false }), full.asked, sort);
}

async function expectPagesOfOnePrice(full: Full): Promise<void> {
  for (const sort of full.asked.list.sorts) {
    const first = await firstStatement(full, sort);
    const [one, deep, small] = await Promise.all([
      planOf(first),
      planOf(await deepStatement(full, sort)),
      planOf(first, { as: full.rows.smallTenant }),
    ]);
    for (const plan of [one, deep, small]) {
      await expectOrderedIndexScan(plan, full.asked, sort);
      const passedOver = nodesOf(plan).reduce((sum, node) => sum + (node['Rows Removed by Filter'] ?? 0), 0);
      expect(passedOver, sort).toBeLessThan(10 * limit);
    }
    expect(blocks(deep), `${sort}: ${blocks(one)} blocks of the first page`).toBeLessThanOrEqual(
      1.5 * blocks(one) + 20,
    );
  }
}

/** Where a table is cut by time, a page looks only into the parts that its window and its position leave. */
async function expectPruned(full: Full): Promise<void> {
  const { list, table } = full.asked;
  const { rows: parts } = await product.superuser.query<{ name: string; from_ms: number; to_ms: number }>(
    `select p.name, (extract(epoch from p.from_at) * 1000)::float8 as from_ms, (extract(epoch from p.to_at) * 1000)::float8 as to_ms
       from models.audit_log_partition p join pg_inherits i on i.inhrelid = ('models.' || p.name)::regclass where i.inhparent = $1::regclass`,
    [table],
  );
  if (parts.length === 0) return;
  const leavesOf = (plan: Plan) => nodesOf(plan).flatMap((node) => node['Relation Name'] ?? []);
  const between = (fromMs: number, toMs: number) =>
    parts.filter(({ from_ms, to_ms }) => from_ms <= toMs && to_ms > fromMs).map(({ name }) => name);
  const mid = midOf(full.rows);
  for (const sort of list.sorts) {
    const { axis, ascending } = sortKey(sort as 'xAsc');
    const left = ascending ? between(mid, full.rows.toMs) : between(0, mid);
    expect(left.length).toBeLessThan(parts.length);
    expect(leavesOf(await planOf(await deepStatement(full, sort))).toSorted(), sort).toEqual(left.toSorted());
    const { from = '', to = '' } = list.windows[axis] ?? {};
    const window = { sort, [from]: String(mid), [to]: String(mid + 1_000) };
    const within = await statementOf(product, full.reader, list.path, window);
    expect(leavesOf(await planOf(within)), sort).toEqual(between(mid, mid + 1_000));
  }
}

async function expectFoundById({ asked: { list }, reader }: Full): Promise<void> {
  const get = gets.find(({ path }) => path === `${list.path}/{id}`);
  if (!get) return;
  const plan = await planOf(await statementOf(product, reader, get.path.replace('{id}', 'no-such-id'), {}));
  expect(
    nodesOf(plan).map((node) => node['Node Type']),
    get.name,
  ).not.toContain('Seq Scan');
  expect(blocks(plan), get.name).toBeLessThan(30);
}
