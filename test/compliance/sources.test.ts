import { randomUUID } from 'node:crypto';
import { requirementCatalogue } from '@tenantscope/compliance';
import { keepProgress, openPool, readSourceStates, withConnection } from '@tenantscope/store';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as happened from './happened.ts';
import { nowMs, prefixesOf } from './outcomes.ts';
import * as said from './said.ts';
import { strangeTenant, type Told, toldDatabase } from './told.ts';

const { dayMs, hourMs } = said;
let told: Told;
beforeAll(async () => {
  told = await toldDatabase();
}, 60_000);
afterAll(() => told?.[Symbol.asyncDispose]());

const sourcesOf = (tenantId: string, atMs = nowMs) =>
  told.read(tenantId, (client) => readSourceStates(client, { tenantId, nowMs: atMs }));
const untold = { lastCompleteImportMs: null, licensed: null, enabled: null, connectedAtMs: null, gaps: [] };

test('a source is as young as its newest row on any lane, by our clock, whatever the row tells of', async () => {
  const tenantId = strangeTenant();
  const ingest = openPool(told.database.roles.ingest, { name: 'progress of a test', maxConnections: 1 });
  const bring = (partition: number, source: string, stampMs: number) =>
    withConnection(ingest, (client) =>
      keepProgress(client, { clusterId: 'cluster', topicId: randomUUID(), partition }, [
        { tenantId, source, rowCount: 1, lastOccurredAtMs: nowMs - 9 * dayMs, lastStamp: said.at(stampMs) },
      ]),
    );
  await told.tell(tenantId, nowMs - dayMs, [
    happened.fileEvent('FileAccessed', 'plan', 'anna', nowMs - 9 * dayMs),
    happened.appUse(randomUUID(), 'anna', nowMs - 9 * dayMs),
  ]);
  await bring(0, 'users', nowMs - hourMs);
  await bring(1, 'users', nowMs - dayMs);
  await bring(2, 'notifications', nowMs);
  // By a clock that is ahead of the question.
  await bring(3, 'devices', nowMs + 1);
  await ingest.end();

  const { logs, users, notifications, devices, ...feeds } = await sourcesOf(tenantId);
  expect({ logs, users, notifications, devices }).toEqual({
    logs: { ...untold, newestMs: nowMs - dayMs },
    users: { ...untold, newestMs: nowMs - hourMs },
    notifications: { ...untold, newestMs: nowMs },
    devices: { ...untold, newestMs: nowMs },
  });
  expect(Object.keys(feeds)).toEqual(['logs/Audit.AzureActiveDirectory', 'logs/Audit.SharePoint']);
});

test('what a source says of itself is heard, under the name of what it fills', async () => {
  const tenantId = strangeTenant();
  const gap = { from: said.at(nowMs - 3 * dayMs), to: said.at(nowMs - 2 * dayMs), reason: 'throttled' };
  await told.tell(tenantId, nowMs, [
    said.sourceStatus('user', nowMs - hourMs, { connectedAt: said.at(nowMs - 100 * dayMs), gaps: [gap] }),
    said.sourceStatus('users', nowMs - dayMs, { enabled: false, licensed: null, connectedAt: said.at(nowMs - dayMs) }),
    said.sourceStatus('user_risk', null, { licensed: false }),
    said.sourceStatus('logs/Audit.Exchange', nowMs),
  ]);
  expect(await sourcesOf(tenantId)).toEqual({
    users: {
      newestMs: null,
      lastCompleteImportMs: nowMs - hourMs,
      licensed: true,
      enabled: true,
      connectedAtMs: nowMs - 100 * dayMs,
      gaps: [{ fromMs: nowMs - 3 * dayMs, toMs: nowMs - 2 * dayMs, reason: 'throttled' }],
    },
    user_risk: { ...untold, newestMs: null, licensed: false, enabled: true },
    'logs/Audit.Exchange': { ...untold, newestMs: null, lastCompleteImportMs: nowMs, licensed: true, enabled: true },
  });
});

test('an import that is said to end a little ahead of now ended now, and one further ahead proves nothing', async () => {
  const tenantId = strangeTenant();
  await told.tell(tenantId, nowMs, [
    said.sourceStatus('devices', nowMs + hourMs),
    said.sourceStatus('groups', nowMs + hourMs + 1),
  ]);
  expect(await sourcesOf(tenantId)).toMatchObject({
    devices: { lastCompleteImportMs: nowMs },
    groups: { lastCompleteImportMs: null },
  });
});

test('a tenant of which nothing is known has no sources, and sees nobody else’s', async () => {
  await told.tell(strangeTenant(), nowMs, [said.user('anna'), said.sourceStatus('devices', nowMs)]);
  expect(await sourcesOf(strangeTenant())).toEqual({});
});

test('every measured requirement is taken care of by one of these tests', () => {
  const prefixes = Object.values(prefixesOf).flat();
  const cared = requirementCatalogue
    .filter(({ kind }) => kind === 'measured')
    .map(({ key }) => [key, prefixes.filter((prefix) => key.startsWith(prefix)).length]);
  expect(cared.filter(([, times]) => times !== 1)).toEqual([]);
});
