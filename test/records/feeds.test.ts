import { scopes, topics } from '@tenantscope/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readAllRows } from '../installation/all-rows.ts';
import { type ApiClient, createApiClient } from '../installation/api-client.ts';
import { type DatabaseInspector, openDatabaseInspector } from '../installation/database-inspector.ts';
import { eventually } from '../installation/eventually.ts';
import {
  actionState,
  detectionState,
  firstMs,
  notificationRecord,
  policyScanState,
  type RecordMessage,
  recordMessage,
  tombstone,
} from '../installation/feed-records.ts';
import { type Installation, startInstallation } from '../installation/installation.ts';

let installation: Installation;
let inspector: DatabaseInspector;
let baseUrl: string;

beforeAll(async () => {
  installation = await startInstallation();
  inspector = await openDatabaseInspector(installation.database.superuser);
  await installation.startIngest();
  baseUrl = (await installation.startApi()).baseUrl;
});
afterAll(async () => {
  await inspector[Symbol.asyncDispose]();
  await installation[Symbol.asyncDispose]();
});

type Feed = 'detection' | 'policyScan' | 'notification' | 'action' | 'agentEvidence';

const tables = {
  detection: 'detection',
  policyScan: 'policy_scan',
  notification: 'notification',
  action: 'action',
  agentEvidence: 'agent_evidence',
} as const;

async function reader(): Promise<{ tenantId: string; caller: ApiClient }> {
  const { id } = await installation.createTenant();
  const key = { name: 'reader', scopes: [...scopes], owner: { tenantId: id }, expiresAt: null };
  return { tenantId: id, caller: createApiClient(baseUrl, (await installation.admin.keys.create(key)).secret) };
}

const publish = (feed: Feed, messages: readonly RecordMessage[]) =>
  installation.publisher.publish(`${installation.environment.TENANTSCOPE_TOPIC_PREFIX}.${topics[feed].suffix}`, [
    ...messages,
  ]);

/** All rows of the tenant, as a map from id to version. */
async function versionsOf(feed: Feed, tenantId: string): Promise<Record<string, number>> {
  const { rows } = await inspector.client.query<{ id: string; version: string }>(
    `select id, version from models.${tables[feed]} where tenant_id = $1`,
    [tenantId],
  );
  return Object.fromEntries(rows.map(({ id, version }) => [id, Number(version)]));
}

async function waitForRows(feed: Feed, tenantId: string, count: number): Promise<void> {
  await eventually(`${count} rows of ${feed}`, 20_000, async () => {
    return Object.keys(await versionsOf(feed, tenantId)).length === count;
  });
}

async function deadLettersOf(tenantId: string): Promise<{ reason: string; value: Buffer | null }[]> {
  return (await inspector.deadLetters()).filter((deadLetter) => deadLetter.tenantId === tenantId);
}

const numbers = (count: number) => Array.from({ length: count }, (_, number) => number);

describe('the feed /detections', () => {
  test('the detections feed returns the published records in the order of the contract', async () => {
    const { tenantId, caller } = await reader();
    const state = detectionState(tenantId, 1, 4);
    await publish('detection', [recordMessage('detection.upserted', state)]);
    await waitForRows('detection', tenantId, 1);
    const { id, tenantId: _, version, changedAt: __, ...served } = state;
    const head = { id, updatedAt: expect.stringMatching(/Z$/), version, changeId: `${id}:4`, tenantId };
    const [row] = await readAllRows(caller, '/detections');
    expect(row).toEqual({ ...head, ...served });
    expect(Object.keys(row)).toEqual(Object.keys({ ...head, ...served }));
    expect((await caller.get(`/detections/${id}`)).body).toEqual({ data: row });
  });

  test('the detections feed hides the informational tier in lists by default and never by id', async () => {
    const { tenantId, caller } = await reader();
    const states = numbers(8).map((number) => detectionState(tenantId, number));
    await publish(
      'detection',
      states.map((state) => recordMessage('detection.upserted', state)),
    );
    await waitForRows('detection', tenantId, 8);
    const ids = async (parameters: Record<string, string>) =>
      (await readAllRows(caller, '/detections', { sort: 'openedAtAsc', ...parameters })).map(({ id }) => id);
    const alerted = states.filter(({ details }) => details.level === 'alerted').map(({ id }) => id);
    expect(await ids({})).toEqual(alerted);
    expect(await ids({ includeInfoTier: 'false' })).toEqual(alerted);
    expect(await ids({ includeInfoTier: 'true' })).toEqual(states.map(({ id }) => id));
    expect(await ids({ level: 'informational' })).toEqual([]);
    expect(await ids({ level: 'informational', includeInfoTier: 'true' })).toEqual(['detection-0', 'detection-4']);
    expect((await caller.get('/detections/detection-4')).body.data.details.level).toBe('informational');
  });

  test('the detections feed supports filters, orders and windows on openedAt', async () => {
    const { tenantId, caller } = await reader();
    const states = numbers(12).map((number) => detectionState(tenantId, number, (number % 3) + 1));
    await publish(
      'detection',
      states.map((state) => recordMessage('detection.upserted', state)),
    );
    await waitForRows('detection', tenantId, 12);
    const listIds = async (parameters: Record<string, string>) =>
      (await readAllRows(caller, '/detections', { includeInfoTier: 'true', limit: '5', ...parameters })).map(
        ({ id }) => id,
      );
    const matching = (test: (state: (typeof states)[number]) => boolean) =>
      states
        .filter(test)
        .map(({ id }) => id)
        .toReversed();
    expect(await listIds({})).toEqual(matching(() => true));
    expect(await listIds({ status: 'open' })).toEqual(matching(({ status }) => status === 'open'));
    expect(await listIds({ severity: 'high,low' })).toEqual(
      matching(({ severity }) => /high|low/.test(severity ?? '')),
    );
    expect(await listIds({ detectorId: 'volume.1', entityType: 'agent' })).toEqual(
      matching(({ detector, entity }) => detector.id === 'volume.1' && entity?.type === 'agent'),
    );
    expect(await listIds({ entityId: 'user-3' })).toEqual(['detection-3']);
    expect(await listIds({ actionGroup: 'file.download', kind: 'anomaly' })).toHaveLength(12);
    expect(await listIds({ kind: 'sequence' })).toEqual([]);
    const [from, to] = [3, 7].map((number) => new Date(firstMs + number * 60_000).toISOString()) as [string, string];
    expect(await listIds({ from, to, sort: 'openedAtAsc' })).toEqual(numbers(5).map((n) => `detection-${n + 3}`));
    expect((await caller.get('/detections', { status: 'acknowledged' })).code).toBe('INVALID_PARAMETER');
  });
});

test('/policy-scans returns the policy and its automations by id', async () => {
  const { tenantId, caller } = await reader();
  const states = numbers(6).map((number) => policyScanState(tenantId, number, (number % 2) + 1));
  await publish(
    'policyScan',
    states.map((state) => recordMessage('policy-scan.upserted', state)),
  );
  await waitForRows('policyScan', tenantId, 6);
  const [row] = await readAllRows(caller, '/policy-scans', { sort: 'scannedAtAsc', limit: '2' });
  expect(row).not.toHaveProperty('policyId');
  const { data } = (await caller.get('/policy-scans/scan-0')).body;
  expect(data).toEqual({ ...row, policyId: 'policy-0', automations: '{"notify":["person0@example.com"]}' });
  const ids = async (parameters: Record<string, string>) =>
    (await readAllRows(caller, '/policy-scans', parameters)).map(({ id }) => id);
  expect(await ids({ policyId: 'policy-1,policy-2' })).toEqual(['scan-5', 'scan-4', 'scan-2', 'scan-1']);
  expect(await ids({ isResolved: 'true' })).toEqual(['scan-5', 'scan-3', 'scan-1']);
  expect(await ids({ status: 'open', severity: 'medium' })).toEqual(['scan-2']);
});

test('/notifications returns decisions with their reasons and no duplicates', async () => {
  const { tenantId, caller } = await reader();
  const messages = numbers(9).map((n) => recordMessage('notification.upserted', notificationRecord(tenantId, n)));
  await publish('notification', messages);
  await waitForRows('notification', tenantId, 9);
  const before = await readAllRows(caller, '/notifications');
  await publish('notification', [...messages, recordMessage('notification.upserted', notificationRecord(tenantId, 9))]);
  await waitForRows('notification', tenantId, 10);
  const [newest, ...others] = await readAllRows(caller, '/notifications');
  expect(newest).toMatchObject({ id: 'notification-9', version: 1, decision: 'sent', reason: null });
  expect(others).toEqual(before);
  const failed = await readAllRows(caller, '/notifications', { decision: 'failed', kind: 'digest' });
  expect(failed.map(({ id, reason }) => [id, reason])).toEqual([['notification-5', 'timeout']]);
});

test('/actions filters by the reached rung', async () => {
  const { tenantId, caller } = await reader();
  const states = numbers(6).flatMap((number) =>
    numbers((number % 3) + 1).map((version) => actionState(tenantId, number, version + 1)),
  );
  await publish(
    'action',
    states.map((state) => recordMessage('action.upserted', state)),
  );
  // They are in several partitions, so that any of them may be the last.
  await eventually('every rung is stored', 20_000, async () => {
    const versions = await versionsOf('action', tenantId);
    return numbers(6).every((number) => versions[`action-${number}`] === (number % 3) + 1);
  });
  const ids = async (parameters: Record<string, string>) =>
    (await readAllRows(caller, '/actions', parameters)).map(({ id }) => id);
  expect(await ids({ rung: 'applied' })).toEqual(['action-5', 'action-2']);
  expect(await ids({ rung: 'staged,approved', hasFailures: 'true' })).toEqual(['action-3', 'action-1']);
  expect(await ids({ actorKind: 'policy', revertBucket: 'available' })).toEqual(['action-4', 'action-2', 'action-0']);
  expect((await caller.get('/actions', { rung: 'done' })).code).toBe('INVALID_PARAMETER');
  expect((await caller.get('/actions/action-1')).code).toBe('NOT_FOUND');
});

test('an id of another tenant returns the same bytes as an unknown id', async () => {
  const [own, theirs] = [await reader(), await reader()];
  await publish('detection', [recordMessage('detection.upserted', detectionState(theirs.tenantId, 1))]);
  await publish('policyScan', [recordMessage('policy-scan.upserted', policyScanState(theirs.tenantId, 1))]);
  await waitForRows('detection', theirs.tenantId, 1);
  await waitForRows('policyScan', theirs.tenantId, 1);
  const headers = { 'X-Request-Id': 'same' };
  for (const [path, id] of [
    ['/detections', 'detection-1'],
    ['/policy-scans', 'scan-1'],
  ]) {
    expect((await theirs.caller.get(`${path}/${id}`)).status).toBe(200);
    const responses = [
      await own.caller.get(`${path}/${id}`, {}, headers),
      await own.caller.get(`${path}/nonsense`, {}, headers),
    ];
    expect(responses.map(({ status, text }) => [status, text])).toEqual([
      [404, responses[0]?.text],
      [404, responses[0]?.text],
    ]);
  }
});

describe('incoming records', () => {
  test('a record only moves to higher versions, and the loser of an equal version is dead-lettered', async () => {
    const { tenantId, caller } = await reader();
    const states = [3, 1, 3, 2].map((version) =>
      recordMessage('detection.upserted', detectionState(tenantId, 1, version)),
    );
    const rivals = ['a', 'b'].map((summary) =>
      recordMessage('detection.upserted', detectionState(tenantId, 2, 7, { summary })),
    );
    await publish('detection', [...states, ...rivals, ...rivals.toReversed()]);
    const last = recordMessage('detection.upserted', detectionState(tenantId, 2, 8));
    await publish('detection', [last]);
    await eventually('the last version is stored', 20_000, async () => {
      const versions = await versionsOf('detection', tenantId);
      return versions['detection-1'] === 3 && versions['detection-2'] === 8;
    });
    expect((await caller.get('/detections/detection-1')).body.data).toMatchObject({ version: 3, status: 'resolved' });
    const deadLetters = await deadLettersOf(tenantId);
    expect(new Set(deadLetters.map(({ reason }) => reason))).toEqual(new Set(['VERSION_CONFLICT']));
    expect(new Set(deadLetters.map(({ value }) => value?.toString())).size).toBe(1);
  });

  test('a deletion of an immutable record is dead-lettered', async () => {
    const { tenantId, caller } = await reader();
    const [scan, gone] = [1, 2].map((n) => recordMessage('policy-scan.upserted', policyScanState(tenantId, n)));
    const deletion = { id: 'scan-1', tenantId, version: 9, deletedAt: '2026-11-01T00:00:00Z' };
    if (!scan || !gone) throw new Error('two scans');
    // An unregistered key loses nothing, even when its record follows immediately.
    await publish('policyScan', [tombstone(scan), scan, tombstone(gone)]);
    await waitForRows('policyScan', tenantId, 1);
    expect(await deadLettersOf(tenantId)).toEqual([]);
    await publish('policyScan', [recordMessage('policy-scan.deleted', deletion), tombstone(scan)]);
    await eventually('two dead letters are stored', 20_000, async () => (await deadLettersOf(tenantId)).length === 2);
    expect((await deadLettersOf(tenantId)).map(({ reason }) => reason)).toEqual([
      'SCHEMA_VIOLATION',
      'SCHEMA_VIOLATION',
    ]);
    expect((await caller.get('/policy-scans/scan-1')).body.data.version).toBe(1);
  });

  test('agent evidence can be deleted, and a later tombstone changes nothing', async () => {
    const { tenantId } = await reader();
    const grant = {
      id: 'g1',
      tenantId,
      version: 3,
      changedAt: '2026-11-01T00:00:00Z',
      agentId: 'a1',
      value: 'Mail.Read',
    };
    const deletion = { id: 'g1', tenantId, version: 4, deletedAt: '2026-11-02T00:00:00Z' };
    const message = recordMessage('agent-evidence.permissionGrant.upserted', grant);
    await publish('agentEvidence', [message, tombstone(message)]);
    await eventually('a dead letter is stored', 20_000, async () => (await deadLettersOf(tenantId)).length === 1);
    await publish('agentEvidence', [
      recordMessage('agent-evidence.permissionGrant.deleted', deletion),
      tombstone(message),
      message,
      recordMessage('agent-evidence.permissionGrant.upserted', { ...grant, id: 'g2' }),
    ]);
    await eventually(
      'both grants',
      20_000,
      async () => 'permissionGrant/g2' in (await versionsOf('agentEvidence', tenantId)),
    );
    await eventually(
      'the deletion',
      20_000,
      async () => Object.keys(await versionsOf('agentEvidence', tenantId)).length === 3,
    );
    expect(await versionsOf('agentEvidence', tenantId)).toEqual({
      'permissionGrant/g1': 3,
      'permissionGrant/g1/deleted': 4,
      'permissionGrant/g2': 3,
    });
    expect((await deadLettersOf(tenantId)).map(({ reason }) => reason)).toEqual(['SCHEMA_VIOLATION']);
  });

  test('an invalid record is dead-lettered with the member named', async () => {
    const { tenantId } = await reader();
    const wrong = detectionState(tenantId, 1, 1, { status: 'asleep' });
    await publish('detection', [recordMessage('detection.upserted', wrong)]);
    await eventually('a dead letter is stored', 20_000, async () => (await deadLettersOf(tenantId)).length === 1);
    const [deadLetter] = (await installation.admin.deadLetters.list({ limit: 1, tenantId })).found;
    expect(deadLetter).toMatchObject({
      reason: 'SCHEMA_VIOLATION',
      detail: expect.stringContaining('member status'),
      format: 'detection',
    });
  });
});
