import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { activityMessage } from '../installation/activity-records.ts';
import { alertEvent, alertMessage, graphAlert } from '../installation/alert-messages.ts';
import { type ApiClient, createApiClient } from '../installation/api-client.ts';
import { eventually } from '../installation/eventually.ts';
import { type Installation, startInstallation } from '../installation/installation.ts';

let installation: Installation;
let baseUrl: string;
let alertTopic: string;

beforeAll(async () => {
  installation = await startInstallation();
  alertTopic = `${installation.environment.TENANTSCOPE_TOPIC_PREFIX}.raw.alert.v1`;
  await installation.startIngest();
  ({ baseUrl } = await installation.startApi());
});
afterAll(() => installation[Symbol.asyncDispose]());

async function reader(scopes = ['security-alerts:read', 'logs:read']): Promise<{ id: string; caller: ApiClient }> {
  const { id } = await installation.createTenant();
  const { secret } = await installation.admin.keys.create({
    name: 'alerts',
    scopes,
    owner: { tenantId: id },
    expiresAt: null,
  });
  return { id, caller: createApiClient(baseUrl, secret) };
}

const publish = (...messages: ReturnType<typeof alertMessage>[]) =>
  installation.publisher.publish(alertTopic, messages);

interface Row {
  id: string;
  version: number;
  updatedAt: string;
  changeId: string;
  tenantId: string;
  [member: string]: unknown;
}

async function rows(caller: ApiClient, parameters: Record<string, string> = {}): Promise<Row[]> {
  const response = await caller.get('/security-alerts', { limit: '1000', ...parameters });
  expect(response.status, response.text).toBe(200);
  return response.body.data;
}

const waitForRows = (caller: ApiClient, count: number) =>
  eventually(`${count} alerts`, 20_000, async () => (await rows(caller)).length === count);

test('alerts of every provider and of the activity log are listed and read by their ids', async () => {
  const { id: tenantId, caller } = await reader();
  const graph = graphAlert({ id: 'da-1', createdDateTime: '2026-11-20T08:00:00Z' });
  const inIncident = graphAlert({ id: 'da-2', createdDateTime: '2026-11-20T09:00:00Z' });
  const google = {
    alertId: 'google-1',
    createTime: '2026-11-20T10:00:00Z',
    type: 'User reported phishing',
    source: 'Gmail phishing',
    metadata: { severity: 'LOW', status: 'CLOSED' },
  };
  await publish(
    alertMessage(tenantId, graph),
    alertMessage(tenantId, { id: '7', alerts: [inIncident] }, 'graph.security.incident'),
    alertMessage(tenantId, google, 'google.alertcenter.alert'),
    alertMessage(
      tenantId,
      alertEvent('on-its-topic', { CreationTime: '2026-11-20T11:00:00' }),
      'o365.management-activity',
    ),
  );
  const secondEvent = alertEvent('second-event', { CreationTime: '2026-11-20T12:00:00' });
  await installation.publisher.publish(installation.activityTopic, [activityMessage(tenantId, secondEvent)]);
  await waitForRows(caller, 5);

  const listed = await rows(caller);
  expect(listed.map(({ id }) => id)).toEqual(['second-event', 'on-its-topic', 'google-1', 'da-2', 'da-1']);
  for (const row of listed) {
    expect(row).toMatchObject({ changeId: `${row.id}:${row.version}`, tenantId });
    const { body } = await caller.get(`/security-alerts/${row.id}`);
    expect(body.data).toMatchObject(row);
    expect(body.data.rawData).toBeTypeOf('object');
  }
  const { body } = await caller.get('/security-alerts/da-2');
  expect(body.data.rawData).toEqual(inIncident);

  // Alerts are listed by the provider's time as soon as they are stored; the log waits until it is settled.
  let log: unknown[] = [];
  await eventually('the row of the second event is stored', 10_000, async () => {
    log = (await caller.get('/logs')).body.data;
    return log.length > 0;
  });
  expect(log).toMatchObject([{ action: 'AlertTriggered', resourceId: 'second-event', resourceType: 'alert' }]);
});

test('rows of AlertEvidence are on their alert, before and after its row of AlertInfo', async () => {
  const { id: tenantId, caller } = await reader();
  const hunting = (table: string, columns: Record<string, unknown>) => ({
    category: `AdvancedHunting-${table}`,
    properties: { Timestamp: '2026-11-20T08:00:00Z', AlertId: 'da9', ...columns },
  });
  const send = (...records: unknown[]) =>
    installation.publisher.publish(
      installation.activityTopic,
      records.map((record) => activityMessage(tenantId, record, 'm365d.advanced-hunting')),
    );
  const user = hunting('AlertEvidence', { EntityType: 'User', AccountObjectId: 'u-1', EvidenceRole: 'Impacted' });
  const file = hunting('AlertEvidence', { EntityType: 'File', SHA256: 'aa', FileName: 'x.exe', DeviceId: 'd-1' });
  const versions: number[] = [];
  const waitForAlert = (expected: object) =>
    eventually('the alert', 20_000, async () => {
      const [row] = await rows(caller);
      if (row !== undefined && row.version !== versions.at(-1)) versions.push(row.version);
      const merged = JSON.stringify({ title: row?.title, users: idsOf(row?.users), files: idsOf(row?.files) });
      return merged === JSON.stringify(expected);
    });
  const idsOf = (elements: unknown) => (elements as { id: string }[] | undefined)?.map(({ id }) => id);
  await send(user);
  await waitForAlert({ title: null, users: ['u-1'], files: [] });
  await send(hunting('AlertInfo', { Title: 'Malware', Severity: 'High' }), user);
  await waitForAlert({ title: 'Malware', users: ['u-1'], files: [] });
  // A row of Log Analytics on the topic of alerts.
  await publish(alertMessage(tenantId, { Type: 'AlertEvidence', ...file.properties }, 'm365d.advanced-hunting'));
  await waitForAlert({ title: 'Malware', users: ['u-1'], files: ['aa'] });
  expect(versions).toEqual([...new Set(versions)].toSorted((one, other) => one - other));
  expect((await caller.get('/security-alerts/da9')).body.data).toMatchObject({
    severity: 'high',
    users: [{ id: 'u-1', roles: ['impacted'] }],
    devices: [{ id: 'd-1' }],
    rawData: { category: 'AdvancedHunting-AlertInfo' },
  });
  expect((await installation.admin.deadLetters.list({ limit: 100, tenantId })).found).toEqual([]);
});

test("rawData is the provider's value digit by digit and every other text shows its control characters", async () => {
  const { id: tenantId, caller } = await reader();
  const text =
    '{"id":"exact","title":"a\u202eb","lastUpdateDateTime":"2026-11-20T09:00:00Z","ticks":638680000001234567890,' +
    '"ratio":1.50,"note":"\\u0000\\ud800 and \u200b","evidence":[]}';
  await publish(alertMessage(tenantId, text));
  await waitForRows(caller, 1);
  const { text: response, body } = await caller.get('/security-alerts/exact');
  expect(response).toContain(`"rawData":${text}`);
  expect(body.data.title).toBe('a\\u{202E}b');
});

describe('alert filters and windows', () => {
  let caller: ApiClient;
  beforeAll(async () => {
    const created = await reader();
    caller = created.caller;
    const alerts = [
      graphAlert({ id: 'a', severity: 'high', status: 'new', category: 'Malware', serviceSource: 'one' }),
      graphAlert({ id: 'b', severity: 'low', status: 'resolved', classification: 'truePositive', category: 'Malware' }),
      graphAlert({ id: 'c', severity: 'odd', status: 'inProgress', createdDateTime: '2026-11-20T08:30:00.500Z' }),
      graphAlert({ id: 'd', severity: null, status: null, createdDateTime: null }),
    ];
    await publish(...alerts.map((alert) => alertMessage(created.id, alert)));
    await waitForRows(caller, 4);
  });

  test.each<[Record<string, string>, string[]]>([
    [{ severity: 'high' }, ['a']],
    [{ severity: 'high,low' }, ['a', 'b']],
    [{ severity: 'unknown' }, ['c']],
    [{ severity: 'critical' }, []],
    [{ status: 'new,resolved' }, ['a', 'b']],
    [{ isResolved: 'true' }, ['b']],
    [{ isResolved: 'false' }, ['a', 'c']],
    [{ classification: 'truePositive' }, ['b']],
    [{ category: 'Malware' }, ['a', 'b']],
    [{ category: 'Malware', severity: 'low' }, ['b']],
    [{ category: 'malware' }, []],
    [{ serviceSource: 'one' }, ['a']],
    [{ from: '2026-11-20T08:30:00.500Z', to: '2026-11-20T08:30:00.500Z' }, ['c']],
    [{ from: '2026-11-20T07:00:00Z', to: '2026-11-20T07:59:59.999Z' }, ['d']],
    [{ from: '2026-11-20T08:00:00Z', to: '2026-11-20T08:00:00Z' }, ['a', 'b']],
    [{ updatedFrom: '2026-11-20T00:00:00Z', updatedTo: '2026-11-20T00:00:01Z' }, []],
  ])('the query %j returns the alerts %j', async (parameters, ids) => {
    const found = await rows(caller, { sort: 'createdDateTimeAsc', ...parameters });
    expect(found.map(({ id }) => id).sort()).toEqual(ids);
  });

  test('a filter value outside a closed vocabulary is rejected', async () => {
    for (const parameters of [{ severity: 'severe' }, { status: 'New' }]) {
      expect(await caller.get('/security-alerts', parameters)).toMatchObject({
        status: 400,
        code: 'INVALID_PARAMETER',
      });
    }
  });

  test('joined pages equal the full list in both orders', async () => {
    for (const sort of ['createdDateTimeAsc', 'createdDateTimeDesc', 'updatedAtAsc']) {
      const whole = await rows(caller, { sort });
      const joined: Row[] = [];
      for (let parameters: Record<string, string> = { sort, limit: '1' }; ; ) {
        const { body } = await caller.get('/security-alerts', parameters);
        joined.push(...body.data);
        if (!body.pagination.hasMore) break;
        parameters = { cursor: body.pagination.nextCursor };
      }
      expect(joined, sort).toEqual(whole);
    }
  });
});

test('a poller on updatedAtAsc sees every alert move forward only and ends at its last state', async () => {
  const { id: tenantId, caller } = await reader();
  const ids = Array.from({ length: 12 }, (_, index) => `moving-${index}`);
  const events = ids.flatMap((id) =>
    Array.from({ length: 20 }, (_, minute) =>
      alertEvent(id, {
        Operation: minute === 0 ? 'AlertTriggered' : 'AlertUpdated',
        CreationTime: `2026-11-20T09:${String(minute).padStart(2, '0')}:00`,
        Status: ['Active', 'Investigating', 'Resolved', 'Dismissed'][minute % 4],
      }),
    ),
  );
  const shuffled = events
    .flatMap((event) => [event, event])
    .map((event) => ({ event, at: Math.random() }))
    .sort((one, other) => one.at - other.at)
    .map(({ event }) => event);
  let delivered = false;
  const delivery = (async () => {
    for (let from = 0; from < shuffled.length; from += 24) {
      const some = shuffled.slice(from, from + 24);
      const [asRows, asAlerts] = [some.slice(0, 12), some.slice(12)];
      await Promise.all([
        installation.publisher.publish(
          installation.activityTopic,
          asRows.map((event) => activityMessage(tenantId, event)),
        ),
        publish(...asAlerts.map((event) => alertMessage(tenantId, event, 'o365.management-activity'))),
      ]);
    }
    delivered = true;
  })();

  const served: Row[] = [];
  const seen = new Map<string, Row>();
  let cursor = '0';
  let sort: Record<string, string> = { sort: 'updatedAtAsc', limit: '7' };
  const last = `2026-11-20T09:19:00.000Z`;
  const isDone = () => delivered && ids.every((id) => seen.get(id)?.lastUpdateDateTime === last);
  await eventually('the last state of every alert is stored', 60_000, async () => {
    // Below the rate limit of a key: a slow machine needs more polls than a minute allows.
    await sleep(150);
    const { status, body, text } = await caller.get('/security-alerts', { cursor, ...sort });
    expect(status, text).toBe(200);
    for (const row of body.data as Row[]) {
      served.push(row);
      seen.set(row.id, row);
    }
    cursor = body.pagination.resumeCursor;
    sort = {};
    return isDone();
  });
  await delivery;
  for (const states of Map.groupBy(served, ({ id }) => id).values())
    for (const [index, row] of states.entries()) {
      const before = states[index - 1];
      if (before === undefined) continue;
      expect(row.version).toBeGreaterThan(before.version);
      expect(row.updatedAt > before.updatedAt).toBe(true);
    }
  expect([...seen.keys()].sort()).toEqual([...ids].sort());
  expect(new Set((await rows(caller)).map(({ id, version }) => `${id}:${version}`))).toEqual(
    new Set([...seen.values()].map(({ changeId }) => changeId)),
  );
  expect((await caller.get('/logs', { limit: '1000' })).body.data.length).toBeLessThanOrEqual(events.length);
});

test('a poll never repeats a row whose time is that of the watermark, whatever its id', async () => {
  const { id: tenantId, caller } = await reader();
  let cursor = (await caller.get('/security-alerts', { sort: 'updatedAtAsc' })).body.pagination.resumeCursor;
  const served: string[] = [];
  const poll = async () => {
    const { status, body, text } = await caller.get('/security-alerts', { cursor });
    expect(status, text).toBe(200);
    cursor = body.pagination.resumeCursor;
    const rows = body.data as Row[];
    served.push(...rows.map(({ changeId }) => changeId));
    return rows.some(({ updatedAt }) => updatedAt === body.pagination.completeThrough);
  };
  // Ids are compared as bytes: the two lie before and after all hexadecimal digits.
  for (let round = 0, met = 0; met < 3; round += 1) {
    expect(round, 'rounds until the watermark equaled the time of a row three times').toBeLessThan(200);
    const expected = served.length + 2;
    await publish(...['~', '!'].map((first) => alertMessage(tenantId, graphAlert({ id: `${first}-${round}` }))));
    let isAtWatermark = false;
    await eventually('both alerts are served', 20_000, async () => {
      isAtWatermark = (await poll()) || isAtWatermark;
      return served.length >= expected;
    });
    await poll();
    expect(served.length).toBe(expected);
    if (isAtWatermark) met += 1;
  }
  expect(new Set(served).size).toBe(served.length);
});

test('an alert of another tenant is not found, and a key without the scope reads no alerts', async () => {
  const [owner, stranger, unscoped] = [await reader(), await reader(), await reader(['logs:read'])];
  await publish(alertMessage(owner.id, graphAlert({ id: 'mine' })));
  await waitForRows(owner.caller, 1);
  expect((await owner.caller.get('/security-alerts/mine')).status).toBe(200);
  const requestId = { 'X-Request-Id': 'same' };
  const foreign = await stranger.caller.get('/security-alerts/mine', {}, requestId);
  const unknown = await stranger.caller.get('/security-alerts/unknown', {}, requestId);
  expect(foreign).toMatchObject({ status: 404, code: 'NOT_FOUND' });
  expect(foreign.text).toBe(unknown.text);
  expect(await rows(stranger.caller)).toEqual([]);
  for (const path of ['/security-alerts', '/security-alerts/mine']) {
    expect(await unscoped.caller.get(path)).toMatchObject({ status: 403, code: 'INSUFFICIENT_SCOPE' });
  }
});

test('an invalid alert becomes a dead letter with its reason, and a superseded state becomes neither row nor dead letter', async () => {
  const { id: tenantId, caller } = await reader();
  const same = (note: string) => graphAlert({ id: 'twice', note });
  await publish(
    alertMessage(tenantId, same('one')),
    alertMessage(tenantId, same('other')),
    alertMessage(tenantId, graphAlert({ id: 'twice', lastUpdateDateTime: '2026-11-20T08:00:00Z' })),
    alertMessage(tenantId, [graphAlert({ id: null }), graphAlert({ id: 'beside' })]),
    alertMessage(tenantId, graphAlert({ tenantId: randomUUID() })),
    alertMessage(tenantId, { alertId: 'x' }, 'okta.system-log'),
    { ...alertMessage(tenantId, graphAlert({ id: 'keyed' })), key: `${tenantId}/alert/another` },
  );
  await waitForRows(caller, 2);
  const deadLettersOf = async () =>
    (await installation.admin.deadLetters.list({ limit: 100, tenantId })).found.map(({ reason }) => reason).sort();
  const reasons = ['KEY_MISMATCH', 'SCHEMA_VIOLATION', 'TENANT_MISMATCH', 'UNKNOWN_TYPE'];
  await eventually(
    'the dead letters are stored',
    20_000,
    async () => (await deadLettersOf()).length === reasons.length,
  );
  expect(await deadLettersOf()).toEqual(reasons);
  expect((await rows(caller)).map(({ id }) => id).sort()).toEqual(['beside', 'twice']);
});
