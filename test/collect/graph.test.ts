import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { entities, scopes } from '@tenantscope/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { graphAlert } from '../installation/alert-messages.ts';
import { type ApiClient, createApiClient } from '../installation/api-client.ts';
import { eventually } from '../installation/eventually.ts';
import { startCollecting } from './collect-process.ts';
import { type CollectorFixture, startCollectorFixture, type TestCollector } from './collector-fixture.ts';
import { graphAudit, graphSignIn, graphUser } from './graph-records.ts';
import { type GraphFault, type GraphServer, startGraphServer } from './graph-server.ts';

const hourMs = 3_600_000;
const stack = new AsyncDisposableStack();
let fixture: CollectorFixture;
let baseUrl: string;

beforeAll(async () => {
  fixture = stack.use(await startCollectorFixture());
  baseUrl = (await fixture.installation.startApi()).baseUrl;
  stack.use(await startCollecting(fixture.installation.environment));
});
afterAll(() => stack.disposeAsync());

interface GraphCollector extends TestCollector {
  readonly api: ApiClient;
}

async function collectFrom(
  { url, login }: GraphServer,
  streams: readonly string[],
  ...options: string[]
): Promise<GraphCollector> {
  const collector = await fixture.createCollector('graph', login.clientSecret, [
    ...['--url', url, '--login-url', url, '--directory-id', login.directoryId, '--client-id', login.clientId],
    ...['--stream', ...streams, ...options],
  ]);
  const owner = { tenantId: collector.tenantId };
  const { secret } = await fixture.installation.admin.keys.create({
    name: 'all',
    scopes: [...scopes],
    owner,
    expiresAt: null,
  });
  return Object.assign(collector, { api: createApiClient(baseUrl, secret) });
}

type Row = Record<string, unknown> & { readonly id: string };

async function listRows({ api }: GraphCollector, path: string): Promise<Row[]> {
  // Within the rate limit of the key.
  await sleep(200);
  const { body } = await api.get(path, { limit: '1000' });
  return body.data as Row[];
}

async function expectIds(collector: GraphCollector, path: string, ids: Iterable<string>): Promise<void> {
  const expected = [...ids].toSorted();
  const read = async () => (await listRows(collector, path)).map(({ id }) => id).toSorted();
  await eventually(`${expected.length} rows of ${path}`, 40_000, async () => {
    const found = await read();
    return found.length === expected.length && found.every((id, index) => id === expected[index]);
  }).catch(async () => expect(await read()).toEqual(expected));
}

/** A self-signed certificate and its key, in PEM. */
async function createCertificate(): Promise<{ key: string; certificate: string }> {
  const directory = await mkdtemp(join(tmpdir(), 'tenantscope-certificate-'));
  try {
    const [keyFile, certificateFile] = [join(directory, 'key.pem'), join(directory, 'certificate.pem')];
    const files = ['-keyout', keyFile, '-out', certificateFile];
    await promisify(execFile)('openssl', [
      'req',
      '-x509',
      '-newkey',
      'rsa:2048',
      '-nodes',
      '-subj',
      '/CN=collector',
      ...files,
    ]);
    return { key: await readFile(keyFile, 'utf8'), certificate: await readFile(certificateFile, 'utf8') };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

const alertAt = (createdMs: number, updatedMs: number, more: Record<string, unknown> = {}) =>
  graphAlert({
    createdDateTime: new Date(createdMs).toISOString(),
    lastUpdateDateTime: new Date(updatedMs).toISOString(),
    ...more,
  });

test('alerts of several pages are collected, and each update of one changes its row', async () => {
  await using server = await startGraphServer({ pageMax: 10 });
  const alerts = Array.from({ length: 35 }, (_, index) =>
    alertAt(Date.now() - index * 20 * hourMs, Date.now() - index * 20 * hourMs),
  );
  for (const alert of alerts) server.alerts.put(alert);
  await using collected = await collectFrom(server, ['alerts']);
  await expectIds(
    collected,
    '/security-alerts',
    alerts.map(({ id }) => String(id)),
  );
  const [first, old] = [alerts[0], alerts[30]] as [Row, Row];
  server.alerts.put({ ...old, status: 'resolved', lastUpdateDateTime: new Date().toISOString() });
  await eventually('the update', 40_000, async () => {
    const { body } = await collected.api.get(`/security-alerts/${old.id}`);
    return body.data?.status === 'resolved';
  });
  await collected.waitForCompletion();
  // Repeated listings of the same states publish nothing.
  expect(await collected.readStream()).toMatchObject({ records: 36, gaps: [], failure: null });
  expect((await collected.api.get(`/security-alerts/${first.id}`)).body.data.status).toBe('new');
});

test('alerts that are updated while pages are read are not missing', async () => {
  await using server = await startGraphServer({ pageMax: 5, rateLimit: { requests: 2, windowMs: 1_000 } });
  const alerts = Array.from({ length: 40 }, (_, index) =>
    alertAt(Date.now() - index * hourMs, Date.now() - index * hourMs),
  );
  for (const alert of alerts) server.alerts.put(alert);
  await using collected = await collectFrom(server, ['alerts']);
  await eventually('some pages', 40_000, async () => ((await collected.readStream())?.records ?? 0) > 0);
  for (const index of [0, 1, 2, 37, 38, 39])
    server.alerts.put({
      ...(alerts[index] as Row),
      status: 'inProgress',
      lastUpdateDateTime: new Date().toISOString(),
    });
  await expectIds(
    collected,
    '/security-alerts',
    alerts.map(({ id }) => String(id)),
  );
  await eventually('the updates', 40_000, async () => {
    const rows = await listRows(collected, '/security-alerts');
    return rows.filter(({ status }) => status === 'inProgress').length === 6;
  });
  expect(server.earlyRequestCount()).toBe(0);
});

test('incidents are rows of their own', async () => {
  await using server = await startGraphServer();
  const at = new Date().toISOString();
  server.incidents.put({
    id: '28282',
    displayName: 'Multi-stage incident',
    severity: 'high',
    status: 'active',
    createdDateTime: at,
    lastUpdateDateTime: at,
  });
  await using collected = await collectFrom(server, ['incidents']);
  await expectIds(collected, '/security-alerts', ['28282']);
  expect(await listRows(collected, '/security-alerts')).toMatchObject([
    { title: 'Multi-stage incident', category: 'incident' },
  ]);
});

test('sign-ins and directory audits of thirty days are collected once, late ones included', async () => {
  await using server = await startGraphServer({ pageMax: 7 });
  const signIns = Array.from({ length: 40 }, (_, index) =>
    graphSignIn(index, Date.now() - 60_000 - index * 16 * hourMs),
  );
  const audits = Array.from({ length: 40 }, (_, index) => graphAudit(index, Date.now() - 60_000 - index * hourMs));
  for (const record of signIns) server.signIns.put(record);
  for (const record of audits) server.audits.put(record);
  await using collected = await collectFrom(server, ['sign-ins', 'directory-audits']);
  const ids = [...signIns, ...audits].map(({ id }) => String(id));
  await collected.expectRows(ids);
  await collected.waitForCompletion();

  const late = graphSignIn(100, Date.now() - 20 * 60_000);
  server.signIns.put(late, 1_500);
  await collected.expectRows([...ids, String(late.id)]);
  // Later than the overlap: the next listing of two days finds it.
  const later = graphAudit(100, Date.now() - 40 * hourMs);
  await collected.waitForCompletion();
  server.audits.put(later);
  await collected.pause();
  await collected.editPosition('directory-audits', 'rereadMs.1', 0);
  await collected.resume();
  await collected.expectRows([...ids, String(late.id), String(later.id)]);
  await collected.waitForCompletion();
  expect((await collected.readStream('sign-ins'))?.records).toBe(41);
  expect((await collected.readStream('directory-audits'))?.records).toBe(41);
});

test('sign-ins whose page is too large are collected in smaller pages', async () => {
  await using server = await startGraphServer({ pageMax: 1_000 });
  const text = 'x'.repeat(400_000);
  const signIns: Record<string, unknown>[] = Array.from({ length: 100 }, (_, index) => ({
    ...graphSignIn(index, Date.now() - hourMs - index * 1_000),
    appliedConditionalAccessPolicies: [{ displayName: text }],
  }));
  for (const record of signIns) server.signIns.put(record);
  const from = new Date(Date.now() - 2 * hourMs).toISOString();
  await using collected = await collectFrom(server, ['sign-ins'], '--from', from);
  await collected.expectRows(signIns.map(({ id }) => String(id)));
  await collected.waitForCompletion();
  expect(await collected.readStream()).toMatchObject({ records: 100, gaps: [], failure: null });
});

test('a link to a next page that has expired begins its window again', async () => {
  await using server = await startGraphServer({ pageMax: 5 });
  const audits = Array.from({ length: 30 }, (_, index) => graphAudit(index, Date.now() - hourMs - index * 1_000));
  for (const record of audits) server.audits.put(record);
  // The first page of the window with records, then a failure, after which the link is followed.
  await using collected = await collectFrom(
    server,
    ['directory-audits'],
    '--from',
    new Date(Date.now() - 2 * hourMs).toISOString(),
  );
  server.fail([null, 'unavailable']);
  await eventually('the fault', 40_000, () => server.pendingFaults() === 0);
  server.audits.expireLinks();
  await collected.expectRows(audits.map(({ id }) => String(id)));
  await collected.waitForCompletion();
});

test('without a licence for sign-ins the source is not licensed, with the reason, and the other streams are collected', async () => {
  await using server = await startGraphServer();
  server.setLicensed(false);
  const audit = graphAudit(1, Date.now() - 60_000);
  server.audits.put(audit);
  await using collected = await collectFrom(server, ['sign-ins', 'directory-audits']);
  await collected.expectRows([String(audit.id)]);
  const readStatus = async (source: string) => {
    const { rows } = await fixture.inspector.client.query<{ facts: Record<string, unknown> }>(
      `select facts from models.compliance_record where tenant_id = $1 and kind = 'sourceStatus' and facts ->> 'source' = $2`,
      [collected.tenantId, source],
    );
    return rows[0]?.facts;
  };
  // With the second failure: a refusal is a gap when it repeats.
  await eventually('the reason', 40_000, async () => {
    const { licensed, gaps = [] } = ((await readStatus('logs/SignInLogs')) ?? {}) as {
      licensed?: unknown;
      gaps?: unknown[];
    };
    return licensed === false && gaps.length > 0;
  });
  const reason = "status 403: Neither tenant is B2C or tenant doesn't have premium license";
  expect(await readStatus('logs/SignInLogs')).toMatchObject({
    licensed: false,
    lastCompleteImportAt: null,
    gaps: [{ reason: expect.stringContaining(reason) }],
  });
  expect((await collected.readStream('sign-ins'))?.failure).toContain(reason);
  expect((await readStatus('logs/AuditLogs'))?.licensed ?? null).toBeNull();

  server.setLicensed(true);
  const signIn = graphSignIn(1, Date.now() - 60_000);
  server.signIns.put(signIn);
  await collected.pause();
  await collected.resume();
  await fixture.inspector.client.query('update control.collector_stream set due_at = now() where collector_id = $1', [
    collected.collectorId,
  ]);
  await collected.expectRows([String(audit.id), String(signIn.id)]);
  await eventually(
    'a licensed source',
    40_000,
    async () => ((await readStatus('logs/SignInLogs'))?.licensed ?? null) === null,
  );
});

test('directory objects are enumerated once, then changed and removed by deltas', async () => {
  await using server = await startGraphServer({ pageMax: 10 });
  const users = Array.from({ length: 25 }, (_, index) => graphUser(index));
  for (const user of users) server.users.put(user);
  server.groups.put({ id: randomUUID(), displayName: 'Sales', groupTypes: ['Unified'], mailEnabled: true });
  const deviceId = randomUUID();
  server.devices.put({ id: randomUUID(), deviceId, displayName: 'Laptop', operatingSystem: 'Windows' });
  server.servicePrincipals.put({
    id: randomUUID(),
    appId: randomUUID(),
    displayName: 'Wiki',
    servicePrincipalType: 'Application',
  });
  await using collected = await collectFrom(server, ['users', 'groups', 'devices', 'service-principals']);
  await expectIds(
    collected,
    entities.user.list.path,
    users.map(({ id }) => id),
  );
  await expectIds(collected, entities.device.list.path, [deviceId]);
  for (const { path } of [entities.group.list, entities.app.list])
    await eventually(`one row of ${path}`, 40_000, async () => (await listRows(collected, path)).length === 1);
  await collected.waitForCompletion();
  expect((await collected.readStream('users'))?.records).toBe(25);

  const [changed, removed, ...others] = users as [Row, Row, ...Row[]];
  // Twice in one page: the last counts.
  server.users.put({ ...changed, department: 'Finance', accountEnabled: false });
  server.users.put({ ...changed, department: 'Legal', accountEnabled: false });
  server.users.remove(removed.id);
  await expectIds(collected, entities.user.list.path, [changed.id, ...others.map(({ id }) => id)]);
  await eventually('the change', 40_000, async () => {
    const { body } = await collected.api.get(`${entities.user.list.path}/${changed.id}`);
    return body.data?.department === 'Legal' && body.data?.accountEnabled === false;
  });
  await collected.waitForCompletion();
  expect((await collected.readStream('users'))?.records).toBe(27);
});

test('after 410 all objects are enumerated again, and the time without deltas is a gap', async () => {
  await using server = await startGraphServer({ pageMax: 10 });
  const users = Array.from({ length: 15 }, (_, index) => graphUser(index));
  for (const user of users) server.users.put(user);
  await using collected = await collectFrom(server, ['users']);
  await collected.waitForCompletion();
  server.users.reset();
  const added = graphUser(100);
  server.users.put(added);
  await expectIds(
    collected,
    entities.user.list.path,
    [...users, added].map(({ id }) => id),
  );
  await collected.waitForCompletion();
  const { records, gaps } = (await collected.readStream('users')) ?? {};
  expect(records).toBe(31);
  expect(gaps).toMatchObject([{ reason: expect.stringContaining('deleted then are not reported') }]);
});

test.each<GraphFault>(['throttled', 'unavailable', 'truncated', 'tokenExpired', 'foreignLink'])(
  'after a response that is %s the run is repeated, and nothing is missing',
  async (fault) => {
    await using server = await startGraphServer({ pageMax: 5 });
    const users = Array.from({ length: 20 }, (_, index) => graphUser(index));
    for (const user of users) server.users.put(user);
    server.fail([null, fault, null, fault]);
    await using collected = await collectFrom(server, ['users']);
    await expectIds(
      collected,
      entities.user.list.path,
      users.map(({ id }) => id),
    );
    await collected.waitForCompletion();
    expect(server.pendingFaults()).toBe(0);
    expect(server.earlyRequestCount()).toBe(0);
    // The pages before a fault were stored: they are not requested again.
    expect(await collected.readStream()).toMatchObject({ records: 20, failure: null });
  },
);

test.each<GraphFault>(['errorBody', 'withoutList', 'partial'])(
  'after a response that is %s its window is listed again, and no record is missing',
  async (fault) => {
    await using server = await startGraphServer();
    // Older than what each run lists again.
    const audits = Array.from({ length: 5 }, (_, index) => graphAudit(index, Date.now() - 2 * hourMs - index * 1_000));
    for (const record of audits) server.audits.put(record);
    server.fail([fault]);
    const from = new Date(Date.now() - 3 * hourMs).toISOString();
    await using collected = await collectFrom(server, ['directory-audits'], '--from', from);
    await collected.expectRows(audits.map(({ id }) => String(id)));
    await collected.waitForCompletion();
    expect(await collected.readStream()).toMatchObject({ records: 5, gaps: [], failure: null });
  },
);

test('an application signs in with a certificate, and a key without it is reported', async () => {
  await using server = await startGraphServer();
  const user = graphUser(1);
  server.users.put(user);
  await using collected = await collectFrom(server, ['users']);
  await collected.pause();
  const { key, certificate } = await createCertificate();
  server.login.addCertificate(certificate);
  await writeFile(collected.secretFile, key);
  await collected.resume();
  await eventually('a failure', 40_000, async () =>
    ((await collected.readStream())?.failure ?? '').includes('a private key without its certificate'),
  );
  await writeFile(collected.secretFile, `${key}${certificate}`);
  server.login.expireTokens();
  const added = graphUser(2);
  server.users.put(added);
  await expectIds(collected, entities.user.list.path, [user.id, added.id]);
});

test('a wrong client secret is reported without its text', async () => {
  await using server = await startGraphServer();
  await using collected = await collectFrom(server, ['users']);
  await writeFile(collected.secretFile, 'wrong-secret');
  await eventually('a failure', 40_000, async () => ((await collected.readStream())?.failures ?? 0) > 0);
  const { failure } = (await collected.readStream()) ?? {};
  expect(failure).toContain('AADSTS7000215');
  expect(failure).not.toContain('wrong-secret');
});
