import { type List, sortKey } from '@tenantscope/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Called } from '../product/caller.ts';
import { eventually } from '../product/eventually.ts';
import { type AskedList, learnList, lists } from './asked.ts';
import { type MadeRow, type RowMaker, rowMaker } from './rows.ts';
import { type Reader, type StillProduct, stillProduct } from './still-product.ts';

let product: StillProduct;
const limits = [1, 2, 7, 1000];

beforeAll(async () => {
  product = await stillProduct();
}, 90_000);
afterAll(() => product?.[Symbol.asyncDispose](), 60_000);

/** Rows enough for several pages of 7, several of them in one millisecond. */
const rowCount = 24;

interface Filled {
  readonly asked: AskedList;
  readonly maker: RowMaker;
  readonly tenantId: string;
  readonly reader: Reader;
  readonly rows: readonly MadeRow[];
}

async function filled(list: List): Promise<Filled> {
  const [tenantId, neighbour] = await Promise.all([product.tenant(), product.tenant()]);
  const reader = product.reader(tenantId);
  const asked = await learnList(product, reader, list);
  const maker = await rowMaker(product.superuser, asked);
  const rows = Array.from({ length: rowCount }, (_, number) => rowAt(maker, number, product.throughMs() - 10_000));
  await maker.write(tenantId, rows);
  await maker.write(neighbour, rows);
  return { asked, maker, tenantId, reader, rows };
}

/** Each axis has an order of its own, and ties. */
function rowAt(maker: RowMaker, number: number, fromMs: number): MadeRow {
  const axes = Object.keys(maker.asked.axes);
  const times = axes.map(
    (axis, place) => [axis, fromMs + Math.floor(((number * (place + 5)) % rowCount) / 3)] as const,
  );
  return { id: maker.id(number), times: Object.fromEntries(times) };
}

/** One more row on every axis, behind everything that has been claimed; then it is settled. One at a time, as a lane writes. */
let arriving = Promise.resolve();
function arrive({ maker, tenantId, rows }: Filled, number: number): Promise<MadeRow> {
  const arrived = arriving.then(async () => {
    const stamped = product.throughMs() + 5;
    const times = Object.entries(maker.asked.list.windows).map(
      ([axis, { clock }]) =>
        [axis, clock === 'write' ? stamped : (rows[number % rows.length]?.times[axis] ?? 0)] as const,
    );
    const row = { id: maker.id(rowCount + number), times: Object.fromEntries(times) };
    await maker.write(tenantId, [row]);
    await product.settle(stamped + 5);
    return row;
  });
  arriving = arrived.then(() => undefined);
  return arrived;
}

const inOrder = (rows: readonly MadeRow[], sort: string): string[] => {
  const { axis, ascending } = sortKey(sort as 'xAsc');
  const before = (a: MadeRow, b: MadeRow) =>
    (a.times[axis] ?? 0) - (b.times[axis] ?? 0) || Buffer.compare(Buffer.from(a.id), Buffer.from(b.id));
  return rows.toSorted((a, b) => (ascending ? before(a, b) : before(b, a))).map(({ id }) => id);
};

const idsOf = (page: Called): string[] => page.body.data.map(({ id }: { id: string }) => id);

/** Follows `nextCursor` to the end; every page keeps the laws of pages. */
async function follow(
  { reader, asked }: Filled,
  first: Readonly<Record<string, string>>,
  limit: number,
  between: (page: number) => Promise<unknown>,
): Promise<{ ids: string[]; last: Called }> {
  const ids: string[] = [];
  let parameters = first;
  for (let number = 0; ; number++) {
    const page = await reader.get(asked.list.path, parameters);
    expect(page, `${asked.list.path} ${JSON.stringify(parameters)}`).toMatchObject({ status: 200 });
    const { nextCursor, hasMore, limit: applied } = page.body.pagination;
    expect(applied).toBe(limit);
    expect(nextCursor === null).toBe(!hasMore);
    expect(page.body.data.length).toBeLessThanOrEqual(limit);
    if (hasMore) expect(page.body.data.length).toBe(limit);
    ids.push(...idsOf(page));
    if (!hasMore) return { ids, last: page };
    await between(number);
    parameters = { cursor: nextCursor };
  }
}

test.concurrent.each(lists.map((list) => [list.name, list] as const))(
  '%s: pages joined equal the whole, for every limit and sort, while rows arrive',
  { timeout: 60_000 },
  async (_, list) => {
    const table = await filled(list);
    const there = [...table.rows];
    for (const sort of list.sorts) {
      const { axis, ascending } = sortKey(sort as 'xAsc');
      const onWriteClock = list.windows[axis]?.clock === 'write';
      for (const limit of limits) {
        const whole = inOrder(there, sort);
        const arrived: MadeRow[] = [];
        await eventually('the api knows the watermark', 5_000, async () => {
          const page = await table.reader.get(list.path, { limit: '1' });
          return Date.parse(page.body.pagination.completeThrough) >= product.throughMs() - 5;
        });
        const first = { ...table.asked.revealing, sort, limit: String(limit) };
        const { ids, last } = await follow(table, first, limit, async () => {
          if (arrived.length < 3) arrived.push(await arrive(table, there.length + arrived.length));
        });
        const late = new Set(arrived.map(({ id }) => id));
        const label = `${sort}, limit ${limit}`;
        expect(new Set(ids).size, label).toBe(ids.length);
        if (onWriteClock) expect(ids, label).toEqual(whole);
        else {
          expect(
            ids.filter((id) => !late.has(id)),
            label,
          ).toEqual(whole);
          expect(ids, label).toEqual(inOrder([...there, ...arrived], sort).filter((id) => ids.includes(id)));
        }
        there.push(...arrived);
        if (!onWriteClock || !ascending) continue;
        // Whoever keeps the resume cursor gets what came since, once.
        const since: string[] = [];
        let cursor: string = last.body.pagination.resumeCursor;
        await eventually('what arrived is served', 5_000, async () => {
          const page = await table.reader.get(list.path, { cursor });
          since.push(...idsOf(page));
          cursor = page.body.pagination.resumeCursor;
          return since.length >= arrived.length;
        });
        expect(since, label).toEqual(inOrder(arrived, sort));
      }
    }
  },
);
