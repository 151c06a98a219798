import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { activityRecord } from '../installation/activity-records.ts';
import { eventually } from '../installation/eventually.ts';
import type { Installation } from '../installation/installation.ts';
import { startCollecting } from './collect-process.ts';
import { type CollectorFixture, startCollectorFixture, type TestCollector } from './collector-fixture.ts';
import { type FeedFault, type O365Server, startO365Server } from './o365-server.ts';

const hourMs = 3_600_000;
const contentType = 'Audit.SharePoint';
const stack = new AsyncDisposableStack();
let fixture: CollectorFixture;
let installation: Installation;

beforeAll(async () => {
  fixture = stack.use(await startCollectorFixture());
  installation = fixture.installation;
  stack.use(await startCollecting(installation.environment));
});
afterAll(() => stack.disposeAsync());

function collectFrom({ url, login }: O365Server, ...options: string[]): Promise<TestCollector> {
  return fixture.createCollector('o365', login.clientSecret, [
    ...['--url', url, '--login-url', url, '--directory-id', login.directoryId, '--client-id', login.clientId],
    ...['--stream', contentType, ...options],
  ]);
}

/** `count` blobs of three records each, from the oldest to the newest. */
function addBlobs(server: O365Server, count: number, newestMs: number, stepMs: number): Set<string> {
  const ids = new Set<string>();
  for (let blob = 0; blob < count; blob++) {
    const records = [0, 1, 2].map((index) => activityRecord(blob * 3 + index));
    for (const { Id } of records) ids.add(String(Id));
    server.addBlob(contentType, records, newestMs - (count - 1 - blob) * stepMs);
  }
  return ids;
}

test('the content of seven days is subscribed, listed in pages and fetched once', async () => {
  await using server = await startO365Server({ pageMax: 4 });
  const ids = addBlobs(server, 40, Date.now() - 1_000, 4 * hourMs);
  await using collected = await collectFrom(server);
  await collected.expectRows(ids);
  await collected.waitForCompletion();
  const more = addBlobs(server, 10, Date.now() - 1_000, 1_000);
  await collected.expectRows(new Set([...ids, ...more]));
  expect(server.subscriptions()).toEqual([contentType]);
  expect([...server.fetchCounts().values()]).toEqual(Array(50).fill(1));
  expect(await collected.readStream()).toMatchObject({ records: 150, gaps: [], failure: null });
});

test('blobs that are listed late under an earlier time are found', async () => {
  await using server = await startO365Server();
  const ids = addBlobs(server, 2, Date.now() - 1_000, hourMs);
  await using collected = await collectFrom(server);
  await collected.waitForCompletion();
  const late = activityRecord(100);
  ids.add(String(late.Id));
  server.addBlob(contentType, [late], Date.now() - 90 * 60_000, 2_000);
  await collected.expectRows(ids);
});

test.each([
  { hours: 20, reread: 0, every: 'an hour' },
  { hours: 150, reread: 1, every: 'a day' },
])(
  'content that is listed $hours hours late is found once in $every, and nothing is fetched twice',
  async ({ hours, reread }) => {
    await using server = await startO365Server({ pageMax: 4 });
    const ids = addBlobs(server, 12, Date.now() - 1_000, 13 * hourMs);
    await using collected = await collectFrom(server);
    await collected.waitForCompletion();
    const late = activityRecord(100);
    server.addBlob(contentType, [late], Date.now() - hours * hourMs);
    await collected.waitForCompletion();
    await collected.expectRows(ids);
    await collected.pause();
    await collected.editPosition(contentType, `rereadMs.${reread}`, 0);
    await collected.resume();
    ids.add(String(late.Id));
    await collected.expectRows(ids);
    await collected.waitForCompletion();
    expect([...server.fetchCounts().values()]).toEqual(Array(13).fill(1));
  },
);

test('content that was not listed for more than seven days is a gap', async () => {
  await using server = await startO365Server();
  const ids = addBlobs(server, 1, Date.now() - 1_000, 1_000);
  await using collected = await collectFrom(server);
  await collected.expectRows(ids);
  await collected.pause();
  const throughMs = Date.now() - 10 * 24 * hourMs;
  await collected.editPosition(contentType, 'throughMs', throughMs);
  await collected.resume();
  await collected.waitForCompletion();
  const { gaps = [] } = (await collected.readStream()) ?? {};
  expect(gaps).toMatchObject([{ from: new Date(throughMs).toISOString() }]);
  const daysAgo = (Date.now() - Date.parse(gaps[0]?.to ?? '')) / (24 * hourMs);
  expect(daysAgo).toBeGreaterThan(6.9);
  expect(daysAgo).toBeLessThan(7);
});

test('records that several blobs repeat are one row each', async () => {
  await using server = await startO365Server();
  const record = activityRecord(1);
  for (let blob = 0; blob < 3; blob++)
    server.addBlob(contentType, [record, activityRecordCopy(record)], Date.now() - 1_000);
  await using collected = await collectFrom(server);
  await collected.waitForCompletion();
  await collected.expectRows(new Set([String(record.Id)]));
  expect(await collected.readStream()).toMatchObject({ records: 6 });
});

const activityRecordCopy = (record: object) => Object.fromEntries(Object.entries(record).toReversed());

test('content that has expired is a gap, and the other content is collected', async () => {
  await using server = await startO365Server();
  const ids = addBlobs(server, 3, Date.now() - 1_000, hourMs);
  const createdMs = Date.now() - 30 * 60_000;
  server.expire(server.addBlob(contentType, [activityRecord(200)], createdMs));
  await using collected = await collectFrom(server);
  await collected.expectRows(ids);
  await collected.waitForCompletion();
  const at = new Date(createdMs).toISOString();
  expect((await collected.readStream())?.gaps).toMatchObject([
    { from: at, to: at, reason: expect.stringContaining('7 days') },
  ]);
});

test('content that is too large is a gap, and the other content is collected', async () => {
  await using server = await startO365Server();
  const ids = addBlobs(server, 3, Date.now() - 1_000, hourMs);
  const createdMs = Date.now() - 30 * 60_000;
  const text = 'x'.repeat(34 * 1_048_576);
  server.addBlob(contentType, [{ ...activityRecord(200), text }], createdMs);
  await using collected = await collectFrom(server);
  await collected.expectRows(ids);
  await collected.waitForCompletion();
  const at = new Date(createdMs).toISOString();
  expect((await collected.readStream())?.gaps).toMatchObject([
    { from: at, to: at, reason: expect.stringContaining('is longer than') },
  ]);
});

test.each<FeedFault>(['unavailable', 'throttled', 'truncated', 'tokenExpired'])(
  'after a response that is %s the run is continued behind its last blob',
  async (fault) => {
    await using server = await startO365Server();
    const ids = addBlobs(server, 10, Date.now() - 7 * 24 * hourMs + hourMs + 20 * 60_000, 1_000);
    // A listing, the content of the fourth blob, and the start of the subscription.
    server.fail([null, fault, null, null, null, null, null, fault, fault]);
    await using collected = await collectFrom(server);
    await collected.expectRows(ids);
    await eventually('all faults', 40_000, () => server.pendingFaults() === 0);
    await collected.waitForCompletion();
    expect([...server.fetchCounts().values()]).toEqual(Array(10).fill(1));
    expect(server.earlyRequestCount()).toBe(0);
    expect(await collected.readStream()).toMatchObject({ records: 30, gaps: [] });
  },
);

test('a blob that fails whenever older content is listed again delays each run further, and new content is collected', async () => {
  await using server = await startO365Server();
  const ids = addBlobs(server, 2, Date.now() - 1_000, hourMs);
  await using collected = await collectFrom(server);
  await collected.expectRows(ids);
  await collected.waitForCompletion();
  server.breakContent(server.addBlob(contentType, [activityRecord(100)], Date.now() - 20 * hourMs));
  await collected.pause();
  await collected.editPosition(contentType, 'rereadMs.0', 0);
  await collected.resume();
  const readFailures = async () => (await collected.readStream())?.failures ?? 0;
  await eventually('a failure', 40_000, async () => (await readFailures()) > 0);
  const added = activityRecord(101);
  ids.add(String(added.Id));
  server.addBlob(contentType, [added], Date.now() - 1_000);
  await collected.expectRows(ids);
  await eventually('the third failure in a row', 40_000, async () => (await readFailures()) >= 3);
});

test('a wrong client secret is reported without its text, and a replaced one needs no restart', async () => {
  await using server = await startO365Server();
  const ids = addBlobs(server, 1, Date.now() - 1_000, 1_000);
  await using collected = await collectFrom(server);
  await writeFile(collected.secretFile, 'wrong-secret');
  await eventually('a failure', 40_000, async () => ((await collected.readStream())?.failures ?? 0) > 0);
  const { failure } = (await collected.readStream()) ?? {};
  expect(failure).toContain('AADSTS7000215: Invalid client secret provided.');
  expect(failure).not.toContain('wrong-secret');
  await writeFile(collected.secretFile, server.login.clientSecret);
  await collected.expectRows(ids);
});

test('a collector without a client id, or of a tenant without a directory, is refused', async () => {
  const { id } = await installation.createTenant();
  const create = (...options: string[]) =>
    installation.cli('collector', 'create', 'o365', '--tenant', id, '--secret-file', '/run/secrets/o365', ...options);
  await expect(create()).rejects.toThrow('--client-id');
  await expect(create('--client-id', 'no-guid')).rejects.toThrow('--client-id must be a GUID');
  const { id: other } = await installation.admin.tenants.create({
    name: 'Other',
    organizationId: null,
    azureTenantId: null,
  });
  const refused = installation.cli(
    ...['collector', 'create', 'o365', '--tenant', other, '--secret-file', '/run/secrets/o365', '--client-id', id],
  );
  await expect(refused).rejects.toThrow('--directory-id');
});
