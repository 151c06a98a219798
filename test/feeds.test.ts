import { scopes, topics } from '@tenantscope/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Caller, callerOf } from './product/caller.ts';
import { eventually } from './product/eventually.ts';
import { everything } from './product/everything.ts';
import {
  actionState,
  detectionState,
  firstMs,
  notificationRecord,
  policyScanState,
  type RecordMessage,
  recordMessage,
  tombstone,
} from './product/feed-records.ts';
import { type Looking, lookInto } from './product/looking.ts';
import { type Product, product } from './product/product.ts';

let running: Product;
let looking: Looking;
let baseUrl: string;

beforeAll(async () => {
  running = await product();
  looking = await lookInto(running.database.superuser);
  await running.startIngest();
  baseUrl = (await running.startApi()).baseUrl;
}, 90_000);
afterAll(async () => {
  await looking[Symbol.asyncDispose]();
  await running[Symbol.asyncDispose]();
}, 60_000);

type Feed = 'detection' | 'policyScan' | 'notification' | 'action' | 'agentEvidence';

const tables = {
  detection: 'detection',
  policyScan: 'policy_scan',
  notification: 'notification',
  action: 'action',
  agentEvidence: 'agent_evidence',
} as const;

async function reader(): Promise<{ tenantId: string; caller: Caller }> {
  const { id } = await running.tenant();
  const key = { name: 'reader', scopes: [...scopes], owner: { tenantId: id }, expiresAt: null };
  return { tenantId: id, caller: callerOf(baseUrl, (await running.admin.keys.create(key)).secret) };
}

const publish = (feed: Feed, messages: readonly RecordMessage[]) =>
  running.publisher.publish(`${running.environment.TENANTSCOPE_TOPIC_PREFIX}.${topics[feed].suffix}`, [...messages]);

/** Every row of the tenant, as a map from its id to its version. */
async function versionsOf(feed: Feed, tenantId: string): Promise<Record<string, number>> {
  const { rows } = await looking.client.query<{ id: string; version: string }>(
    `select id, version from models.${tables[feed]} where tenant_id = $1`,
    [tenantId],
  );
  return Object.fromEntries(rows.map(({ id, version }) => [id, Number(version)]));
}

async function untilRows(feed: Feed, tenantId: string, count: number): Promise<void> {
  await eventually(`${count} rows of ${feed}`, 20_000, async () => {
    return Object.keys(await versionsOf(feed, tenantId)).length === count;
  });
}

async function lettersOf(tenantId: string): Promise<{ reason: string; value: Buffer | null }[]> {
  return (await looking.letters()).filter((letter) => letter.tenantId === tenantId);
}

const numbers = (count: number) => Array.from({ length: count }, (_, number) => number);

describe('/detections', () => {
  test('serve what was published, in the order of the contract', async () => {
    const { tenantId, caller } = await reader();
    const state = detectionState(tenantId, 1, 4);
    await publish('detection', [recordMessage('detection.upserted', state)]);
    await untilRows('detection', tenantId, 1);
    const { id, tenantId: _, version, changedAt: __, ...served } = state;
    const [row] = await everything(caller, '/detections');
    expect(row).toEqual({ id, updatedAt: expect.stringMatching(/Z$/), version, changeId: `${id}:4`, ...served });
    expect(Object.keys(row)).toEqual(['id', 'updatedAt', 'version', 'changeId', ...Object.keys(served)]);
    expect((await caller.get(`/detections/${id}`)).body).toEqual({ data: row });
  });

  test('hide the informational tier in lists unless asked, never by id', async () => {
    const { tenantId, caller } = await reader();
    const states = numbers(8).map((number) => detectionState(tenantId, number));
    await publish(
      'detection',
      states.map((state) => recordMessage('detection.upserted', state)),
    );
    await untilRows('detection', tenantId, 8);
    const ids = async (parameters: Record<string, string>) =>
      (await everything(caller, '/detections', { sort: 'openedAtAsc', ...parameters })).map(({ id }) => id);
    const alerted = states.filter(({ details }) => details.level === 'alerted').map(({ id }) => id);
    expect(await ids({})).toEqual(alerted);
    expect(await ids({ includeInfoTier: 'false' })).toEqual(alerted);
    expect(await ids({ includeInfoTier: 'true' })).toEqual(states.map(({ id }) => id));
    expect(await ids({ level: 'informational' })).toEqual([]);
    expect(await ids({ level: 'informational', includeInfoTier: 'true' })).toEqual(['detection-0', 'detection-4']);
    expect((await caller.get('/detections/detection-4')).body.data.details.level).toBe('informational');
  });

  test('are filtered, ordered and cut by windows on openedAt', async () => {
    const { tenantId, caller } = await reader();
    const states = numbers(12).map((number) => detectionState(tenantId, number, (number % 3) + 1));
    await publish(
      'detection',
      states.map((state) => recordMessage('detection.upserted', state)),
    );
    await untilRows('detection', tenantId, 12);
    const asked = async (parameters: Record<string, string>) =>
      (await everything(caller, '/detections', { includeInfoTier: 'true', limit: '5', ...parameters })).map(
        ({ id }) => id,
      );
    const matching = (test: (state: (typeof states)[number]) => boolean) =>
      states
        .filter(test)
        .map(({ id }) => id)
        .toReversed();
    expect(await asked({})).toEqual(matching(() => true));
    expect(await asked({ status: 'open' })).toEqual(matching(({ status }) => status === 'open'));
    expect(await asked({ severity: 'high,low' })).toEqual(matching(({ severity }) => /high|low/.test(severity ?? '')));
    expect(await asked({ detectorId: 'volume.1', entityType: 'agent' })).toEqual(
      matching(({ detector, entity }) => detector.id === 'volume.1' && entity?.type === 'agent'),
    );
    expect(await asked({ entityId: 'user-3' })).toEqual(['detection-3']);
    expect(await asked({ actionGroup: 'file.download', kind: 'anomaly' })).toHaveLength(12);
    expect(await asked({ kind: 'sequence' })).toEqual([]);
    const [from, to] = [3, 7].map((number) => new Date(firstMs + number * 60_000).toISOString()) as [string, string];
    expect(await asked({ from, to, sort: 'openedAtAsc' })).toEqual(numbers(5).map((n) => `detection-${n + 3}`));
    expect((await caller.get('/detections', { status: 'acknowledged' })).code).toBe('INVALID_PARAMETER');
  });
});

test('/policy-scans add the policy and its automations by id', async () => {
  const { tenantId, caller } = await reader();
  const states = numbers(6).map((number) => policyScanState(tenantId, number, (number % 2) + 1));
  await publish(
    'policyScan',
    states.map((state) => recordMessage('policy-scan.upserted', state)),
  );
  await untilRows('policyScan', tenantId, 6);
  const [row] = await everything(caller, '/policy-scans', { sort: 'scannedAtAsc', limit: '2' });
  expect(row).not.toHaveProperty('policyId');
  const { data } = (await caller.get('/policy-scans/scan-0')).body;
  expect(data).toEqual({ ...row, policyId: 'policy-0', automations: '{"notify":["person0@example.com"]}' });
  const ids = async (parameters: Record<string, string>) =>
    (await everything(caller, '/policy-scans', parameters)).map(({ id }) => id);
  expect(await ids({ policyId: 'policy-1,policy-2' })).toEqual(['scan-5', 'scan-4', 'scan-2', 'scan-1']);
  expect(await ids({ isResolved: 'true' })).toEqual(['scan-5', 'scan-3', 'scan-1']);
  expect(await ids({ status: 'open', severity: 'medium' })).toEqual(['scan-2']);
});

test('/notifications are decisions with their reasons, and none arrives twice', async () => {
  const { tenantId, caller } = await reader();
  const messages = numbers(9).map((n) => recordMessage('notification.upserted', notificationRecord(tenantId, n)));
  await publish('notification', messages);
  await untilRows('notification', tenantId, 9);
  const before = await everything(caller, '/notifications');
  await publish('notification', [...messages, recordMessage('notification.upserted', notificationRecord(tenantId, 9))]);
  await untilRows('notification', tenantId, 10);
  const [newest, ...others] = await everything(caller, '/notifications');
  expect(newest).toMatchObject({ id: 'notification-9', version: 1, decision: 'sent', reason: null });
  expect(others).toEqual(before);
  const failed = await everything(caller, '/notifications', { decision: 'failed', kind: 'digest' });
  expect(failed.map(({ id, reason }) => [id, reason])).toEqual([['notification-5', 'timeout']]);
});

test('/actions are found by the rung they reached', async () => {
  const { tenantId, caller } = await reader();
  const states = numbers(6).flatMap((number) =>
    numbers((number % 3) + 1).map((version) => actionState(tenantId, number, version + 1)),
  );
  await publish(
    'action',
    states.map((state) => recordMessage('action.upserted', state)),
  );
  await eventually('the last rung', 20_000, async () => (await versionsOf('action', tenantId))['action-5'] === 3);
  const ids = async (parameters: Record<string, string>) =>
    (await everything(caller, '/actions', parameters)).map(({ id }) => id);
  expect(await ids({ rung: 'applied' })).toEqual(['action-5', 'action-2']);
  expect(await ids({ rung: 'staged,approved', hasFailures: 'true' })).toEqual(['action-3', 'action-1']);
  expect(await ids({ actorKind: 'policy', revertBucket: 'available' })).toEqual(['action-4', 'action-2', 'action-0']);
  expect((await caller.get('/actions', { rung: 'done' })).code).toBe('INVALID_PARAMETER');
  expect((await caller.get('/actions/action-1')).code).toBe('NOT_FOUND');
});

test('another tenant’s id is answered as an id that does not exist, byte for byte', async () => {
  const [mine, theirs] = [await reader(), await reader()];
  await publish('detection', [recordMessage('detection.upserted', detectionState(theirs.tenantId, 1))]);
  await publish('policyScan', [recordMessage('policy-scan.upserted', policyScanState(theirs.tenantId, 1))]);
  await untilRows('detection', theirs.tenantId, 1);
  await untilRows('policyScan', theirs.tenantId, 1);
  const headers = { 'X-Request-Id': 'same' };
  for (const [path, id] of [
    ['/detections', 'detection-1'],
    ['/policy-scans', 'scan-1'],
  ]) {
    expect((await theirs.caller.get(`${path}/${id}`)).status).toBe(200);
    const answers = [
      await mine.caller.get(`${path}/${id}`, {}, headers),
      await mine.caller.get(`${path}/nonsense`, {}, headers),
    ];
    expect(answers.map(({ status, text }) => [status, text])).toEqual([
      [404, answers[0]?.text],
      [404, answers[0]?.text],
    ]);
  }
});

describe('what arrives', () => {
  test('only moves a record upward; the loser of an equal version is set aside', async () => {
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
    await eventually('the last version', 20_000, async () => {
      const versions = await versionsOf('detection', tenantId);
      return versions['detection-1'] === 3 && versions['detection-2'] === 8;
    });
    expect((await caller.get('/detections/detection-1')).body.data).toMatchObject({ version: 3, status: 'resolved' });
    const letters = await lettersOf(tenantId);
    expect(new Set(letters.map(({ reason }) => reason))).toEqual(new Set(['VERSION_CONFLICT']));
    expect(new Set(letters.map(({ value }) => value?.toString())).size).toBe(1);
  });

  test('is set aside where it would delete what is never deleted', async () => {
    const { tenantId, caller } = await reader();
    const [scan, gone] = [1, 2].map((n) => recordMessage('policy-scan.upserted', policyScanState(tenantId, n)));
    const deletion = { id: 'scan-1', tenantId, version: 9, deletedAt: '2026-11-01T00:00:00Z' };
    if (!scan || !gone) throw new Error('two scans');
    // A key that nobody knows yet is nobody's loss, also when its record comes right behind.
    await publish('policyScan', [tombstone(scan), scan, tombstone(gone)]);
    await untilRows('policyScan', tenantId, 1);
    expect(await lettersOf(tenantId)).toEqual([]);
    await publish('policyScan', [recordMessage('policy-scan.deleted', deletion), tombstone(scan)]);
    await eventually('two letters', 20_000, async () => (await lettersOf(tenantId)).length === 2);
    expect((await lettersOf(tenantId)).map(({ reason }) => reason)).toEqual(['SCHEMA_VIOLATION', 'SCHEMA_VIOLATION']);
    expect((await caller.get('/policy-scans/scan-1')).body.data.version).toBe(1);
  });

  test('of agents’ evidence may be deleted, and a tombstone after that does nothing', async () => {
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
    await eventually('a letter', 20_000, async () => (await lettersOf(tenantId)).length === 1);
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
    expect((await lettersOf(tenantId)).map(({ reason }) => reason)).toEqual(['SCHEMA_VIOLATION']);
  });

  test('and breaks a rule is set aside with the member named', async () => {
    const { tenantId } = await reader();
    const wrong = detectionState(tenantId, 1, 1, { status: 'asleep' });
    await publish('detection', [recordMessage('detection.upserted', wrong)]);
    await eventually('a letter', 20_000, async () => (await lettersOf(tenantId)).length === 1);
    const [letter] = await running.admin.deadLetters.list({ limit: 1, tenantId });
    expect(letter).toMatchObject({
      reason: 'SCHEMA_VIOLATION',
      detail: expect.stringContaining('member status'),
      format: 'detection',
    });
  });
});
