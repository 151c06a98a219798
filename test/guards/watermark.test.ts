import { type List, parseSort, topics } from '@tenantscope/contract';
import { findFreePort } from '@tenantscope/local';
import { watchWatermark } from '@tenantscope/store/read';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { ApiResponse } from '../installation/api-client.ts';
import { eventually } from '../installation/eventually.ts';
import { type ControlledInstallation, type Reader, startControlledInstallation } from './controlled-installation.ts';
import { inspectList, lists } from './list-mapping.ts';
import { createRowWriter } from './row-writer.ts';
import { createStandby } from './standby.ts';

/** Written by hand, not read from `feeds`: the topics whose lanes write the rows of each list. */
const writers: Readonly<Record<string, readonly string[]>> = {
  '/logs': ['raw.activity.v1'],
  '/detections': ['detection.v1'],
  '/policy-scans': ['policy-scan.v1'],
  '/notifications': ['notification.v1'],
  '/actions': ['action.v1'],
  // An activity record of an alert writes its row in the activity lane.
  '/security-alerts': ['raw.alert.v1', 'raw.activity.v1'],
  '/users': ['entity.v1', 'raw.entity.v1'],
  // An interaction with an agent writes the agent in the activity lane.
  '/agents': ['entity.v1', 'raw.entity.v1', 'raw.activity.v1'],
  '/files': ['entity.v1', 'raw.entity.v1'],
  '/groups': ['entity.v1', 'raw.entity.v1'],
  '/sites': ['entity.v1', 'raw.entity.v1'],
  '/apps': ['entity.v1', 'raw.entity.v1'],
  '/devices': ['entity.v1', 'raw.entity.v1'],
  '/emails': ['entity.v1', 'raw.entity.v1'],
  '/licenses': ['entity.v1', 'raw.entity.v1'],
  '/sensitive-info-types': ['entity.v1', 'raw.entity.v1'],
};

/** The rows of this database are read. */
let product: ControlledInstallation;

beforeAll(async () => {
  product = await startControlledInstallation();
});
afterAll(() => product?.[Symbol.asyncDispose]());
/** No api moves a watermark back, so each test starts after the previous one, whatever that one left. */
beforeEach(() => product.settle(product.throughMs() + 20_000));

const settleLanes = (lanes: pg.Pool, throughMs: number, isIncluded = (_source: string) => true) =>
  Promise.all(
    Object.values(topics).map(async ({ suffix }) => {
      if (isIncluded(suffix))
        await lanes.query('update models.ingest_lane set settled_at = $1 where source = $2', [
          new Date(throughMs).toISOString(),
          suffix,
        ]);
    }),
  );

async function completeThrough(reader: Reader, path: string): Promise<number> {
  const page = await reader.get(path, { limit: '1' });
  expect(page.status, `${path}: ${page.text}`).toBe(200);
  return Date.parse(page.body.pagination.completeThrough);
}

const waitUntilComplete = (reader: Reader, path: string, throughMs: number) =>
  eventually(
    `${path} is complete through ${throughMs}`,
    10_000,
    async () => (await completeThrough(reader, path)) === throughMs,
  );

test('the watermark is the minimum over the primary and every standby, and unknown until each has responded', async () => {
  const settledMs = product.throughMs();
  await using standby = await createStandby(settledMs - 5_000);
  const nodes = [product.superuser, standby.lanes];
  await using watermark = await watchWatermark(nodes, { intervalMs: 20 });
  expect(watermark.settled('logs')?.throughMs).toBe(settledMs - 5_000);

  await settleLanes(standby.lanes, settledMs - 1_000, (source) => source !== 'raw.activity.v1');
  await watermark.refresh();
  expect(watermark.settled('logs')?.throughMs).toBe(settledMs - 5_000);
  expect(watermark.settled('detections')?.throughMs).toBe(settledMs - 1_000);

  await settleLanes(standby.lanes, settledMs + 5_000);
  await watermark.refresh();
  expect(watermark.settled('logs')?.throughMs, 'rows are read from the primary').toBe(settledMs);

  const unreachable = new pg.Pool({ host: '127.0.0.1', port: await findFreePort() });
  await using incomplete = await watchWatermark([...nodes, unreachable], { intervalMs: 20 });
  expect(incomplete.settled('logs')).toBeNull();
  await unreachable.end();
});

test('with names, a standby bounds the watermark while commits wait for it; a server with a newer epoch stops it', async () => {
  const settledMs = product.throughMs();
  await using standby = await createStandby(settledMs - 5_000);
  const nodes = [product.superuser, standby.lanes];
  const named = { intervalMs: 20, standbyNames: ['pg-2'] };
  // The server of the run waits for none.
  await using watermark = await watchWatermark(nodes, named);
  expect(watermark.settled('logs')?.throughMs).toBe(settledMs);
  await using waiting = await watchWatermark(nodes, { ...named, awaited: () => new Set(['pg-2']) });
  expect(waiting.settled('logs')?.throughMs).toBe(settledMs - 5_000);
  await using unknown = await watchWatermark(nodes, { ...named, awaited: () => null });
  expect(unknown.settled('logs')?.throughMs, 'all are taken to be awaited').toBe(settledMs - 5_000);

  await standby.lanes.query(
    `insert into models.ingest_epoch (timeline) select models.read_timeline() union select 'of another promotion'`,
  );
  await watermark.refresh();
  expect(watermark.settled('logs')).toBeNull();
  expect(watermark.bounds()).toMatchObject({ isSuperseded: true, standbys: [{ isBounding: false }] });
});

test('an api with a lagging standby reports nothing as complete that a promotion would lose', async () => {
  await using standby = await createStandby(Date.now() - 3_600_000);
  await using protectedApi = await startControlledInstallation({
    TENANTSCOPE_STANDBY_DATABASE_URLS: standby.database.roles.api,
  });
  const reader = protectedApi.reader(await protectedApi.createTenant());
  const primaryMs = Date.now() - 60_000;
  const standbyMs = primaryMs - 4_000;
  await protectedApi.settle(primaryMs);
  await settleLanes(standby.lanes, standbyMs);
  for (const { path } of lists) await waitUntilComplete(reader, path, standbyMs);
  await settleLanes(standby.lanes, primaryMs + 4_000);
  for (const { path } of lists) await waitUntilComplete(reader, path, primaryMs);
});

test('a list waits for the lanes of every topic that writes it, and for no others', async () => {
  expect(lists.map(({ path }) => path).toSorted()).toEqual(Object.keys(writers).toSorted());
  const reader = product.reader(await product.createTenant());
  for (const stalled of new Set(Object.values(writers).flat())) {
    const before = product.throughMs();
    const after = before + 10_000;
    const free = Object.keys(writers).find((path) => !writers[path]?.includes(stalled)) ?? '';
    await waitUntilComplete(reader, free, before);
    // One statement, so that the api reads all lanes before or after it.
    await product.superuser.query('update models.ingest_lane set settled_at = $1 where source <> $2', [
      new Date(after).toISOString(),
      stalled,
    ]);
    await waitUntilComplete(reader, free, after);
    for (const [path, sources] of Object.entries(writers))
      expect(await completeThrough(reader, path), `${path} while ${stalled} is stalled`).toBe(
        sources.includes(stalled) ? before : after,
      );
    await product.settle(after);
  }
});

/** Pages wait for this lock while the test holds it. */
const pageLock = 7_342_001;

test.each(lists.map((list) => [list.path, list] as const))(
  '%s reads the watermark before the rows: a row that arrives in between is not reported as complete',
  async (path, list) => {
    const [tenantId, observer] = await Promise.all([product.createTenant(), product.createTenant()]);
    const reader = product.reader(tenantId);
    const observerReader = product.reader(observer);
    const mapping = await inspectList(product, reader, list);
    const rows = await createRowWriter(product.superuser, mapping);
    const sort = list.sorts.find((name) => list.windows[parseSort(name as 'xAsc').axis]?.clock === 'write') ?? '';
    const before = product.throughMs();
    await waitUntilComplete(reader, path, before);

    const holder = await product.superuser.connect();
    let pending: Promise<ApiResponse>;
    try {
      await holder.query('select pg_advisory_lock($1)', [pageLock]);
      product.proxy.rewrite((statement) =>
        statement.includes(tenantId)
          ? statement.replace('select set_config', `select pg_advisory_xact_lock(${pageLock})::text, set_config`)
          : statement,
      );
      pending = reader.get(path, { ...mapping.revealing, sort });
      await eventually('the page waits for its rows', 10_000, async () => {
        const { rowCount } = await holder.query(
          `select from pg_locks where locktype = 'advisory' and objid = $1 and not granted
              and database = (select oid from pg_database where datname = current_database())`,
          [pageLock],
        );
        return rowCount === 1;
      });
      const times = Object.fromEntries(Object.keys(mapping.axes).map((axis) => [axis, before + 5]));
      const row = { id: rows.id(1), times };
      await rows.write(tenantId, [row]);
      await product.settle(before + 10);
      await waitUntilComplete(observerReader, path, before + 10);
      await holder.query('select pg_advisory_unlock($1)', [pageLock]);
      const page = await pending;
      expect(page.status, page.text).toBe(200);
      const complete = Date.parse(page.body.pagination.completeThrough);
      expect(complete, 'the watermark from before the rows').toBe(before);
      expect(page.body.data).toEqual([]);
      product.proxy.rewrite(null);
      const next = sort.endsWith('Asc')
        ? await reader.get(path, { cursor: page.body.pagination.resumeCursor })
        : await reader.get(path, { ...mapping.revealing, sort });
      expect(next.body.data.map(({ id }: { id: string }) => id)).toEqual([row.id]);
    } finally {
      product.proxy.rewrite(null);
      await holder.query('select pg_advisory_unlock_all()');
      holder.release();
    }
  },
);

const upstreamSorts = lists.flatMap((list) =>
  list.sorts
    .filter((sort) => list.windows[parseSort(sort as 'xAsc').axis]?.clock !== 'write')
    .map((sort) => [list, sort] as const),
);

test('a list sorted by a provider time refuses a window on the write clock until the window is settled', async () => {
  expect(new Set(upstreamSorts.map(([{ path }]) => path))).toEqual(
    new Set(['/detections', '/policy-scans', '/notifications', '/actions', '/security-alerts']),
  );
  // Each request waits for the lanes, so all wait at the same time.
  const reader = product.reader(await product.createTenant());
  const writeWindow = (list: List) => Object.values(list.windows).find(({ clock }) => clock === 'write')?.to ?? '';
  const from = product.throughMs();
  const request = ([list, sort]: (typeof upstreamSorts)[number]) =>
    reader.get(list.path, { sort, [writeWindow(list)]: new Date(from + 5_000).toISOString() });
  for (const [index, response] of (await Promise.all(upstreamSorts.map(request))).entries())
    expect(response, `${upstreamSorts[index]?.[0].path} ${upstreamSorts[index]?.[1]}`).toMatchObject({
      status: 503,
      code: 'SERVICE_UNAVAILABLE',
    });
  await product.settle(from + 5_000);
  for (const [index, response] of (await Promise.all(upstreamSorts.map(request))).entries())
    expect(response, `${upstreamSorts[index]?.[0].path} ${upstreamSorts[index]?.[1]}`).toMatchObject({
      status: 200,
      body: { pagination: { hasMore: false } },
    });
});
