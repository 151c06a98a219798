// @module-tag torture
import { findFreePort } from '@tenantscope/local';
import { generateSigningKey } from '@tenantscope/proof';
import { connectAdmin } from '@tenantscope/store/admin';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { run } from '../cli/command-line.ts';
import { type DatabaseInspector, openDatabaseInspector } from '../installation/database-inspector.ts';
import { eventually } from '../installation/eventually.ts';
import { startProcess } from '../installation/processes.ts';
import { compareFlow, startRecordFlow } from '../installation/record-flow.ts';
import { sleep } from './pollers.ts';
import { startSecuredStores } from './rotation.ts';
import { startUpgradePollers } from './upgrade-pollers.ts';

/** A file is read again after a second at most. */
const followedMs = 2_500;

const stack = new AsyncDisposableStack();
let stores: Awaited<ReturnType<typeof startSecuredStores>>;
let inspector: DatabaseInspector;
let baseUrl: string;
let tenantId: string;
const secrets: string[] = [];

beforeAll(async () => {
  stores = stack.use(await startSecuredStores());
  expect(await run(['migrate'], { environment: stores.environment('tenantscope-operator') })).toMatchObject({
    status: 0,
  });
  const { roles, superuser } = stores.database;
  inspector = stack.use(await openDatabaseInspector(superuser));
  await using admin = await connectAdmin({ models: roles.admin, control: roles.admin }, 'cli:test');
  tenantId = (await admin.tenants.create({ name: 'Larkspur', organizationId: null, azureTenantId: null })).id;
  for (let key = 0; key < 24; key++)
    secrets.push(
      (
        await admin.keys.create({
          name: `${key}`,
          scopes: ['logs:read', 'compliance:read'],
          owner: { tenantId },
          expiresAt: null,
        })
      ).secret,
    );
  const environment = stores.environment('tenantscope-ingest');
  const port = String(await findFreePort());
  baseUrl = `http://127.0.0.1:${port}/api/v1`;
  stack.use(await startProcess('ingest', environment));
  stack.use(await startProcess('api', { ...environment, TENANTSCOPE_PORT: port, TENANTSCOPE_PUBLIC_URL: baseUrl }));
}, 300_000);
afterAll(() => stack.disposeAsync(), 60_000);

const get = (path: string, secret = secrets[0]) =>
  fetch(`${baseUrl}${path}`, { headers: { authorization: `Bearer ${secret}` } });

/** A pool ends connections that were idle for 60 s. Requests more often than that would keep them in use. */
const idleMs = 65_000;

/** New connections of a login since an instant: requests at once make a pool open them, unless it has all of its connections. */
async function untilConnectedAgain(login: string, since: string): Promise<void> {
  await eventually(`${login} has new connections`, 4 * idleMs, async () => {
    await Promise.all(secrets.map((secret) => get('/logs?limit=1', secret)));
    const { rows } = await inspector.client.query(
      'select from pg_stat_activity where usename = $1 and backend_start > $2',
      [login, since],
    );
    if (rows.length === 0) await sleep(idleMs);
    return rows.length > 0;
  });
}
const now = async () =>
  (await inspector.client.query<{ now: string }>('select clock_timestamp()::text as now')).rows[0]?.now ?? '';
const terminate = (login: string) =>
  inspector.client.query('select pg_terminate_backend(pid) from pg_stat_activity where usename = $1', [login]);
const readKeyIds = async () => {
  const { keys } = (await (await get('/evidence/jwks.json')).json()) as { keys: { kid: string }[] };
  return keys.map(({ kid }) => kid);
};

test('every secret is replaced under traffic without a failed poll', { timeout: 900_000 }, async () => {
  const startedMs = Date.now();
  const brokers = stores.services.kafka;
  const flow = startRecordFlow({ brokers, topic: 'tenantscope.raw.activity.v1', tenantIds: [tenantId] });
  await eventually('rows are stored', 60_000, async () => (await inspector.rowCount(tenantId)) > 300);
  const pollers = startUpgradePollers({ baseUrl: () => baseUrl, secrets: secrets.slice(0, 12), startedMs });
  const untilMoreRows = async (what: string) => {
    const before = await inspector.rowCount(tenantId);
    await eventually(
      `ingest continues after ${what}`,
      90_000,
      async () => (await inspector.rowCount(tenantId)) > before,
    );
  };

  const rotated = await now();
  await stores.renewDatabaseUrls();
  expect(await run(['migrate'], { environment: stores.environment('tenantscope-operator') })).toMatchObject({
    status: 0,
  });
  await untilConnectedAgain('tenantscope_keys', rotated);
  await terminate('tenantscope_ingest');
  await untilMoreRows('new passwords of the database');

  await stores.renewKafkaPassword();
  await stores.services.kafkaService.stop();
  await stores.services.kafkaService.restart();
  await untilMoreRows('a new password of Kafka');

  await stores.renewRedisPassword();
  await stores.redis.call('CLIENT', 'KILL', 'USER', 'tenantscope-api');
  await eventually('the api counts in Redis again', 30_000, async () =>
    String(await stores.redis.call('CLIENT', 'LIST')).includes('user=tenantscope-api'),
  );

  const page = (await (await get('/logs?limit=1&sort=discoveredAtAsc')).json()) as {
    pagination: { resumeCursor: string };
  };
  const former = await stores.readFile('cursor_secrets');
  const next = 'f'.repeat(40);
  await stores.write('cursor_secrets', `${former},${next}`);
  await sleep(followedMs);
  await stores.write('cursor_secrets', `${next},${former}`);
  await sleep(followedMs);
  expect((await get(`/logs?cursor=${page.pagination.resumeCursor}`)).status).toBe(200);
  const [formerKey] = await readKeyIds();
  await stores.write('retired_keys', await (await get('/evidence/jwks.json')).text());
  await sleep(followedMs);
  await stores.write('signing_key', await generateSigningKey());
  await eventually('the new key signs and the former one is published', 30_000, async () => {
    const ids = await readKeyIds();
    return ids.length === 2 && ids[1] === formerKey;
  });

  const { trustOnlyTheNew } = await stores.renewCertificates();
  await inspector.client.query('select pg_reload_conf()');
  const renewed = await now();
  await trustOnlyTheNew();
  await stores.redis.call('CLIENT', 'KILL', 'USER', 'tenantscope-api');
  await terminate('tenantscope_ingest');
  await untilConnectedAgain('tenantscope_keys', renewed);
  await untilMoreRows('new certificates');

  await flow.stop();
  await eventually(
    'all records are rows',
    60_000,
    async () => (await compareFlow(flow, inspector, [tenantId])).lost === 0,
  );
  await sleep(3_000);
  const polled = await pollers.stop();
  await stores.write('cursor_secrets', next);
  await sleep(followedMs);
  // Which is why a former secret stays in the list.
  expect((await get(`/logs?cursor=${page.pagination.resumeCursor}`, secrets[20])).status).toBe(400);
  console.log(
    'rotation:',
    JSON.stringify({ polls: pollers.polls(), windows: polled.windows.length, failures: pollers.failures.length }),
  );
  expect(pollers.failures).toEqual([]);
  // The producer repeats what the restarting broker did not acknowledge; a repeated broken message is a message of its own.
  const { deadLettersTwice: _, ...stored } = await compareFlow(flow, inspector, [tenantId]);
  expect(stored).toEqual({ lost: 0, twice: 0, strange: 0, deadLettersLost: 0 });
  expect(pollers.polls()).toBeGreaterThan(100);
});
