import { setTimeout as sleep } from 'node:timers/promises';
import { formatTime } from '@tenantscope/contract';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type ApiClient, type ApiResponse, createApiClient } from '../installation/api-client.ts';
import { type ControlledLog, openControlledLog } from '../installation/controlled-log.ts';
import { eventually } from '../installation/eventually.ts';
import { type Installation, startInstallation } from '../installation/installation.ts';
import { isLong } from '../torture/random.ts';

let installation: Installation;
let baseUrl: string;
let log: ControlledLog;
/** A new tenant for each test, and the time that its log is settled through. */
let tenantId: string;
let caller: ApiClient;
let through = Date.now() - 600_000;

beforeAll(async () => {
  installation = await startInstallation();
  log = await openControlledLog(installation.database.superuser);
  ({ baseUrl } = await installation.startApi());
});
afterAll(async () => {
  await log[Symbol.asyncDispose]();
  await installation[Symbol.asyncDispose]();
});
beforeEach(async () => {
  const tenant = await installation.createTenant();
  tenantId = tenant.id;
  caller = createApiClient(baseUrl, tenant.secret);
  // No process moves a watermark back, so each test starts after the previous one.
  await settle(through + 10_000);
});

async function settle(throughMs: number): Promise<void> {
  through = throughMs;
  await log.settle(throughMs);
  await eventually(
    'the api has the watermark',
    5_000,
    async () => (await logs({ limit: '1' })).body.pagination.completeThrough === formatTime(throughMs),
  );
}

const logs = (parameters: Record<string, string>): Promise<ApiResponse> => caller.get('/logs', parameters);
const at = (offsetMs: number): string => formatTime(through + offsetMs);
const idsOf = (response: ApiResponse): string[] => response.body.data.map(({ id }: { id: string }) => id);
const ascending = { sort: 'discoveredAtAsc' };

/** Events at these offsets from the watermark. */
const write = (...offsets: number[]): Promise<string[]> =>
  log.write(
    tenantId,
    offsets.map((offset) => ({ discoveredAt: at(offset) })),
  );

test('a window without an upper bound ends at the watermark and excludes later rows', async () => {
  const ids = await write(-300, -200, 0, 1, 500);
  for (const parameters of [ascending, {}]) {
    const response = await logs(parameters);
    expect(idsOf(response).toSorted()).toEqual(ids.slice(0, 3).toSorted());
    expect(response.body.pagination).toMatchObject({
      hasMore: false,
      nextCursor: null,
      limit: 50,
      completeThrough: at(0),
      window: { from: null, to: at(0) },
      retainedFrom: expect.stringMatching(/^\d{4}-.*Z$/),
    });
    expect(response.body.pagination.resumeCursor === null).toBe(parameters !== ascending);
  }
});

test('an upper bound more than a minute ahead is ignored', async () => {
  await write(-100);
  const response = await logs({ discoveredTo: formatTime(Date.now() + 65_000) });
  expect(response.body.pagination.window.to).toBe(at(0));
});

test('a request waits until the watermark reaches the end of its window', async () => {
  const ids = await write(-100, 400);
  const pending = logs({ discoveredTo: at(500), discoveredFrom: at(-1_000) });
  await sleep(300);
  await log.settle(through + 500);
  const response = await pending;
  expect(idsOf(response)).toEqual(ids.toReversed());
  expect(response.body.pagination).toMatchObject({
    hasMore: false,
    window: { from: at(-1_000), to: at(500) },
    completeThrough: at(500),
  });
});

test('the note names the reason of an empty page, and the parameters that a cursor replaces', async () => {
  await write(-300, -200, -100);
  const note = async (parameters: Record<string, string>) => (await logs(parameters)).body.pagination.note;
  expect(await note({ limit: '2' })).toBeNull();
  expect(await note({ discoveredFrom: formatTime(Date.now() + 3_600_000) })).toMatch(/in the future/);
  expect(await note({ discoveredTo: '2019-01-01T00:00:00Z' })).toMatch(/where the stored history begins/);
  const cursor = (await logs({ ...ascending, limit: '2' })).body.pagination.nextCursor;
  expect(await note({ cursor, limit: '1' })).toBeNull();
  expect(await note({ cursor, action: 'FileAccessed', sort: 'discoveredAtDesc' })).toMatch(/: action, sort\./);
});

test('an unsettled ascending window with rows returns hasMore and a cursor with the requested end', async () => {
  const ids = await write(-200, -100, 400, 600);
  const started = performance.now();
  const first = await logs({ ...ascending, discoveredTo: at(500) });
  expect(performance.now() - started).toBeGreaterThan(1_900);
  expect(idsOf(first)).toEqual(ids.slice(0, 2));
  expect(first.body.pagination).toMatchObject({
    hasMore: true,
    window: { from: null, to: at(500) },
    completeThrough: at(0),
  });

  const nothingYet = await logs({ cursor: first.body.pagination.nextCursor });
  expect(nothingYet).toMatchObject({ status: 503, code: 'SERVICE_UNAVAILABLE' });
  expect(nothingYet.headers.get('retry-after')).toBe('1');

  const requestedMs = through + 500;
  await settle(through + 1_000);
  const last = await logs({ cursor: first.body.pagination.nextCursor });
  expect(idsOf(last)).toEqual(ids.slice(2, 3));
  expect(last.body.pagination).toMatchObject({
    hasMore: false,
    nextCursor: null,
    window: { to: formatTime(requestedMs) },
  });
});

test('an unsettled window without rows or in descending order returns 503 and never a short page', async () => {
  await write(-100);
  const unsettled = { discoveredTo: at(500) };
  const responses = await Promise.all(
    [{ ...ascending, ...unsettled, discoveredFrom: at(-50) }, unsettled, { ...unsettled, limit: '1' }].map(logs),
  );
  for (const response of responses) {
    expect(response).toMatchObject({ status: 503, code: 'SERVICE_UNAVAILABLE' });
    expect(response.headers.get('retry-after')).toBe('1');
    expect(response.headers.get('x-ratelimit-remaining')).toMatch(/^\d+$/);
  }
});

test('a window that the first page freezes stays frozen while the log grows', async () => {
  const ids = await write(-300, -200, -100);
  const frozen = at(0);
  const first = await logs({ limit: '2' });
  await write(-50, 100);
  await settle(through + 1_000);
  const second = await logs({ cursor: first.body.pagination.nextCursor });
  expect([...idsOf(first), ...idsOf(second)]).toEqual(ids.toReversed());
  expect(second.body.pagination).toMatchObject({ hasMore: false, window: { to: frozen }, completeThrough: at(0) });
});

test('a resume cursor continues after the last row with the same filters and without the bound', async () => {
  await log.write(tenantId, [
    { discoveredAt: at(-300), severity: 'high', occurredAt: at(-5_000) },
    { discoveredAt: at(-200), severity: 'low' },
    { discoveredAt: at(-100), severity: 'high', occurredAt: at(-900_000) },
  ]);
  const filters = {
    ...ascending,
    severity: 'high',
    occurredFrom: at(-60_000),
    discoveredFrom: at(-1_000),
    discoveredTo: at(-250),
    limit: '3',
  };
  const first = await logs(filters);
  expect(first.body.data).toHaveLength(1);
  const quiet = await logs({ cursor: first.body.pagination.resumeCursor });
  expect(quiet.body).toMatchObject({
    data: [],
    pagination: { hasMore: false, nextCursor: null, limit: 3, window: { from: filters.discoveredFrom, to: at(0) } },
  });
  const [id] = await log.write(tenantId, [
    { discoveredAt: at(100), severity: 'high' },
    { discoveredAt: at(200), severity: 'low' },
  ]);
  await settle(through + 1_000);
  const later = await logs({ cursor: quiet.body.pagination.resumeCursor });
  expect(idsOf(later)).toEqual([id]);
  expect((await logs({ cursor: later.body.pagination.resumeCursor })).body.data).toEqual([]);
});

test('a cursor from an empty log returns everything that arrives later', async () => {
  const first = await logs(ascending);
  expect(first.body.data).toEqual([]);
  const ids = await write(100, 200, 300);
  await settle(through + 1_000);
  const seen: string[] = [];
  for (let cursor = first.body.pagination.resumeCursor, page = 0; page < 4; page += 1) {
    const response = await logs({ cursor, limit: '1' });
    seen.push(...idsOf(response));
    cursor = response.body.pagination.resumeCursor;
  }
  expect(seen).toEqual(ids);
});

test('windows include both ends', async () => {
  const ids = await write(-300, -200, -200, -100);
  const window = async (from: number, to: number) =>
    idsOf(await logs({ ...ascending, discoveredFrom: at(from), discoveredTo: at(to) }));
  expect(await window(-200, -200)).toEqual(ids.slice(1, 3));
  expect(await window(-300, -200)).toEqual(ids.slice(0, 3));
  expect(await window(-199, -100)).toEqual(ids.slice(3));
  expect(await window(-299, -201)).toEqual([]);
});

test('a cursor replaces all other parameters except limit, and unknown parameters are still rejected', async () => {
  await write(-400, -300, -200, -100);
  const { pagination } = (await logs({ ...ascending, limit: '1', discoveredFrom: at(-300) })).body;
  const cursor = pagination.nextCursor;
  const plain = idsOf(await logs({ cursor }));
  expect(plain).toHaveLength(1);
  for (const ignored of [
    { discoveredFrom: '1999-01-01', discoveredTo: '1999-01-02' },
    { discoveredFrom: 'rubbish', discoveredTo: '' },
    { discoveredFrom: '2031-01-01', discoveredTo: '2001-01-01' },
    { severity: 'rubbish', sort: 'rubbish', isManagedDevice: 'rubbish', action: 'a\0b' },
  ])
    expect(idsOf(await logs({ ...ignored, cursor }))).toEqual(plain);
  expect((await logs({ cursor, limit: '2' })).body).toMatchObject({ data: { length: 2 }, pagination: { limit: 2 } });
  expect((await logs({ cursor, limit: '0' })).code).toBe('INVALID_PARAMETER');
  expect((await logs({ cursor, nonsense: '1' })).code).toBe('INVALID_PARAMETER');
  for (const start of ['', '0'])
    expect((await logs({ cursor: start, limit: '2' })).body).toEqual((await logs({ limit: '2' })).body);
});

test('the Link header names the next page when there is one', async () => {
  await write(-200, -100);
  const first = await logs({ limit: '1' });
  const link = first.headers.get('link') ?? '';
  expect(link).toBe(`<${baseUrl}/logs?cursor=${first.body.pagination.nextCursor}>; rel="next"`);
  expect((await logs({ limit: '2' })).headers.get('link')).toBeNull();
});

test('cursors that were altered or issued for another tenant are rejected', async () => {
  await write(-200, -100);
  const cursor: string = (await logs({ limit: '1' })).body.pagination.nextCursor;
  const stranger = createApiClient(baseUrl, (await installation.createTenant()).secret);
  expect((await stranger.get('/logs', { cursor })).code).toBe('INVALID_CURSOR');
  for (const bad of [
    'x',
    'null',
    'undefined',
    '1',
    'eyJhIjoxfQ',
    'A'.repeat(5_000),
    '%00',
    '\0',
    `${cursor}A`,
    cursor.slice(1),
    cursor.toUpperCase(),
  ])
    expect((await logs({ cursor: bad })).code, bad.slice(0, 20)).toBe('INVALID_CURSOR');
});

test('cursors stay valid across a rotation while the old secret is listed', async () => {
  await write(-200, -100);
  const cursor: string = (await logs({ limit: '1' })).body.pagination.nextCursor;
  const { TENANTSCOPE_CURSOR_SECRETS: old } = installation.environment;
  const next = 'another secret that is long enough for a cursor';
  await using rotated = await installation.startApi({
    TENANTSCOPE_CURSOR_SECRETS: `${next},${old}`,
  });
  await using retired = await installation.startApi({ TENANTSCOPE_CURSOR_SECRETS: next });
  const elsewhere = async (url: string) => {
    const { secret } = await installation.admin.keys.create({
      name: 'reader',
      scopes: ['logs:read'],
      owner: { tenantId },
      expiresAt: null,
    });
    return createApiClient(url, secret).get('/logs', { cursor });
  };
  expect((await elsewhere(rotated.baseUrl)).body.data).toHaveLength(1);
  expect((await elsewhere(retired.baseUrl)).code).toBe('INVALID_CURSOR');
});

test('a cursor before the retained history returns the time to restart from', async () => {
  await write(-3_000, -2_000, -1_000);
  const { nextCursor } = (await logs({ ...ascending, limit: '1' })).body.pagination;
  await log.query("update models.retention set dropped_before = $1 where feed = 'logs'", [at(-2_500)]);
  await eventually(
    'the api has the new retention',
    5_000,
    async () => (await logs({ cursor: nextCursor })).status === 400,
  );
  const refused = await logs({ cursor: nextCursor });
  const { retainedFrom } = (await logs(ascending)).body.pagination;
  expect(refused.code).toBe('INVALID_CURSOR');
  expect(refused.body.error.message).toContain(retainedFrom);
  await log.query("update models.retention set dropped_before = null where feed = 'logs'");
  await eventually('the cursor is valid again', 5_000, async () => (await logs({ cursor: nextCursor })).status === 200);
});

test('paging returns each of 5,000 rows of one millisecond exactly once', {
  tags: ['torture'],
  timeout: 180_000,
}, async () => {
  const ids = await log.write(
    tenantId,
    Array.from({ length: 5_000 }, () => ({ discoveredAt: at(-100) })),
  );
  const readers = await Promise.all(
    Array.from({ length: 12 }, async () => {
      const { secret } = await installation.admin.keys.create({
        name: 'reader',
        scopes: ['logs:read'],
        owner: { tenantId },
        expiresAt: null,
      });
      return createApiClient(baseUrl, secret);
    }),
  );
  // Each page of one row tests the same, and pages of 7 in the other order do; all of them, which take 30 s, in the long form. The others read every row.
  for (const [sort, limit, pages] of [
    ['discoveredAtAsc', 1, isLong ? Number.POSITIVE_INFINITY : 200],
    ['discoveredAtAsc', 7, Number.POSITIVE_INFINITY],
    ['discoveredAtDesc', 7, isLong ? Number.POSITIVE_INFINITY : 200],
    ['discoveredAtAsc', 1000, Number.POSITIVE_INFINITY],
    ['discoveredAtDesc', 1000, Number.POSITIVE_INFINITY],
  ] as const) {
    const seen: string[] = [];
    let parameters: Record<string, string> = { sort, limit: String(limit) };
    for (let page = 0; page < pages; page += 1) {
      const response = await (readers[page % readers.length] as ApiClient).get('/logs', parameters);
      expect(response.status).toBe(200);
      seen.push(...idsOf(response));
      const { nextCursor, hasMore } = response.body.pagination;
      expect(hasMore).toBe(nextCursor !== null);
      if (nextCursor === null) break;
      expect(response.body.data).toHaveLength(limit);
      parameters = { cursor: nextCursor };
    }
    expect(seen).toEqual((sort === 'discoveredAtAsc' ? ids : ids.toReversed()).slice(0, limit * pages));
  }
});

test('every filter returns exactly the matching rows', async () => {
  const values = {
    severity: 'high',
    action: 'Add Member.',
    actorId: 'A',
    actorType: 'guest',
    actorIp: '203.0.113.7',
    resourceId: 'https://example.test/a b?c',
    resourceType: 'file',
    workload: 'SharePoint',
    sourceType: 'entra',
    clientApp: 'Browser',
    deviceId: 'D',
    isManagedDevice: true,
    applicationId: 'P',
    externalEventId: "E'1",
  };
  const ids = new Map<string, string>();
  for (const [index, [name, value]] of Object.entries(values).entries()) {
    const [id] = await log.write(tenantId, [{ discoveredAt: at(-1_000 + index), action: 'Other', [name]: value }]);
    ids.set(name, String(id));
  }
  for (const [name, value] of Object.entries(values)) {
    expect(idsOf(await logs({ [name]: String(value) })), name).toEqual([ids.get(name)]);
    const swapped =
      name === 'severity' || name.endsWith('Type') || typeof value === 'boolean' ? null : String(value).toUpperCase();
    if (swapped !== null && swapped !== value)
      expect((await logs({ [name]: swapped })).body.data.length, swapped).toBe(name === 'action' ? 1 : 0);
  }
  expect((await logs({ severity: 'high,low', actorId: 'A' })).body.data).toEqual([]);
  expect(idsOf(await logs({ severity: 'high,low' }))).toEqual([ids.get('severity')]);
  expect((await logs({ isManagedDevice: 'false' })).body.data).toEqual([]);
  const many = Array.from({ length: 50 }, (_, n) => String(n).padStart(300, 'x'));
  expect((await logs({ externalEventId: many.join() })).body.data).toEqual([]);
  expect((await logs({ externalEventId: [...many, 'y'].join() })).code).toBe('INVALID_PARAMETER');
  await log.write(
    tenantId,
    many.slice(0, 3).map((externalEventId) => ({ discoveredAt: at(-10), externalEventId })),
  );
  const first = await logs({ externalEventId: many.join(), limit: '1' });
  expect((await logs({ cursor: first.body.pagination.nextCursor, limit: '5' })).body.data).toHaveLength(2);
});
