// @module-tag torture
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../installation/eventually.ts';
import { type Installation, startInstallation } from '../installation/installation.ts';
import { type SentinelGroup, startSentinelGroup } from '../services/redis-sentinels.ts';
import { createRandom, tortureDurationMs } from './random.ts';

// Four instances of the api and one of jobs use a Redis whose primary is killed and suspended, and replaced by sentinels.

const limit = 600;
const instanceCount = 4;
const windowMs = 60_000;
const stack = new AsyncDisposableStack();
let installation: Installation;
let group: SentinelGroup;
let baseUrls: readonly string[];
let tenantId: string;

beforeAll(async () => {
  const directory = await mkdtemp(join(tmpdir(), 'tenantscope-sentinels-'));
  stack.defer(() => rm(directory, { recursive: true, force: true }));
  installation = stack.use(await startInstallation());
  group = stack.use(await startSentinelGroup(directory));
  baseUrls = await startInstances();
  await installation.startJobs(group.variables);
  tenantId = (await installation.createTenant()).id;
}, 300_000);
afterAll(() => stack.disposeAsync());

const startInstances = async () =>
  Promise.all(
    Array.from({ length: instanceCount }, async () => (await installation.startApi(group.variables)).baseUrl),
  );

async function createKey(): Promise<string> {
  const key = { name: 'busy', scopes: [], owner: { tenantId }, expiresAt: null };
  return (await installation.admin.keys.create(key)).secret;
}

interface Busy {
  /** Stops; returns how many requests each status had. */
  stop(): Promise<ReadonlyMap<number, number>>;
}

/** Sends requests with one key to all instances, as fast as they respond. */
function sendRequests(secret: string, urls: readonly string[]): Busy {
  const statuses = new Map<number, number>();
  let running = true;
  const sent = urls.map(async (url) => {
    while (running) {
      const response = await fetch(`${url}/ping`, { headers: { authorization: `Bearer ${secret}` } });
      await response.arrayBuffer();
      statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
      // A refused one waits, or the machine does nothing else.
      if (response.status !== 200) await sleep(20);
    }
  });
  return {
    async stop() {
      running = false;
      await Promise.all(sent);
      return statuses;
    },
  };
}

/** Requests counted by all instances are seen by each. */
const countTogether = () =>
  eventually('all instances count together', 30_000, async () => {
    const secret = await createKey();
    const remaining: number[] = [];
    for (const url of baseUrls) {
      const { headers } = await fetch(`${url}/ping`, { headers: { authorization: `Bearer ${secret}` } });
      remaining.push(Number(headers.get('x-ratelimit-remaining')));
    }
    return remaining.every((count, index) => count === limit - 1 - index);
  });

test('primaries fail in turn: no request fails, a key has at most twice its limit, snapshots are taken', async () => {
  const random = createRandom('failovers of Redis');
  await countTogether();
  const secret = await createKey();
  const started = performance.now();
  const busy = sendRequests(secret, baseUrls);
  const untilMs = started + tortureDurationMs({ short: 30, long: 240 });
  let failovers = 0;
  while (performance.now() < untilMs) {
    const failing = await group.primary();
    const hangs = random.pick([true, false]);
    if (hangs) failing.pause();
    else await failing.kill();
    await eventually('another primary', 60_000, async () => (await group.primary()) !== failing);
    failovers += 1;
    // Those that hang are left although their connections stay open.
    await countTogether();
    await sleep(random.between(0, 5_000));
    if (hangs) failing.resume();
    else await failing.restart();
    await installation.cli('snapshot', 'take', '--tenant', tenantId);
    await sleep(random.between(3_000, 12_000));
  }
  const statuses = await busy.stop();
  const windows = Math.ceil((performance.now() - started) / windowMs) + 1;
  console.log(JSON.stringify({ failovers, windows, statuses: Object.fromEntries(statuses) }));
  expect([...statuses.keys()].toSorted()).toEqual([200, 429]);
  expect(failovers).toBeGreaterThan(1);
  expect(statuses.get(200)).toBeLessThanOrEqual(2 * limit * windows);
}, 900_000);

test('without Redis a key has one limit in each window, over all instances that knew each other', async () => {
  await countTogether();
  for (const server of group.servers) await server.kill();
  const acceptIn = async (urls: readonly string[]) => {
    const busy = sendRequests(await createKey(), urls);
    await sleep(windowMs / 2);
    return (await busy.stop()).get(200) ?? 0;
  };
  expect(await acceptIn(baseUrls)).toBe(limit);
  // The protection missing: instances that started without Redis know of no others.
  expect(await acceptIn(await startInstances())).toBeGreaterThan(2 * limit);
  for (const server of group.servers) await server.restart();
  await countTogether();
}, 600_000);
