import { grantableScopes, type List, parseSort } from '@tenantscope/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ApiResponse, createApiClient } from '../installation/api-client.ts';
import { eventually } from '../installation/eventually.ts';
import { type ControlledInstallation, type Reader, startControlledInstallation } from './controlled-installation.ts';
import { inspectList, type ListMapping, lists } from './list-mapping.ts';
import { createRowWriter, type RowKey, type RowWriter } from './row-writer.ts';
import { createStandby } from './standby.ts';

/** A window on the write clock filters a list that is sorted by another time: it is not frozen. */
let product: ControlledInstallation;
const secret = 'a secret that is long enough for cursors of two processes';

beforeAll(async () => {
  product = await startControlledInstallation({ TENANTSCOPE_CURSOR_SECRETS: secret });
});
afterAll(() => product?.[Symbol.asyncDispose]());

const writeClock = (list: List) => Object.entries(list.windows).find(([, { clock }]) => clock === 'write');
const cases = lists.flatMap((list) =>
  list.sorts
    .filter((sort) => writeClock(list) && parseSort(sort as 'xAsc').axis !== writeClock(list)?.[0])
    .map((sort) => [list.path, sort, list] as const),
);
const ascendingCases = cases.filter(([, sort]) => sort.endsWith('Asc'));

interface Prepared {
  readonly list: List;
  readonly axis: string;
  readonly from: string;
  readonly to: string;
  readonly tenantId: string;
  readonly mapping: ListMapping;
  readonly writer: RowWriter;
  readonly reader: Reader;
  /** In the ascending order of the sort, and settled. */
  readonly rows: readonly RowKey[];
  /** The window that is open, and everything that hides rows. */
  readonly parameters: Readonly<Record<string, string>>;
}

async function prepare(list: List, sort: string): Promise<Prepared> {
  const [axis = '', { from = '', to = '' } = {}] = writeClock(list) ?? [];
  const tenantId = await product.createTenant();
  const reader = product.reader(tenantId);
  const mapping = await inspectList(product, reader, list);
  const writer = await createRowWriter(product.superuser, mapping);
  const prepared = { list, axis, from, to, tenantId, mapping, writer, reader };
  const rows = [1, 2, 3].map((place) => rowAt(prepared, place, product.throughMs() - 1_000));
  await writer.write(tenantId, rows);
  const parameters = { ...mapping.revealing, sort, [from]: formatted(product.throughMs() - 10_000) };
  return { ...prepared, rows, parameters };
}

/** Its place decides the order of the other times. */
const rowAt = (
  { list, axis, writer }: Pick<Prepared, 'list' | 'axis' | 'writer'>,
  place: number,
  writtenMs: number,
): RowKey => ({
  id: writer.id(place),
  times: Object.fromEntries(
    Object.keys(list.windows).map((name) => [name, name === axis ? writtenMs : product.throughMs() - 100_000 + place]),
  ),
});

const formatted = (ms: number): string => new Date(ms).toISOString();
const idsOf = (page: ApiResponse): string[] => page.body.data.map(({ id }: { id: string }) => id);

async function read({ list, reader }: Prepared, parameters: Readonly<Record<string, string>>): Promise<ApiResponse> {
  const page = await reader.get(list.path, parameters);
  expect(page.status, `${list.path} ${JSON.stringify(parameters)}: ${page.text}`).toBe(200);
  return page;
}

/** Follows `nextCursor` from a page to the end. */
async function readRest(prepared: Prepared, first: ApiResponse): Promise<string[]> {
  const ids = idsOf(first);
  for (let page = first; page.body.pagination.hasMore; ) {
    page = await read(prepared, { cursor: page.body.pagination.nextCursor });
    ids.push(...idsOf(page));
  }
  return ids;
}

/** Writes a row after everything that was settled, and settles it. */
async function arrive(prepared: Prepared, place: number): Promise<RowKey> {
  const row = rowAt(prepared, place, product.throughMs() + 5);
  await prepared.writer.write(prepared.tenantId, [row]);
  await settle(prepared, product.throughMs() + 10);
  return row;
}

async function settle(prepared: Prepared, throughMs: number): Promise<void> {
  await product.settle(throughMs);
  await eventually('the api has the watermark', 10_000, async () => {
    const page = await read(prepared, { limit: '1' });
    return Date.parse(page.body.pagination.completeThrough) === throughMs;
  });
}

test('every list of a feed with a provider time is sorted by it', () => {
  expect(new Set(ascendingCases.map(([path]) => path))).toEqual(
    new Set(['/detections', '/policy-scans', '/notifications', '/actions', '/security-alerts']),
  );
});

test.each(ascendingCases)('resume cursors of %s with %s return later rows of an open window', async (_, sort, list) => {
  const prepared = await prepare(list, sort);
  const first = await read(prepared, prepared.parameters);
  expect(idsOf(first)).toEqual(prepared.rows.map(({ id }) => id));
  let cursor: string = first.body.pagination.resumeCursor;
  for (const place of [4, 5]) {
    const row = await arrive(prepared, place);
    const page = await read(prepared, { cursor });
    expect(idsOf(page), `poll ${place}`).toEqual([row.id]);
    cursor = page.body.pagination.resumeCursor;
    const empty = await read(prepared, { cursor });
    expect(idsOf(empty)).toEqual([]);
    cursor = empty.body.pagination.resumeCursor;
  }
});

test.each(ascendingCases)('resume cursors of %s with %s retain the end of a window', async (_, sort, list) => {
  const prepared = await prepare(list, sort);
  const closed = { ...prepared.parameters, [prepared.to]: formatted(product.throughMs()) };
  const first = await read(prepared, closed);
  expect(idsOf(first)).toEqual(prepared.rows.map(({ id }) => id));
  await arrive(prepared, 4);
  expect(idsOf(await read(prepared, { cursor: first.body.pagination.resumeCursor }))).toEqual([]);
});

test.each(cases)('pages of %s with %s return rows of an open window that change meanwhile', async (_, sort, list) => {
  const prepared = await prepare(list, sort);
  const { table, axes } = prepared.mapping;
  const first = await read(prepared, { ...prepared.parameters, limit: '1' });
  await product.superuser.query(
    `update ${table} set ${axes[prepared.axis]} = $1 where tenant_id = $2 and not id = any($3)`,
    [formatted(product.throughMs() + 5), prepared.tenantId, idsOf(first)],
  );
  await settle(prepared, product.throughMs() + 10);
  const expected = prepared.rows.map(({ id }) => id);
  expect(await readRest(prepared, first)).toEqual(sort.endsWith('Asc') ? expected : expected.toReversed());
});

test.each(cases)('later pages of %s with %s take an end of the window that lies ahead', async (_, sort, list) => {
  const prepared = await prepare(list, sort);
  const endMs = Date.now() + 3_600_000;
  const ahead = { ...prepared.parameters, [prepared.to]: formatted(endMs), limit: '1' };
  await prepared.writer.write(prepared.tenantId, [rowAt(prepared, 4, endMs + 1_000)]);
  const expected = prepared.rows.map(({ id }) => id);
  expect(await readRest(prepared, await read(prepared, ahead))).toEqual(
    sort.endsWith('Asc') ? expected : expected.toReversed(),
  );
});

test('a later page is not read from a server that is behind the first page', async () => {
  const [path, sort, list] = ascendingCases[0] as (typeof ascendingCases)[number];
  const prepared = await prepare(list, sort);
  const first = await read(prepared, { ...prepared.parameters, limit: '1' });
  const cursor: string = first.body.pagination.nextCursor;
  await using standby = await createStandby(product.throughMs() - 500);
  await using behind = await startControlledInstallation({
    TENANTSCOPE_CURSOR_SECRETS: secret,
    TENANTSCOPE_API_DATABASE_URL: product.database.roles.api,
    TENANTSCOPE_KEYS_DATABASE_URL: product.database.roles.keys,
    TENANTSCOPE_STANDBY_DATABASE_URLS: standby.database.roles.api,
  });
  const { secret: key } = await product.admin.keys.create({
    name: 'behind',
    scopes: grantableScopes,
    owner: { tenantId: prepared.tenantId },
    expiresAt: null,
  });
  const client = createApiClient(behind.baseUrl, key);
  expect(await client.get(path, { cursor })).toMatchObject({ status: 503, code: 'SERVICE_UNAVAILABLE' });
  await standby.lanes.query('update models.ingest_lane set settled_at = $1', [formatted(product.throughMs())]);
  await eventually('the standby is as far as the first page', 10_000, async () => {
    const page = await client.get(path, { cursor });
    return page.status === 200 && idsOf(page)[0] === prepared.rows[1]?.id;
  });
});
