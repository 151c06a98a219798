import { afterAll, beforeAll, expect, test } from 'vitest';
import { readTopic } from '../cli/command-line.ts';
import { activityRecord } from '../installation/activity-records.ts';
import { eventually } from '../installation/eventually.ts';
import { isLong } from '../torture/random.ts';
import { type CollectorFixture, startCollectorFixture, type TestCollector } from './collector-fixture.ts';
import { killCollectors } from './kill-collectors.ts';
import { type O365Server, startO365Server } from './o365-server.ts';
import { type OktaEvent, oktaEvents } from './okta-event.ts';
import { startOktaServer } from './okta-server.ts';

const stack = new AsyncDisposableStack();
let fixture: CollectorFixture;

beforeAll(async () => {
  fixture = stack.use(await startCollectorFixture());
});
afterAll(() => stack.disposeAsync());

/** Each takes 3 s: the next process has to wait for the lease of the killed one. */
const kills = isLong ? 20 : 8;
const contentType = 'Audit.SharePoint';
const positionFirst = { NODE_OPTIONS: `--import ${new URL('position-first.ts', import.meta.url)}` };

/** The ids of the records of a tenant that Kafka has, each once. */
async function readCollected({ tenantId }: TestCollector, member: 'uuid' | 'Id'): Promise<string[]> {
  const messages = (await readTopic(fixture.installation.activityTopic)).filter(({ key }) => key === tenantId);
  return [...new Set(messages.map(({ value }) => String(JSON.parse(String(value))[member])))].toSorted();
}

test('two collectors of Okta of which one is killed again and again lose no event and repeat only duplicates', async () => {
  await using server = await startOktaServer({
    pageMax: 50,
    latencyMs: 60,
    repeats: 5,
    rateLimit: { requests: 15, windowMs: 1_000 },
  });
  const events: OktaEvent[] = [];
  const append = (count: number): void => {
    const more = oktaEvents(count, Date.now());
    events.push(...more);
    server.append(more);
  };
  append(3_000);
  await using collector = await fixture.createCollector('okta', server.token, ['--url', server.url]);
  await using killed = await killCollectors({
    environment: fixture.installation.environment,
    inspector: fixture.inspector,
    kills,
    onKill: () => append(150),
  });
  expect(killed.killedAtWork).toBeGreaterThan(kills / 4);

  const expected = events.map(({ uuid }) => uuid).toSorted();
  await collector.waitForCompletion();
  await collector.expectRows(expected);
  expect(await readCollected(collector, 'uuid')).toEqual(expected);
  expect((await fixture.inspector.deadLetters()).filter(({ tenantId }) => tenantId === collector.tenantId)).toEqual([]);
});

/** Adds blobs of two new records each, of which every third repeats a record of the one before, some of them listed late. */
function createBlobWriter(server: O365Server): { readonly ids: Set<string>; add(count: number): void } {
  const ids = new Set<string>();
  let repeated = activityRecord(0);
  return {
    ids,
    add(count) {
      for (let blob = 0; blob < count; blob++) {
        const records = [activityRecord(ids.size), activityRecord(ids.size + 1)];
        for (const { Id } of records) ids.add(String(Id));
        const listedInMs = blob % 5 === 0 ? 1_500 : 0;
        const createdMs = Date.now() - (blob % 60) * 60_000;
        server.addBlob(
          contentType,
          blob % 3 === 0 && blob > 0 ? [...records, repeated] : records,
          createdMs,
          listedInMs,
        );
        [repeated] = records as [Record<string, unknown>];
      }
    },
  };
}

/** Collects from a server that limits the rate while processes are killed; returns the ids of all records and those that Kafka has. */
async function collectContentWhileKilled(extra: Readonly<Record<string, string>> = {}) {
  await using server = await startO365Server({
    pageMax: 20,
    latencyMs: 10,
    rateLimit: { requests: 20, windowMs: 1_000 },
  });
  const { url, login } = server;
  const blobs = createBlobWriter(server);
  blobs.add(200);
  await using collector = await fixture.createCollector('o365', login.clientSecret, [
    ...['--url', url, '--login-url', url, '--directory-id', login.directoryId, '--client-id', login.clientId],
    ...['--stream', contentType, '--from', new Date(Date.now() - 3_600_000).toISOString()],
  ]);
  await using killed = await killCollectors({
    environment: fixture.installation.environment,
    extra: { TENANTSCOPE_COLLECT_LEASE_SECONDS: '1', ...extra },
    inspector: fixture.inspector,
    kills,
    followsPosition: true,
    onKill: () => blobs.add(15),
  });
  expect(killed.killedAtWork).toBeGreaterThan(kills / 4);
  await eventually('a throttled run', 10_000, () => server.throttledCount() > 0);
  await collector.waitForCompletion();
  return {
    tenantId: collector.tenantId,
    expected: [...blobs.ids].toSorted(),
    collected: await readCollected(collector, 'Id'),
  };
}

test('two collectors of Office 365 of which one is killed again and again lose no record and repeat only duplicates', async () => {
  const { tenantId, expected, collected } = await collectContentWhileKilled();
  expect(collected).toEqual(expected);
  const { inspector } = fixture;
  await eventually('all rows', 60_000, async () => (await inspector.rowCount(tenantId)) >= expected.length);
  const rows = (await inspector.rows(tenantId)).map(({ document }) => String(document.externalEventId));
  expect(rows.toSorted()).toEqual(expected);
  expect((await inspector.deadLetters()).filter((one) => one.tenantId === tenantId)).toEqual([]);
});

// 63 s of CPU time, over 180 s at a load of 14: each of its 20 collectors is loaded from the sources.
test.runIf(isLong)(
  'collectors that store their position before Kafka has the records lose some when they are killed',
  {
    tags: ['torture'],
    timeout: 600_000,
  },
  async () => {
    const { expected, collected } = await collectContentWhileKilled(positionFirst);
    expect(collected.length).toBeLessThan(expected.length);
  },
);
