import { type LocalServices, startTemporaryServices } from '@tenantscope/local';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type DatabaseInspector, openDatabaseInspector } from '../installation/database-inspector.ts';
import { eventually } from '../installation/eventually.ts';
import { type Installation, startInstallation } from '../installation/installation.ts';
import type { ProductProcess } from '../installation/processes.ts';
import { compareFlow, type RecordFlow, startRecordFlow } from '../installation/record-flow.ts';
import { sleep } from './pollers.ts';
import { isLong } from './random.ts';

// Dedicated services, so that their outages disturb no other test.
let services: LocalServices;
let installation: Installation;
let ingest: ProductProcess;
let api: ProductProcess & { baseUrl: string };
let flow: RecordFlow;
let following: Following;
let tenantId: string;

beforeAll(async () => {
  services = await startTemporaryServices();
  installation = await startInstallation(services);
  const tenant = await installation.createTenant();
  tenantId = tenant.id;
  [ingest, api] = await Promise.all([installation.startIngest(), installation.startApi()]);
  flow = startRecordFlow({ brokers: services.kafka, topic: installation.activityTopic, tenantIds: [tenantId] });
  following = follow(api.baseUrl, tenant.secret);
});
afterAll(async () => {
  await following?.stop();
  await flow?.stop();
  await installation?.[Symbol.asyncDispose]();
  await services?.[Symbol.asyncDispose]();
});

/** A collector that follows the cursor through all outages. */
interface Following {
  readonly ids: string[];
  /** The latest completeThrough of a response. */
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

const outages = {
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

/** The processes that must report not ready, and the time limit for that. */
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
    (isLong ? (['stopped', 'hung', 'killed'] as const) : (['hung', 'killed'] as const)).map((how) => ({ store, how })),
  ),
)(
  'processes stay alive, readiness reports the outage and service resumes when $store is $how under load',
  { timeout: 180_000 },
  async ({ store, how }) => {
    const before = following.ids.length;
    await eventually('rows arrive', 30_000, () => following.ids.length > before);

    const { goes, comes, ms } = outages[how];
    await goes(store);
    try {
      const goneAt = performance.now();
      for (const { process, withinMs } of unready[store].filter((one) => how === 'stopped' || one.withinMs <= ms)) {
        await eventually(
          `readiness reports that ${store} is unavailable`,
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
    await eventually('later records are served', 60_000, () => {
      const served = new Set(following.ids);
      return [...flow.good].slice(sentLater, sentLater + 50).filter((id) => served.has(id)).length === 50;
    });
    expect(following.completeThrough() > promisedBefore).toBe(true);
    await eventually('both processes are ready', 30_000, async () => (await ingest.ready()) && (await api.ready()));
    expect([ingest.child.exitCode, api.child.exitCode]).toEqual([null, null]);
  },
);

test('no record is lost or duplicated after all outages, and a cursor poller has every row', async () => {
  await flow.stop();
  await using inspector: DatabaseInspector = await openDatabaseInspector(installation.database.superuser);
  await eventually(
    'all records are processed',
    60_000,
    async () => (await compareFlow(flow, inspector, [tenantId])).lost === 0,
  );
  const { deadLettersTwice, ...stored } = await compareFlow(flow, inspector, [tenantId]);
  console.log(
    `service outages: ${flow.good.size} records, ${flow.bad.size} bad`,
    JSON.stringify({ ...stored, deadLettersTwice }),
  );
  expect(stored).toEqual({ lost: 0, twice: 0, strange: 0, deadLettersLost: 0 });
  await eventually('the follower has all rows', 30_000, () => following.ids.length >= flow.good.size);
  await following.stop();
  expect(new Set(following.ids)).toEqual(flow.good);
  expect(following.ids.length).toBe(flow.good.size);
});
