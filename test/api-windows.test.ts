import { setTimeout as sleep } from 'node:timers/promises';
import { showTime } from '@tenantscope/contract';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Called, type Caller, callerOf } from './product/caller.ts';
import { eventually } from './product/eventually.ts';
import { type Product, product } from './product/product.ts';
import { type StillLog, stillLog } from './product/still-log.ts';

let running: Product;
let baseUrl: string;
let log: StillLog;
/** A tenant of its own for each test, and the moment its log is settled through. */
let tenantId: string;
let caller: Caller;
let through = Date.now() - 600_000;

beforeAll(async () => {
  running = await product();
  log = await stillLog(running.database.superuser);
  ({ baseUrl } = await running.startApi());
}, 90_000);
afterAll(async () => {
  await log[Symbol.asyncDispose]();
  await running[Symbol.asyncDispose]();
}, 60_000);
beforeEach(async () => {
  const tenant = await running.tenant();
  tenantId = tenant.id;
  caller = callerOf(baseUrl, tenant.secret);
  // A watermark never goes back, in any process that knows it: each test begins after the one before.
  await settle(through + 10_000);
});

async function settle(throughMs: number): Promise<void> {
  through = throughMs;
  await log.settle(throughMs);
  await eventually(
    'the api knows the watermark',
    5_000,
    async () => (await logs({ limit: '1' })).body.pagination.completeThrough === showTime(throughMs),
  );
}

const logs = (parameters: Record<string, string>): Promise<Called> => caller.get('/logs', parameters);
const at = (offsetMs: number): string => showTime(through + offsetMs);
const idsOf = (answer: Called): string[] => answer.body.data.map(({ id }: { id: string }) => id);
const ascending = { sort: 'discoveredAtAsc' };

/** Events at these offsets from the watermark. */
const write = (...offsets: number[]): Promise<string[]> =>
  log.write(
    tenantId,
    offsets.map((offset) => ({ discoveredAt: at(offset) })),
  );

test('without an upper bound the window ends at the watermark, and what lies beyond is not served', async () => {
  const ids = await write(-300, -200, 0, 1, 500);
  for (const parameters of [ascending, {}]) {
    const answer = await logs(parameters);
    expect(idsOf(answer).toSorted()).toEqual(ids.slice(0, 3).toSorted());
    expect(answer.body.pagination).toMatchObject({
      hasMore: false,
      nextCursor: null,
      limit: 50,
      completeThrough: at(0),
      window: { from: null, to: at(0) },
      retainedFrom: expect.stringMatching(/^\d{4}-.*Z$/),
    });
    expect(answer.body.pagination.resumeCursor === null).toBe(parameters !== ascending);
  }
});

test('a bound more than a minute ahead counts as none', async () => {
  await write(-100);
  const answer = await logs({ discoveredTo: showTime(Date.now() + 65_000) });
  expect(answer.body.pagination.window.to).toBe(at(0));
});

test('a window that reaches beyond the watermark is waited for', async () => {
  const ids = await write(-100, 400);
  const asked = logs({ discoveredTo: at(500), discoveredFrom: at(-1_000) });
  await sleep(300);
  await log.settle(through + 500);
  const answer = await asked;
  expect(idsOf(answer)).toEqual(ids.toReversed());
  expect(answer.body.pagination).toMatchObject({
    hasMore: false,
    window: { from: at(-1_000), to: at(500) },
    completeThrough: at(500),
  });
});

test('still unsettled, ascending, with rows: there is more, and the cursor ends where the window was asked to end', async () => {
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

  const asked = through + 500;
  await settle(through + 1_000);
  const last = await logs({ cursor: first.body.pagination.nextCursor });
  expect(idsOf(last)).toEqual(ids.slice(2, 3));
  expect(last.body.pagination).toMatchObject({ hasMore: false, nextCursor: null, window: { to: showTime(asked) } });
});

test('still unsettled, without rows or descending: 503, never a short page', async () => {
  await write(-100);
  const unsettled = { discoveredTo: at(500) };
  const answers = await Promise.all(
    [{ ...ascending, ...unsettled, discoveredFrom: at(-50) }, unsettled, { ...unsettled, limit: '1' }].map(logs),
  );
  for (const answer of answers) {
    expect(answer).toMatchObject({ status: 503, code: 'SERVICE_UNAVAILABLE' });
    expect(answer.headers.get('retry-after')).toBe('1');
    expect(answer.headers.get('x-ratelimit-remaining')).toMatch(/^\d+$/);
  }
});

test('a window frozen on the first page stays frozen while the log grows', async () => {
  const ids = await write(-300, -200, -100);
  const frozen = at(0);
  const first = await logs({ limit: '2' });
  await write(-50, 100);
  await settle(through + 1_000);
  const second = await logs({ cursor: first.body.pagination.nextCursor });
  expect([...idsOf(first), ...idsOf(second)]).toEqual(ids.toReversed());
  expect(second.body.pagination).toMatchObject({ hasMore: false, window: { to: frozen }, completeThrough: at(0) });
});

test('a resume cursor goes on behind the last row, with the filters and without the bound', async () => {
  await log.write(tenantId, [
    { discoveredAt: at(-300), severity: 'high', occurredAt: at(-5_000) },
    { discoveredAt: at(-200), severity: 'low' },
    { discoveredAt: at(-100), severity: 'high', occurredAt: at(-900_000) },
  ]);
  const words = {
    ...ascending,
    severity: 'high',
    occurredFrom: at(-60_000),
    discoveredFrom: at(-1_000),
    discoveredTo: at(-250),
    limit: '3',
  };
  const first = await logs(words);
  expect(first.body.data).toHaveLength(1);
  const quiet = await logs({ cursor: first.body.pagination.resumeCursor });
  expect(quiet.body).toMatchObject({
    data: [],
    pagination: { hasMore: false, nextCursor: null, limit: 3, window: { from: words.discoveredFrom, to: at(0) } },
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

test('the cursor taken while the log was empty delivers everything later', async () => {
  const first = await logs(ascending);
  expect(first.body.data).toEqual([]);
  const ids = await write(100, 200, 300);
  await settle(through + 1_000);
  const seen: string[] = [];
  for (let cursor = first.body.pagination.resumeCursor, page = 0; page < 4; page += 1) {
    const answer = await logs({ cursor, limit: '1' });
    seen.push(...idsOf(answer));
    cursor = answer.body.pagination.resumeCursor;
  }
  expect(seen).toEqual(ids);
});

test('windows are closed at both ends', async () => {
  const ids = await write(-300, -200, -200, -100);
  const window = async (from: number, to: number) =>
    idsOf(await logs({ ...ascending, discoveredFrom: at(from), discoveredTo: at(to) }));
  expect(await window(-200, -200)).toEqual(ids.slice(1, 3));
  expect(await window(-300, -200)).toEqual(ids.slice(0, 3));
  expect(await window(-199, -100)).toEqual(ids.slice(3));
  expect(await window(-299, -201)).toEqual([]);
});

test('a cursor is the whole request: what else is sent beside it does not matter, but for limit and what nobody knows', async () => {
  await write(-400, -300, -200, -100);
  const { pagination } = (await logs({ ...ascending, limit: '1', discoveredFrom: at(-300) })).body;
  const cursor = pagination.nextCursor;
  const plain = idsOf(await logs({ cursor }));
  expect(plain).toHaveLength(1);
  for (const beside of [
    { discoveredFrom: '1999-01-01', discoveredTo: '1999-01-02' },
    { discoveredFrom: 'rubbish', discoveredTo: '' },
    { discoveredFrom: '2031-01-01', discoveredTo: '2001-01-01' },
    { severity: 'rubbish', sort: 'rubbish', isManagedDevice: 'rubbish', action: 'a\0b' },
  ])
    expect(idsOf(await logs({ ...beside, cursor }))).toEqual(plain);
  expect((await logs({ cursor, limit: '2' })).body).toMatchObject({ data: { length: 2 }, pagination: { limit: 2 } });
  expect((await logs({ cursor, limit: '0' })).code).toBe('INVALID_PARAMETER');
  expect((await logs({ cursor, nonsense: '1' })).code).toBe('INVALID_PARAMETER');
  for (const start of ['', '0'])
    expect((await logs({ cursor: start, limit: '2' })).body).toEqual((await logs({ limit: '2' })).body);
});

test('the Link header leads to the next page, when there is one', async () => {
  await write(-200, -100);
  const first = await logs({ limit: '1' });
  const link = first.headers.get('link') ?? '';
  expect(link).toBe(`<${baseUrl}/logs?cursor=${first.body.pagination.nextCursor}>; rel="next"`);
  expect((await logs({ limit: '2' })).headers.get('link')).toBeNull();
});

test('cursors that were not issued here, for this tenant, are refused', async () => {
  await write(-200, -100);
  const cursor: string = (await logs({ limit: '1' })).body.pagination.nextCursor;
  const stranger = callerOf(baseUrl, (await running.tenant()).secret);
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

test('cursors outlive a change of the secret while the old one is still listed', async () => {
  await write(-200, -100);
  const cursor: string = (await logs({ limit: '1' })).body.pagination.nextCursor;
  const { TENANTSCOPE_CURSOR_SECRETS: old } = running.environment;
  const next = 'another secret that is long enough for a cursor';
  await using rotated = await running.startApi({
    TENANTSCOPE_CURSOR_SECRETS: `${next},${old}`,
    TENANTSCOPE_DRAIN_MS: '0',
  });
  await using retired = await running.startApi({ TENANTSCOPE_CURSOR_SECRETS: next, TENANTSCOPE_DRAIN_MS: '0' });
  const elsewhere = async (url: string) => {
    const { secret } = await running.admin.keys.create({
      name: 'reader',
      scopes: ['logs:read'],
      owner: { tenantId },
      expiresAt: null,
    });
    return callerOf(url, secret).get('/logs', { cursor });
  };
  expect((await elsewhere(rotated.baseUrl)).body.data).toHaveLength(1);
  expect((await elsewhere(retired.baseUrl)).code).toBe('INVALID_CURSOR');
});

test('a cursor that stands before the kept history names the moment to restart from', async () => {
  await write(-3_000, -2_000, -1_000);
  const { nextCursor } = (await logs({ ...ascending, limit: '1' })).body.pagination;
  await log.query("update models.retention set dropped_before = $1 where feed = 'logs'", [at(-2_500)]);
  await eventually(
    'the api knows what was dropped',
    5_000,
    async () => (await logs({ cursor: nextCursor })).status === 400,
  );
  const refused = await logs({ cursor: nextCursor });
  const { retainedFrom } = (await logs(ascending)).body.pagination;
  expect(refused.code).toBe('INVALID_CURSOR');
  expect(refused.body.error.message).toContain(retainedFrom);
  await log.query("update models.retention set dropped_before = null where feed = 'logs'");
  await eventually('the cursor is good again', 5_000, async () => (await logs({ cursor: nextCursor })).status === 200);
});

test('5,000 rows of one millisecond are paged each exactly once', { timeout: 120_000 }, async () => {
  const ids = await log.write(
    tenantId,
    Array.from({ length: 5_000 }, () => ({ discoveredAt: at(-100) })),
  );
  const readers = await Promise.all(
    Array.from({ length: 12 }, async () => {
      const { secret } = await running.admin.keys.create({
        name: 'reader',
        scopes: ['logs:read'],
        owner: { tenantId },
        expiresAt: null,
      });
      return callerOf(baseUrl, secret);
    }),
  );
  for (const [sort, limit] of [
    ['discoveredAtAsc', 1],
    ['discoveredAtAsc', 7],
    ['discoveredAtDesc', 7],
    ['discoveredAtAsc', 1000],
    ['discoveredAtDesc', 1000],
  ] as const) {
    const seen: string[] = [];
    let parameters: Record<string, string> = { sort, limit: String(limit) };
    for (let page = 0; ; page += 1) {
      const answer = await (readers[page % readers.length] as Caller).get('/logs', parameters);
      expect(answer.status).toBe(200);
      seen.push(...idsOf(answer));
      const { nextCursor, hasMore } = answer.body.pagination;
      expect(hasMore).toBe(nextCursor !== null);
      if (nextCursor === null) break;
      expect(answer.body.data).toHaveLength(limit);
      parameters = { cursor: nextCursor };
    }
    expect(seen).toEqual(sort === 'discoveredAtAsc' ? ids : ids.toReversed());
  }
});

test('every filter keeps exactly the matching rows', async () => {
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
