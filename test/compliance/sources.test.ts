import { randomUUID } from 'node:crypto';
import { requirementCatalogue } from '@tenantscope/compliance';
import { readSourceStates } from '@tenantscope/store/compliance';
import { withConnection } from '@tenantscope/store/connection';
import { writeProgress } from '@tenantscope/store/ingest';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestPool } from '../services/pool.ts';
import * as events from './events.ts';
import { type FactDatabase, newTenantId, openFactDatabase } from './fact-database.ts';
import * as input from './input-records.ts';
import { nowMs, requirementPrefixes } from './outcomes.ts';

const { dayMs, hourMs } = input;
let facts: FactDatabase;
beforeAll(async () => {
  facts = await openFactDatabase();
});
afterAll(() => facts?.[Symbol.asyncDispose]());

const sourcesOf = (tenantId: string, atMs = nowMs) =>
  facts.read(tenantId, (client) => readSourceStates(client, { tenantId, nowMs: atMs }));
const untold = { lastCompleteImportMs: null, licensed: null, enabled: null, connectedAtMs: null, gaps: [] };

test('the age of a source is the server time of its newest row on any lane, whatever time the row contains', async () => {
  const tenantId = newTenantId();
  const ingest = openTestPool(facts.database.roles.ingest, { max: 1 });
  const bring = (partition: number, source: string, stampMs: number) =>
    withConnection(ingest, (client) =>
      writeProgress(client, { clusterId: 'cluster', topicId: randomUUID(), partition }, [
        { tenantId, source, rowCount: 1, lastOccurredAtMs: nowMs - 9 * dayMs, lastStamp: input.at(stampMs) },
      ]),
    );
  await facts.ingest(tenantId, nowMs - dayMs, [
    events.fileEvent('FileAccessed', 'plan', 'anna', nowMs - 9 * dayMs),
    events.appUse(randomUUID(), 'anna', nowMs - 9 * dayMs),
  ]);
  await bring(0, 'users', nowMs - hourMs);
  await bring(1, 'users', nowMs - dayMs);
  await bring(2, 'notifications', nowMs);
  // Written by a clock ahead of the query time.
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

test('a source status is stored under the name of the feed it fills', async () => {
  const tenantId = newTenantId();
  const gap = { from: input.at(nowMs - 3 * dayMs), to: input.at(nowMs - 2 * dayMs), reason: 'throttled' };
  await facts.ingest(tenantId, nowMs, [
    input.sourceStatus('user', nowMs - hourMs, { connectedAt: input.at(nowMs - 100 * dayMs), gaps: [gap] }),
    input.sourceStatus('users', nowMs - dayMs, {
      enabled: false,
      licensed: null,
      connectedAt: input.at(nowMs - dayMs),
    }),
    input.sourceStatus('user_risk', null, { licensed: false }),
    input.sourceStatus('logs/Audit.Exchange', nowMs),
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

test('of several enabled collectors of one source the oldest import counts, whatever a disabled one reports', async () => {
  const tenantId = newTenantId();
  const collector = (name: string, importedMs: number, enabled: boolean) => ({
    ...input.sourceStatus('detections', importedMs, { enabled }),
    id: `detections-of-${name}`,
  });
  await facts.ingest(tenantId, nowMs, [
    collector('a', nowMs - hourMs, true),
    collector('b', nowMs - 100 * hourMs, true),
    collector('c', nowMs - 900 * hourMs, false),
  ]);
  expect(await sourcesOf(tenantId)).toMatchObject({
    detections: { lastCompleteImportMs: nowMs - 100 * hourMs, enabled: true },
  });
});

test('a collector without a licence does not decide about another one of the same source', async () => {
  const tenantId = newTenantId();
  const collector = (name: string, importedMs: number | null, more: Record<string, unknown>) => ({
    ...input.sourceStatus('logs/SignInLogs', importedMs, more),
    id: `sign-ins-of-${name}`,
  });
  await facts.ingest(tenantId, nowMs, [
    collector('a', nowMs - 100 * hourMs, { licensed: false }),
    collector('b', nowMs - hourMs, { licensed: null }),
    collector('c', null, { licensed: null, enabled: false }),
  ]);
  expect(await sourcesOf(tenantId)).toMatchObject({
    'logs/SignInLogs': { lastCompleteImportMs: nowMs - hourMs, licensed: null, enabled: true },
  });
  const unlicensed = newTenantId();
  await facts.ingest(unlicensed, nowMs, [
    collector('a', nowMs - 100 * hourMs, { licensed: false }),
    collector('c', null, { licensed: null, enabled: false }),
  ]);
  expect(await sourcesOf(unlicensed)).toMatchObject({ 'logs/SignInLogs': { licensed: false, enabled: true } });
});

test('a gap of a collector without a licence does not count for the source, and that of a disabled one does', async () => {
  const tenantId = newTenantId();
  const collector = (name: string, days: number, more: Record<string, unknown>) => ({
    ...input.sourceStatus('logs/SignInLogs', nowMs, {
      gaps: [{ from: input.at(nowMs - days * dayMs), to: input.at(nowMs - days * dayMs + 1), reason: null }],
      ...more,
    }),
    id: `sign-ins-of-${name}`,
  });
  await facts.ingest(tenantId, nowMs, [
    collector('a', 1, { licensed: false }),
    collector('b', 2, { licensed: null }),
    collector('c', 3, { enabled: false }),
  ]);
  const found = (await sourcesOf(tenantId))['logs/SignInLogs']?.gaps.map(({ fromMs }) => (nowMs - fromMs) / dayMs);
  expect(found?.toSorted()).toEqual([2, 3]);
});

test('an import end slightly ahead of now counts as now, and one further ahead is ignored', async () => {
  const tenantId = newTenantId();
  await facts.ingest(tenantId, nowMs, [
    input.sourceStatus('devices', nowMs + hourMs),
    input.sourceStatus('groups', nowMs + hourMs + 1),
  ]);
  expect(await sourcesOf(tenantId)).toMatchObject({
    devices: { lastCompleteImportMs: nowMs },
    groups: { lastCompleteImportMs: null },
  });
});

test('a new tenant has no sources and does not see those of another tenant', async () => {
  await facts.ingest(newTenantId(), nowMs, [input.user('anna'), input.sourceStatus('devices', nowMs)]);
  expect(await sourcesOf(newTenantId())).toEqual({});
});

test('every measured requirement belongs to one of these test files', () => {
  const prefixes = Object.values(requirementPrefixes).flat();
  const cared = requirementCatalogue
    .filter(({ kind }) => kind === 'measured')
    .map(({ key }) => [key, prefixes.filter((prefix) => key.startsWith(prefix)).length]);
  expect(cared.filter(([, times]) => times !== 1)).toEqual([]);
});
