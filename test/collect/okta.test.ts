import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import kafkajs from 'kafkajs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readTopic } from '../cli/command-line.ts';
import { connectBroker } from '../installation/broker.ts';
import { type DatabaseInspector, openDatabaseInspector } from '../installation/database-inspector.ts';
import { eventually } from '../installation/eventually.ts';
import { type Installation, startInstallation } from '../installation/installation.ts';
import { type CollectProcess, startCollecting } from './collect-process.ts';
import { readStream } from './collector-list.ts';
import { type OktaEvent, oktaEvent, oktaEvents } from './okta-event.ts';
import { type Fault, type OktaServer, startOktaServer } from './okta-server.ts';

const minuteMs = 60_000;
const stack = new AsyncDisposableStack();
let installation: Installation;
let inspector: DatabaseInspector;
let collect: CollectProcess;
let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tenantscope-collect-'));
  stack.defer(() => rm(directory, { recursive: true, force: true }));
  installation = stack.use(await startInstallation());
  inspector = stack.use(await openDatabaseInspector(installation.database.superuser));
  await installation.startIngest();
  collect = stack.use(await startCollecting(installation.environment));
});
afterAll(() => stack.disposeAsync());

/** Disposing removes the collector, so that it does not request a server that has ended. */
interface Collected extends AsyncDisposable {
  readonly server: OktaServer;
  readonly tenantId: string;
  readonly secret: string;
  readonly collectorId: string;
  readonly secretFile: string;
}

/** A tenant with a collector of a server, as an operator creates it. */
async function collectFrom(server: OktaServer, ...options: string[]): Promise<Collected> {
  const { id: tenantId, secret } = await installation.createTenant();
  const secretFile = join(directory, `token-${tenantId}`);
  await writeFile(secretFile, `${server.token}\n`, { mode: 0o600 });
  const { id: collectorId } = await installation.cli<{ id: string }>(
    ...['collector', 'create', 'okta', '--tenant', tenantId, '--url', server.url],
    ...['--secret-file', secretFile, '--interval', '1', ...options],
  );
  return {
    server,
    tenantId,
    secret,
    collectorId,
    secretFile,
    [Symbol.asyncDispose]: async () => void (await installation.admin.collectors.setState(collectorId, 'removed')),
  };
}

async function rowIds(tenantId: string): Promise<string[]> {
  return (await inspector.rows(tenantId)).map(({ document }) => String(document.externalEventId)).toSorted();
}

async function expectRows(tenantId: string, events: readonly OktaEvent[]): Promise<void> {
  await eventually(`${events.length} rows`, 30_000, async () => (await inspector.rowCount(tenantId)) >= events.length);
  expect(await rowIds(tenantId)).toEqual(events.map(({ uuid }) => uuid).toSorted());
}

const stream = ({ collectorId }: Collected) => readStream(installation, collectorId);

async function readPosition(collectorId: string): Promise<unknown> {
  const { rows } = await inspector.client.query(
    'select position from control.collector_stream where collector_id = $1',
    [collectorId],
  );
  return rows[0].position;
}

async function waitForCompletion(collected: Collected, after = 0): Promise<void> {
  await eventually('a complete run', 20_000, async () => {
    const { completedAt, failures } = (await stream(collected)) ?? {};
    return failures === 0 && completedAt != null && Date.parse(completedAt) > after;
  });
}

test('events of several pages become rows of /logs, and what arrives later follows', async () => {
  await using server = await startOktaServer({ repeats: 3 });
  const events = oktaEvents(2_500, Date.now() - minuteMs);
  server.append(events);
  await using collected = await collectFrom(server);
  await expectRows(collected.tenantId, events);

  const late = oktaEvent(1, Date.now() - 3 * 86_400_000);
  const more = [...oktaEvents(3, Date.now()), late];
  server.append(more);
  await expectRows(collected.tenantId, [...events, ...more]);

  const api = await installation.startApi();
  const response = await fetch(`${api.baseUrl}/logs?limit=1000`, {
    headers: { authorization: `Bearer ${collected.secret}` },
  });
  const { data } = (await response.json()) as { data: { workload: string; tenantId: string }[] };
  expect(data).toHaveLength(1_000);
  expect(data[0]).toMatchObject({ workload: 'Okta', sourceType: 'okta', tenantId: collected.tenantId });

  await waitForCompletion(collected);
  expect(await stream(collected)).toMatchObject({ failure: null, gaps: [] });
  expect((await inspector.deadLetters()).filter(({ tenantId }) => tenantId === collected.tenantId)).toEqual([]);
});

test('a cursor that has expired is replaced by a request by time that loses nothing', async () => {
  await using server = await startOktaServer();
  const events = oktaEvents(1_200, Date.now() - minuteMs);
  server.append(events);
  await using collected = await collectFrom(server);
  await expectRows(collected.tenantId, events);
  server.expireCursors();
  const more = oktaEvents(5, Date.now());
  server.append(more);
  await expectRows(collected.tenantId, [...events, ...more]);
  await waitForCompletion(collected);
});

test.each<Fault>([
  'unavailable',
  'rateLimited',
  'truncated',
  'incompleteJson',
  'hung',
  'redirect',
  'foreignLink',
  'bomb',
])('after a response that is %s the run is repeated and every event is collected once', async (fault) => {
  await using server = await startOktaServer({ pageMax: 100 });
  const events = oktaEvents(250, Date.now() - minuteMs);
  server.append(events);
  server.fail([null, fault, fault]);
  await using collected = await collectFrom(server);
  await expectRows(collected.tenantId, events);
  await waitForCompletion(collected);
  expect(server.pendingFaults()).toBe(0);
  // The page before the fault was stored: it is not requested again.
  expect(await stream(collected)).toMatchObject({ records: events.length, failures: 0, failure: null });
});

test('while Kafka refuses records the position does not move, and afterwards no event is missing', async () => {
  await using broker = await connectBroker(installation.environment.TENANTSCOPE_KAFKA_BROKERS ?? '');
  const acceptBatchesUpTo = (bytes: number) =>
    broker.admin.alterConfigs({
      validateOnly: false,
      resources: [
        {
          type: kafkajs.ConfigResourceTypes.TOPIC,
          name: installation.activityTopic,
          configEntries: [{ name: 'max.message.bytes', value: String(bytes) }],
        },
      ],
    });
  await using server = await startOktaServer({ pageMax: 50 });
  const events = oktaEvents(200, Date.now() - minuteMs);
  server.append(events);
  await acceptBatchesUpTo(1);
  await using collected = await collectFrom(server);
  try {
    await eventually('a run fails', 40_000, async () => ((await stream(collected))?.failures ?? 0) > 0);
    expect(await stream(collected)).toMatchObject({ records: 0, completedAt: null });
    expect(await readPosition(collected.collectorId)).toBeNull();
  } finally {
    await acceptBatchesUpTo(1_048_588);
  }
  await expectRows(collected.tenantId, events);
});

test('events that Okta no longer has after a long interruption are a gap', async () => {
  await using server = await startOktaServer();
  const events = oktaEvents(10, Date.now() - minuteMs);
  server.append(events);
  await using collected = await collectFrom(server);
  await expectRows(collected.tenantId, events);
  await waitForCompletion(collected);
  await installation.cli('collector', 'pause', collected.collectorId);
  await eventually('no run', 20_000, async () => (await stream(collected))?.isRunning === false);
  const dayMs = 24 * 60 * minuteMs;
  const newestMs = Date.now() - 100 * dayMs;
  await inspector.client.query(
    `update control.collector_stream
        set position = jsonb_set(position, '{newestMs}', to_jsonb($2::float8)), completed_at = to_timestamp($2::float8 / 1000)
      where collector_id = $1`,
    [collected.collectorId, newestMs],
  );
  server.expireCursors();
  const more = oktaEvents(3, Date.now());
  server.append(more);
  await installation.cli('collector', 'resume', collected.collectorId);
  await expectRows(collected.tenantId, [...events, ...more]);
  await eventually('a gap', 20_000, async () => ((await stream(collected))?.gaps.length ?? 0) > 0);
  const { gaps = [] } = (await stream(collected)) ?? {};
  expect(gaps).toMatchObject([{ from: new Date(newestMs).toISOString(), reason: expect.stringContaining('90 days') }]);
  const daysAgo = (Date.now() - Date.parse(gaps[0]?.to ?? '')) / dayMs;
  expect(daysAgo).toBeGreaterThan(89.9);
  expect(daysAgo).toBeLessThan(90);
});

test('an event of more than 1 MiB is a gap, and the others of its page are rows', async () => {
  await using server = await startOktaServer();
  const events = oktaEvents(5, Date.now() - minuteMs);
  // With its other members, the second is longer than 1 MiB, the third is not.
  const long = [1_200_000, 1_048_000, 1_030_000].map((bytes, index) =>
    oktaEvent(index, Date.now(), { debugContext: { debugData: { text: 'x'.repeat(bytes) } } }),
  );
  server.append([...events, ...long]);
  await using collected = await collectFrom(server);
  await waitForCompletion(collected);
  const { gaps, records } = (await stream(collected)) ?? {};
  expect(gaps).toHaveLength(2);
  expect(gaps?.[0]?.reason).toMatch(/^a record of 1200\d{3} bytes is longer than 1048576 bytes$/);
  expect(records).toBe(events.length + 1);
  await expectRows(collected.tenantId, [...events, long[2] as OktaEvent]);
});

test('no request is sent while the rate limit is used up', async () => {
  await using server = await startOktaServer({ pageMax: 20, rateLimit: { requests: 4, windowMs: 2_000 } });
  const events = oktaEvents(200, Date.now() - minuteMs);
  server.append(events);
  await using collected = await collectFrom(server);
  await expectRows(collected.tenantId, events);
  await waitForCompletion(collected);
  expect(server.earlyRequestCount()).toBe(0);
});

test('a refused token is reported as a failure, and a replaced one needs no restart', async () => {
  await using server = await startOktaServer();
  const events = oktaEvents(10, Date.now() - minuteMs);
  server.append(events);
  server.setToken('another-token');
  await using collected = await collectFrom(server);
  await eventually('a failure', 20_000, async () => ((await stream(collected))?.failures ?? 0) > 0);
  const { failure } = (await stream(collected)) ?? {};
  expect(failure).toContain('status 401: Invalid token provided; check the secret file');
  const listed = await installation.cli('collector', 'list', '--tenant', collected.tenantId);
  expect(JSON.stringify(listed)).not.toContain(server.token);

  await writeFile(collected.secretFile, 'another-token');
  await expectRows(collected.tenantId, events);
  await waitForCompletion(collected);
  expect(await stream(collected)).toMatchObject({ failures: 0, failure: null });
});

test.each(['jwk', 'pem'] as const)(
  'an API service integration with its private key as %s reads the log with access tokens',
  async (form) => {
    await using server = await startOktaServer({ pageMax: 5 });
    const events = oktaEvents(20, Date.now() - minuteMs);
    server.append(events);
    server.setToken('another-token');
    await using collected = await collectFrom(server, '--client-id', server.client.clientId);
    await eventually('a failure', 20_000, async () => ((await stream(collected))?.failures ?? 0) > 0);
    expect((await stream(collected))?.failure).toContain('contains no private RSA key');
    await writeFile(collected.secretFile, form === 'jwk' ? server.client.privateJwk : server.client.privatePem);
    await expectRows(collected.tenantId, events);
    await waitForCompletion(collected);

    server.client.expireTokens();
    const more = oktaEvents(5, Date.now());
    server.append(more);
    await expectRows(collected.tenantId, [...events, ...more]);
    expect(server.client.tokenCount()).toBeGreaterThan(1);
  },
);

test('an integration without the scope is reported with the reason of Okta', async () => {
  await using server = await startOktaServer();
  await using collected = await collectFrom(server, '--client-id', server.client.clientId);
  await writeFile(collected.secretFile, server.client.privateJwk);
  server.client.setScopes(['okta.users.read']);
  await eventually('a failure', 20_000, async () =>
    ((await stream(collected))?.failure ?? '').includes('One or more scopes are not granted'),
  );
});

test('a paused collector sends no request, a resumed one continues, and a removed one is reported as disabled', async () => {
  await using server = await startOktaServer();
  const events = oktaEvents(10, Date.now() - minuteMs);
  server.append(events);
  await using collected = await collectFrom(server);
  const readStatuses = async () => {
    const topic = `${installation.environment.TENANTSCOPE_TOPIC_PREFIX}.compliance.v1`;
    const messages = (await readTopic(topic)).filter(({ key }) => key?.includes(collected.collectorId));
    return messages.map(({ value }) => JSON.parse(String(value)) as Record<string, unknown>);
  };
  await waitForCompletion(collected);
  await installation.cli('collector', 'pause', collected.collectorId);
  await eventually('the pause is reported', 20_000, async () => (await readStatuses()).at(-1)?.enabled === false);
  const requests = server.requestCount();
  const more = oktaEvents(5, Date.now());
  server.append(more);
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  expect(server.requestCount()).toBe(requests);

  await installation.cli('collector', 'resume', collected.collectorId);
  await expectRows(collected.tenantId, [...events, ...more]);
  await installation.cli('collector', 'remove', collected.collectorId);
  await eventually('the removal is reported', 20_000, async () => {
    const statuses = await readStatuses();
    return statuses.length >= 4 && statuses.at(-1)?.enabled === false;
  });
  expect(await installation.cli('collector', 'list', '--tenant', collected.tenantId)).toEqual({ data: [] });
  const versions = (await readStatuses()).map(({ version }) => Number(version));
  expect(versions).toEqual(versions.toSorted((a, b) => a - b));
  expect(new Set(versions).size).toBe(versions.length);
});

test('the status of the source has the last complete import, and a gap while the collector is behind', async () => {
  await using server = await startOktaServer();
  server.append(oktaEvents(10, Date.now() - minuteMs));
  await using collected = await collectFrom(server);
  await waitForCompletion(collected);
  const readReported = async () => {
    const { rows } = await inspector.client.query<{ payload: Record<string, unknown> }>(
      `select facts as payload from models.compliance_record where tenant_id = $1 and kind = 'sourceStatus'`,
      [collected.tenantId],
    );
    return rows[0]?.payload as
      | { lastCompleteImportAt: string | null; gaps: { from: string; reason: string }[] }
      | undefined;
  };
  await eventually(
    'a reported import',
    20_000,
    async () => typeof (await readReported())?.lastCompleteImportAt === 'string',
  );
  expect((await readReported())?.gaps).toEqual([]);

  // As if no process had collected for an hour, and the provider is still unavailable.
  server.fail(['unavailable', 'unavailable', 'unavailable']);
  await inspector.client.query(
    `update control.collector_stream set completed_at = completed_at - interval '1 hour' where collector_id = $1`,
    [collected.collectorId],
  );
  const hourAgoMs = Date.now() - 60 * minuteMs;
  await eventually('a reported gap', 20_000, async () => (await readReported())?.gaps.length === 1);
  const [gap] = (await readReported())?.gaps ?? [];
  expect(Math.abs(Date.parse(gap?.from ?? '') - hourAgoMs)).toBeLessThan(minuteMs);
  await eventually('the end of the gap', 60_000, async () => (await readReported())?.gaps.length === 0);
});

test('a change of a collector is an event of the audit log that names the operator', async () => {
  await using server = await startOktaServer();
  await using collected = await collectFrom(server);
  await installation.cli('collector', 'pause', collected.collectorId);
  const { rows } = await inspector.client.query(
    `select action, actor like 'cli:%' as by_operator, after ->> 'state' as state from control.admin_event where subject_id = $1 order by number`,
    [collected.collectorId],
  );
  expect(rows).toEqual([
    { action: 'created', by_operator: true, state: 'active' },
    { action: 'changed', by_operator: true, state: 'paused' },
  ]);
});

test('no secret of a provider is in the log, the database or Kafka', async () => {
  await using server = await startOktaServer();
  const events = oktaEvents(3, Date.now() - minuteMs);
  server.append(events);
  await using collected = await collectFrom(server);
  await expectRows(collected.tenantId, events);
  expect(collect.output()).not.toContain(server.token);
  const { rows } = await inspector.client.query(
    `select c::text as text from control.collector c union all select s::text from control.collector_stream s`,
  );
  expect(JSON.stringify(rows)).not.toContain(server.token);
  const messages = (await readTopic(installation.activityTopic)).filter(({ key }) => key === collected.tenantId);
  expect(messages.length).toBeGreaterThanOrEqual(3);
  expect(messages.some(({ value, headers }) => `${value}${JSON.stringify(headers)}`.includes(server.token))).toBe(
    false,
  );
});

test.each([
  [['--url', 'http://okta.example.com'], 'https'],
  [['--url', 'https://user:secret@okta.example.com'], 'must not contain a user'],
  [['--url', 'https://okta.example.com/api'], 'without a path'],
  [['--url', 'https://okta.example.com', '--from', '2001-01-01'], '90 days'],
  [['--url', 'https://okta.example.com', '--from', 'yesterday'], 'RFC 3339'],
  [['--url', 'https://okta.example.com', '--interval', '0'], '--interval'],
  [['--url', 'https://okta.example.com', '--stream', 'users'], 'system-log'],
  [[], '--url is missing'],
])('the options %j of a collector are refused', async (options, message) => {
  const { id } = await installation.createTenant();
  const failed = installation.cli(
    'collector',
    'create',
    'okta',
    '--tenant',
    id,
    '--secret-file',
    '/run/secrets/okta',
    ...options,
  );
  await expect(failed).rejects.toThrow(message);
});
