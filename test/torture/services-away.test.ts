import { type LocalServices, temporaryServices } from '@tenantscope/local';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../product/eventually.ts';
import { type Flow, startFlow, whatBecameOf } from '../product/flow.ts';
import { type Looking, lookInto } from '../product/looking.ts';
import type { ProductProcess } from '../product/processes.ts';
import { type Product, product } from '../product/product.ts';
import { isLong } from './lots.ts';
import { sleep } from './pollers.ts';

// Services of its own: nobody else is disturbed when they go away.
let services: LocalServices;
let running: Product;
let ingest: ProductProcess;
let api: ProductProcess & { baseUrl: string };
let flow: Flow;
let following: Following;
let tenantId: string;

beforeAll(async () => {
  services = await temporaryServices();
  running = await product(services);
  const tenant = await running.tenant();
  tenantId = tenant.id;
  [ingest, api] = await Promise.all([running.startIngest(), running.startApi()]);
  flow = startFlow({ brokers: services.kafka, topic: running.activityTopic, tenantIds: [tenantId] });
  following = follow(api.baseUrl, tenant.secret);
}, 120_000);
afterAll(async () => {
  await following?.stop();
  await flow?.stop();
  await running?.[Symbol.asyncDispose]();
  await services?.[Symbol.asyncDispose]();
}, 120_000);

/** A collector that follows the cursor through whatever happens. */
interface Following {
  readonly ids: string[];
  /** The newest instant that an answer promised to be complete through. */
  completeThrough(): string;
  stop(): Promise<void>;
}

function follow(baseUrl: string, secret: string): Following {
  const ids: string[] = [];
  let completeThrough = '';
  let stopped = false;
  let next = new URLSearchParams({ sort: 'discoveredAtAsc', limit: '1000' });
  const poll = async () => {
    const response = await fetch(`${baseUrl}/logs?${next}`, {
      headers: { authorization: `Bearer ${secret}` },
      signal: AbortSignal.timeout(10_000),
    });
    if (!response.ok) return false;
    const { data, pagination } = (await response.json()) as {
      data: { externalEventId: string }[];
      pagination: { resumeCursor: string; hasMore: boolean; completeThrough: string };
    };
    ids.push(...data.map(({ externalEventId }) => externalEventId));
    completeThrough = pagination.completeThrough;
    next = new URLSearchParams({ cursor: pagination.resumeCursor });
    return pagination.hasMore;
  };
  const run = async () => {
    while (!stopped) if (!(await poll().catch(() => false))) await sleep(250);
  };
  const polling = run();
  return {
    ids,
    completeThrough: () => completeThrough,
    async stop() {
      stopped = true;
      await polling;
    },
  };
}

const status = async (process: ProductProcess, path: string): Promise<number> =>
  (await fetch(`http://127.0.0.1:${process.healthPort}${path}`, { signal: AbortSignal.timeout(5_000) })).status;

type Store = 'kafka' | 'postgres' | 'redis';
const serviceOf = (store: Store) => services[`${store}Service`];

const away = {
  stopped: {
    goes: (store: Store) => serviceOf(store).stop(),
    comes: (store: Store) => serviceOf(store).restart(),
    ms: 3_000,
  },
  killed: {
    goes: (store: Store) => serviceOf(store).kill(),
    comes: (store: Store) => serviceOf(store).restart(),
    ms: 1_000,
  },
  hung: {
    goes: async (store: Store) => serviceOf(store).pause(),
    comes: async (store: Store) => serviceOf(store).resume(),
    ms: isLong ? 20_000 : 5_000,
  },
};

/** Whom readiness must call unable, and how long it may take to notice. */
const unready: Record<Store, { process: () => ProductProcess; withinMs: number }[]> = {
  postgres: [
    { process: () => ingest, withinMs: 5_000 },
    { process: () => api, withinMs: 5_000 },
  ],
  kafka: [{ process: () => ingest, withinMs: 20_000 }],
  redis: [],
};

test.for(
  (['redis', 'postgres', 'kafka'] as const).flatMap((store) =>
    (['stopped', 'hung', 'killed'] as const).map((how) => ({ store, how })),
  ),
)(
  '$store $how under load: processes live, readiness tells, and service resumes by itself',
  { timeout: 180_000 },
  async ({ store, how }) => {
    const before = following.ids.length;
    await eventually('rows arrive', 30_000, () => following.ids.length > before);

    const { goes, comes, ms } = away[how];
    await goes(store);
    try {
      const goneAt = performance.now();
      for (const { process, withinMs } of unready[store].filter((one) => how === 'stopped' || one.withinMs <= ms)) {
        await eventually(
          `readiness tells that ${store} is away`,
          withinMs,
          async () => (await status(process(), '/readyz')) === 503,
        );
      }
      while (performance.now() - goneAt < ms) {
        expect(await Promise.all([ingest, api].map((process) => status(process, '/livez')))).toEqual([200, 200]);
        if (store !== 'postgres') expect((await fetch(`${api.baseUrl}/openapi.json`)).status).toBe(200);
        await sleep(250);
      }
    } finally {
      await comes(store);
    }

    const sentLater = flow.good.size;
    const promisedBefore = following.completeThrough();
    await eventually('records that came later are served', 60_000, () => {
      const served = new Set(following.ids);
      return [...flow.good].slice(sentLater, sentLater + 50).filter((id) => served.has(id)).length === 50;
    });
    expect(following.completeThrough() > promisedBefore).toBe(true);
    await eventually('both are ready', 30_000, async () => (await ingest.ready()) && (await api.ready()));
    expect([ingest.child.exitCode, api.child.exitCode]).toEqual([null, null]);
  },
);

test('after all of it nothing is lost, nothing twice, and who followed the cursor has everything', async () => {
  await flow.stop();
  await using looking: Looking = await lookInto(running.database.superuser);
  await eventually('all is read', 60_000, async () => (await whatBecameOf(flow, looking, [tenantId])).lost === 0);
  const { lettersTwice, ...became } = await whatBecameOf(flow, looking, [tenantId]);
  console.log(
    `services away: ${flow.good.size} records, ${flow.bad.size} bad`,
    JSON.stringify({ ...became, lettersTwice }),
  );
  expect(became).toEqual({ lost: 0, twice: 0, strange: 0, lettersLost: 0 });
  await eventually('the follower has all', 30_000, () => following.ids.length >= flow.good.size);
  await following.stop();
  expect(new Set(following.ids)).toEqual(flow.good);
  expect(following.ids.length).toBe(flow.good.size);
}, 120_000);
