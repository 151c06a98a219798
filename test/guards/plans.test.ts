import { type List, sortKey } from '@tenantscope/contract';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AskedList, gets, learnList, lists, statementOf } from './asked.ts';
import { type ManyRows, writeMany } from './many-rows.ts';
import { type Reader, type StillProduct, stillProduct } from './still-product.ts';

/** The long form of `npm run torture` asks the same of ten times as many. */
const count = process.env.TENANTSCOPE_TORTURE ? 1_000_000 : 100_000;

let product: StillProduct;
/** The api's own login, so that its plans are the api's. */
let api: pg.Client;
let reader: Reader;
let rows: ManyRows;

beforeAll(async () => {
  product = await stillProduct();
  api = new pg.Client(product.database.roles.api);
  await api.connect();
  const [largeTenant, smallTenant] = await Promise.all([product.tenant(), product.tenant()]);
  reader = product.reader(largeTenant);
  const toMs = product.throughMs();
  const fromMs = toMs - weeks * weekMs;
  for (let week = 1; week <= weeks; week++) await openPastWeek(product.superuser, week);
  rows = { largeTenant, smallTenant, count, fromMs, toMs };
}, 90_000);
afterAll(async () => {
  await api?.end();
  await product[Symbol.asyncDispose]();
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

/** The plan of the statement about rows, run as the api runs it. */
async function planOf(statement: string, tenantId = rows.largeTenant, analyze = true): Promise<Plan> {
  const [settings = '', question = ''] = statement.replaceAll(rows.largeTenant, tenantId).split(/;(.+)/s);
  const select = question.replace(/^copy \((.+)\) to stdout.*$/s, '$1');
  await api.query('begin');
  try {
    await api.query(settings);
    const { rows: lines } = await api.query(
      `explain (${analyze ? 'analyze, buffers, timing off, ' : ''}format json) ${select}`,
    );
    return lines[0]['QUERY PLAN'][0].Plan;
  } finally {
    await api.query('rollback');
  }
}

const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];
const blocks = (plan: Plan) => (plan['Shared Hit Blocks'] ?? 0) + (plan['Shared Read Blocks'] ?? 0);

/** Straight down one index in its order: nothing is sorted, nothing is collected first. */
async function expectOrderedIndexScan(plan: Plan, { axes }: AskedList, axis: string): Promise<void> {
  const nodes = nodesOf(plan);
  const kinds = new Set(nodes.map((node) => node['Node Type']));
  for (const kind of kinds) expect(['Limit', 'Append', 'Result', 'Index Scan', 'Index Only Scan']).toContain(kind);
  const scans = nodes.filter((node) => node['Index Name']);
  expect(scans.length).toBeGreaterThan(0);
  for (const scan of scans) {
    const { rows: found } = await product.superuser.query<{ columns: string[] }>(
      `select array_agg(attname::text order by attnum) as columns from pg_attribute where attrelid = ('models.' || quote_ident($1))::regclass`,
      [scan['Index Name']],
    );
    expect(found[0]?.columns).toEqual(['tenant_id', axes[axis], 'id']);
    expect(scan['Index Cond']).toContain('tenant_id = ');
  }
}

const midMs = () => Math.floor((rows.fromMs + rows.toMs) / 2);

/** The statement of the page behind one that began in the middle. */
async function deepStatement(list: List, sort: string): Promise<string> {
  const { axis, ascending } = sortKey(sort as 'xAsc');
  const window = list.windows[axis];
  const bound = (ascending ? window?.from : window?.to) ?? '';
  const page = await reader.get(list.path, { sort, limit: String(limit), [bound]: String(midMs()) });
  return statementOf(product, reader, list.path, { cursor: page.body.pagination.nextCursor });
}

test.each(lists.map((list) => [list.name, list] as const))(
  `%s: each page of ${count.toLocaleString('en')} rows goes down the intended index`,
  { timeout: 300_000 },
  async (_, list) => {
    const asked = await learnList(product, reader, list);
    await writeMany(product.superuser, asked, rows);
    try {
      for (const sort of list.sorts) {
        const { axis } = sortKey(sort as 'xAsc');
        const first = await statementOf(product, reader, list.path, { sort, limit: String(limit) });
        const deep = await deepStatement(list, sort);
        for (const statement of [first, deep])
          await expectOrderedIndexScan(await planOf(statement, rows.largeTenant, false), asked, axis);
      }
      await product.superuser.query(`analyze ${asked.table}`);
      for (const sort of list.sorts) {
        const { axis } = sortKey(sort as 'xAsc');
        const first = await statementOf(product, reader, list.path, { sort, limit: String(limit) });
        const deep = await deepStatement(list, sort);
        const plans = [await planOf(first), await planOf(deep), await planOf(first, rows.smallTenant)];
        for (const plan of plans) {
          await expectOrderedIndexScan(plan, asked, axis);
          const removed = nodesOf(plan).reduce((sum, node) => sum + (node['Rows Removed by Filter'] ?? 0), 0);
          expect(removed, sort).toBeLessThan(10 * limit);
        }
        const [one, many] = [blocks(plans[0] as Plan), blocks(plans[1] as Plan)];
        expect(many, `${sort}: ${one} blocks of the first page`).toBeLessThanOrEqual(1.5 * one + 20);
      }
      await expectPruned(asked);
      await expectFoundById(list);
    } finally {
      await product.superuser.query(`truncate ${asked.table}`);
    }
  },
);

/** Where a table is cut by time, a page looks only into the parts that its window and its position leave. */
async function expectPruned({ list, table }: AskedList): Promise<void> {
  const { rows: parts } = await product.superuser.query<{ name: string; from_ms: number; to_ms: number }>(
    `select p.name, (extract(epoch from p.from_at) * 1000)::float8 as from_ms, (extract(epoch from p.to_at) * 1000)::float8 as to_ms
       from models.audit_log_partition p join pg_inherits i on i.inhrelid = ('models.' || p.name)::regclass where i.inhparent = $1::regclass`,
    [table],
  );
  if (parts.length === 0) return;
  const leavesOf = (plan: Plan) => nodesOf(plan).flatMap((node) => node['Relation Name'] ?? []);
  for (const sort of list.sorts) {
    const { axis, ascending } = sortKey(sort as 'xAsc');
    const ahead = parts
      .filter(({ from_ms, to_ms }) => (ascending ? to_ms > midMs() : from_ms <= midMs()))
      .map(({ name }) => name);
    expect(ahead.length).toBeLessThan(parts.length);
    expect(leavesOf(await planOf(await deepStatement(list, sort))).toSorted(), sort).toEqual(ahead.toSorted());
    const { from = '', to = '' } = list.windows[axis] ?? {};
    const day = { [from]: String(midMs()), [to]: String(midMs() + 1_000) };
    const within = parts.filter(({ from_ms, to_ms }) => from_ms <= midMs() + 1_000 && to_ms > midMs());
    expect(leavesOf(await planOf(await statementOf(product, reader, list.path, { sort, ...day })))).toEqual(
      within.map(({ name }) => name),
    );
  }
}

async function expectFoundById(list: List): Promise<void> {
  const get = gets.find(({ path }) => path === `${list.path}/{id}`);
  if (!get) return;
  const { result, heard } = await product.wire.during(rows.largeTenant, () =>
    reader.get(get.path.replace('{id}', 'no-such-id')),
  );
  expect(result.status).toBe(404);
  const plan = await planOf(heard[0] ?? '');
  expect(
    nodesOf(plan).map((node) => node['Node Type']),
    get.name,
  ).not.toContain('Seq Scan');
  expect(blocks(plan), get.name).toBeLessThan(30);
}
