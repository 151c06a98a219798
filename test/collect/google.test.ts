import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../installation/eventually.ts';
import { startCollecting } from './collect-process.ts';
import { type CollectorFixture, startCollectorFixture, type TestCollector } from './collector-fixture.ts';
import { type GoogleFault, type GoogleServer, startGoogleServer } from './google-server.ts';

const hourMs = 3_600_000;
const stack = new AsyncDisposableStack();
let fixture: CollectorFixture;

beforeAll(async () => {
  fixture = stack.use(await startCollectorFixture());
  stack.use(await startCollecting(fixture.installation.environment));
});
afterAll(() => stack.disposeAsync());

function collectFrom(
  { url, keyFile, subject }: GoogleServer,
  streams: readonly string[],
  ...options: string[]
): Promise<TestCollector> {
  return fixture.createCollector('google', keyFile, [
    ...['--url', url, '--login-url', url, '--subject', subject, '--stream', ...streams, ...options],
  ]);
}

/** A synthetic event of the application `login`; all are different. */
function activity(number: number, atMs: number, application = 'login') {
  return {
    kind: 'admin#reports#activity',
    id: {
      time: new Date(atMs).toISOString(),
      uniqueQualifier: String(Math.floor(Math.random() * 2 ** 52)),
      applicationName: application,
      customerId: 'C03az79cb',
    },
    etag: `"${randomUUID()}"`,
    actor: { email: `person${number % 7}@example.com`, profileId: `10000000000000000000${number % 7}` },
    ipAddress: `203.0.113.${number % 250}`,
    events: [{ type: 'login', name: 'login_success', parameters: [{ name: 'login_type', value: 'google_password' }] }],
  };
}

function addActivities(server: GoogleServer, count: number, newestMs: number, stepMs: number, application = 'login') {
  const added = Array.from({ length: count }, (_, index) => activity(index, newestMs - index * stepMs, application));
  for (const each of added) server.addActivity(application, each);
  return added;
}

async function readIds({ tenantId }: TestCollector): Promise<string[]> {
  const rows = await fixture.inspector.rows(tenantId);
  return rows.map(({ document }) => String(document.externalEventId)).toSorted();
}

async function expectActivities(collector: TestCollector, activities: readonly ReturnType<typeof activity>[]) {
  const { tenantId } = collector;
  await eventually(`${activities.length} rows`, 40_000, async () => {
    return (await fixture.inspector.rowCount(tenantId)) >= activities.length;
  });
  const found = await readIds(collector);
  expect(found).toHaveLength(activities.length);
  for (const { id } of activities) expect(found.some((each) => each.includes(id.uniqueQualifier))).toBe(true);
}

const lastHours = (hours: number) => ['--from', new Date(Date.now() - hours * hourMs).toISOString()];

test('events of several applications and pages become rows of /logs once', async () => {
  await using server = await startGoogleServer({ pageMax: 7 });
  const logins = addActivities(server, 40, Date.now() - 60_000, hourMs);
  const changes = addActivities(server, 10, Date.now() - 60_000, 1_000, 'drive');
  await using collected = await collectFrom(server, ['login', 'drive'], ...lastHours(72));
  await expectActivities(collected, [...logins, ...changes]);
  const more = addActivities(server, 5, Date.now(), 1_000);
  await expectActivities(collected, [...logins, ...changes, ...more]);
  await collected.waitForCompletion();
  expect(await collected.readStream('login')).toMatchObject({ records: 45, gaps: [], failure: null });
  expect(await collected.readStream('drive')).toMatchObject({ records: 10 });
});

test('events that are listed late are found by the overlap of runs, and later ones within a day', async () => {
  await using server = await startGoogleServer();
  const logins = addActivities(server, 5, Date.now() - 60_000, hourMs);
  await using collected = await collectFrom(server, ['login'], ...lastHours(72));
  await collected.waitForCompletion();
  const late = activity(100, Date.now() - 20 * 60_000);
  server.addActivity('login', late, 1_500);
  await expectActivities(collected, [...logins, late]);

  const later = activity(101, Date.now() - 60 * hourMs);
  server.addActivity('login', later);
  await collected.pause();
  await collected.editPosition('login', 'rereadMs.1', 0);
  await collected.resume();
  await expectActivities(collected, [...logins, late, later]);
  await collected.waitForCompletion();
  expect(await collected.readStream()).toMatchObject({ records: 7 });
});

test('a page token that has expired begins its window again', async () => {
  await using server = await startGoogleServer({ pageMax: 5 });
  const logins = addActivities(server, 30, Date.now() - hourMs, 1_000);
  await using collected = await collectFrom(server, ['login'], ...lastHours(3));
  server.fail([null, 'unavailable']);
  await eventually('the fault', 40_000, () => server.pendingFaults() === 0);
  server.expirePageTokens();
  await expectActivities(collected, logins);
  await collected.waitForCompletion();
});

test('alerts of the Alert Center are collected, and a changed one is found when they are listed again', async () => {
  await using server = await startGoogleServer({ pageMax: 2 });
  const alerts = Array.from({ length: 5 }, (_, index) => ({
    alertId: randomUUID(),
    createTime: new Date(Date.now() - (index * 24 + 48) * hourMs).toISOString(),
    type: 'User reported phishing',
    source: 'Gmail phishing',
    data: { '@type': 'type.googleapis.com/google.apps.alertcenter.type.MailPhishing' },
    metadata: { status: 'NOT_STARTED', severity: 'HIGH' },
    etag: 'a',
  }));
  for (const alert of alerts) server.putAlert(alert);
  await using collected = await collectFrom(server, ['alerts']);
  const readAlerts = async () => {
    const { rows } = await fixture.inspector.client.query<{ id: string; status: string }>(
      'select id, status from models.security_alert where tenant_id = $1',
      [collected.tenantId],
    );
    return rows;
  };
  await eventually('the alerts', 40_000, async () => (await readAlerts()).length === alerts.length);
  expect((await readAlerts()).map(({ id }) => id).toSorted()).toEqual(alerts.map(({ alertId }) => alertId).toSorted());
  await collected.waitForCompletion();
  const [changed] = alerts as [(typeof alerts)[number]];
  server.putAlert({
    ...changed,
    updateTime: new Date().toISOString(),
    metadata: { status: 'CLOSED', severity: 'HIGH', updateTime: new Date().toISOString() },
    etag: 'b',
  });
  await collected.pause();
  await collected.editPosition('alerts', 'rereadMs.0', 0);
  await collected.resume();
  await eventually('the change', 40_000, async () => {
    return (await readAlerts()).some(({ id, status }) => id === changed.alertId && status === 'resolved');
  });
  expect((await collected.readStream())?.records).toBe(6);
});

test.each<GoogleFault>(['throttled', 'quota', 'unavailable', 'truncated', 'tokenExpired', 'errorBody'])(
  'after a response that is %s the run is repeated, and nothing is missing',
  async (fault) => {
    await using server = await startGoogleServer({ pageMax: 5 });
    const logins = addActivities(server, 20, Date.now() - hourMs, 1_000);
    await using collected = await collectFrom(server, ['login'], ...lastHours(3));
    server.fail([fault, null, fault]);
    await expectActivities(collected, logins);
    await collected.waitForCompletion();
    expect(server.pendingFaults()).toBe(0);
    expect(await collected.readStream()).toMatchObject({ records: 20, failure: null });
  },
);

test('a missing delegation, and a wrong key file, are reported without the key', async () => {
  await using server = await startGoogleServer();
  await using collected = await collectFrom({ ...server, subject: 'other@example.com' }, ['login']);
  const waitForFailure = (message: string) =>
    eventually(message, 40_000, async () => {
      await fixture.inspector.client.query(
        'update control.collector_stream set due_at = now() where collector_id = $1',
        [collected.collectorId],
      );
      return (await collected.readStream())?.failure?.includes(message) ?? false;
    });
  await waitForFailure('Client is unauthorized to retrieve access tokens');
  await writeFile(collected.secretFile, 'no-key-file');
  await waitForFailure('is not the JSON key of a Google service account');
  await writeFile(collected.secretFile, JSON.stringify({ ...JSON.parse(server.keyFile), private_key: 'no-key' }));
  await waitForFailure('contains no private RSA key');
  expect((await collected.readStream())?.failure).not.toContain('no-key');
});

test('a collector without an administrator, or with options of another provider, is refused', async () => {
  const { id } = await fixture.installation.createTenant();
  const create = (...options: string[]) =>
    fixture.installation.cli(
      'collector',
      'create',
      'google',
      '--tenant',
      id,
      '--secret-file',
      '/run/secrets/g',
      ...options,
    );
  await expect(create()).rejects.toThrow('--subject is missing');
  await expect(create('--subject', 'nobody')).rejects.toThrow('--subject must be an e-mail address');
  await expect(create('--subject', 'a@example.com', '--client-id', id)).rejects.toThrow(
    'Google Workspace has no --client-id',
  );
});
