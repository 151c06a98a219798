import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { startTemporaryServices } from '@tenantscope/local';
import { connectPublisher } from '@tenantscope/publish';
import { connectAdmin } from '@tenantscope/store/admin';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { run } from '../cli/command-line.ts';
import { activityMessage, activityRecord } from '../installation/activity-records.ts';
import { type DatabaseInspector, openDatabaseInspector } from '../installation/database-inspector.ts';
import { eventually } from '../installation/eventually.ts';
import { type ProductProcess, startProcess } from '../installation/processes.ts';
import { createDatabaseOn, type TestDatabase } from '../services/database.ts';
import { type Certificates, createCertificates } from './certificates.ts';
import { startExpiredServer } from './expired-server.ts';

const stack = new AsyncDisposableStack();
const prefix = `tls-${randomBytes(4).toString('hex')}`;
let certificates: Certificates;
let database: TestDatabase;
let inspector: DatabaseInspector;
let environment: Record<string, string>;

beforeAll(async () => {
  certificates = stack.use(await createCertificates());
  const services = stack.use(
    await startTemporaryServices({ only: ['postgres'], security: { postgres: certificates.server } }),
  );
  database = await createDatabaseOn(services.postgres);
  environment = buildEnvironment();
  expect(await run(['migrate'], { environment })).toMatchObject({ status: 0 });
  inspector = stack.use(await openDatabaseInspector(database.superuser));
  await requireTls(dirname(services.postgresService.logFile));
}, 120_000);
afterAll(() => stack.disposeAsync(), 60_000);

/** The server refuses every connection of the product without TLS. */
async function requireTls(directory: string): Promise<void> {
  const file = join(directory, 'data', 'pg_hba.conf');
  const roles = ['owner', ...Object.keys(database.roles)].map((role) => `tenantscope_${role}`);
  await writeFile(file, `hostnossl all ${roles.join(',')} all reject\n${await readFile(file, 'utf8')}`);
  await inspector.client.query('select pg_reload_conf()');
}

/** Variables of all processes; each database URL is changed by `change`. */
function buildEnvironment(change: (url: URL) => void = (url) => (url.hostname = 'localhost')): Record<string, string> {
  const address = (text: string) => {
    const url = new URL(text);
    change(url);
    return url.href;
  };
  const { roles } = database;
  return {
    TENANTSCOPE_OWNER_DATABASE_URL: address(database.owner),
    TENANTSCOPE_API_DATABASE_URL: address(roles.api),
    TENANTSCOPE_KEYS_DATABASE_URL: address(roles.keys),
    TENANTSCOPE_INGEST_DATABASE_URL: address(roles.ingest),
    TENANTSCOPE_ADMIN_DATABASE_URL: address(roles.admin),
    TENANTSCOPE_CONSOLE_DATABASE_URL: address(roles.console),
    TENANTSCOPE_JOBS_DATABASE_URL: address(roles.jobs),
    TENANTSCOPE_COLLECT_DATABASE_URL: address(roles.collect),
    TENANTSCOPE_POSTGRES_SSL_CA_FILE: certificates.caFile,
    TENANTSCOPE_KAFKA_BROKERS: inject('services').kafka,
    TENANTSCOPE_TOPIC_PREFIX: prefix,
    TENANTSCOPE_REDIS_URL: inject('services').redis,
    TENANTSCOPE_JOBS_QUEUE_PREFIX: prefix,
    TENANTSCOPE_CURSOR_SECRETS: randomBytes(32).toString('hex'),
    TENANTSCOPE_PUBLIC_URL: 'http://127.0.0.1:1/api/v1',
    TENANTSCOPE_PORT: '0',
    TENANTSCOPE_CONSOLE_URL: 'http://localhost:1',
    TENANTSCOPE_CONSOLE_PORT: '0',
    TENANTSCOPE_CONSOLE_SECRET: randomBytes(32).toString('hex'),
  };
}

const processNames = ['api', 'ingest', 'jobs', 'console', 'collect'] as const;

test('every process and the CLI use TLS for all their connections', async () => {
  await using processes = new AsyncDisposableStack();
  for (const each of await Promise.all(processNames.map((name) => startProcess(name, environment))))
    processes.use(each);
  expect(await run(['tenant', 'list'], { environment })).toMatchObject({ status: 0 });
  const { TENANTSCOPE_POSTGRES_SSL_CA_FILE: _, ...plain } = buildEnvironment();
  const refused = await run(['tenant', 'list'], { environment: plain });
  expect(refused).toMatchObject({ status: 1, stderr: expect.stringContaining('set TENANTSCOPE_POSTGRES_SSL=on') });
}, 120_000);

const setPassword = (url: URL) => {
  url.hostname = 'localhost';
  url.password = 'hunter2';
};

test('every process and the CLI name the variable of a wrong login or certificate', async () => {
  await using expired = await startExpiredServer(certificates.expired);
  const wrong: [what: string, variables: Record<string, string>, message: string][] = [
    ['a wrong password', buildEnvironment(setPassword), 'rejects this login'],
    [
      'an unknown authority',
      { ...environment, TENANTSCOPE_POSTGRES_SSL_CA_FILE: certificates.otherCaFile },
      'unknown authority; set TENANTSCOPE_POSTGRES_SSL_CA_FILE',
    ],
    ['a wrong host name', buildEnvironment(() => {}), 'presents a certificate for another host name'],
    [
      'an expired certificate',
      buildEnvironment((url) => Object.assign(url, { hostname: 'localhost', port: String(expired.port) })),
      'presents an expired certificate',
    ],
  ];
  for (const [what, variables, message] of wrong) {
    await using processes = new AsyncDisposableStack();
    const listed = await run(['tenant', 'list'], { environment: variables });
    expect(listed, what).toMatchObject({ status: 1, stderr: expect.stringContaining(message) });
    expect(listed.stderr).toContain('(TENANTSCOPE_ADMIN_DATABASE_URL)');
    const started = await Promise.all(
      processNames.map((name) => startProcess(name, variables, { waitUntilReady: false })),
    );
    for (const each of started) processes.use(each);
    for (const [index, name] of processNames.entries()) {
      const each = started[index] as ProductProcess;
      const reported = eventually(`${name} reports ${what}`, 20_000, () => each.output().includes(message));
      await reported.catch((error: Error) => {
        throw new Error(`${error.message}\n${each.output()}`);
      });
      expect(each.output()).toContain(`(TENANTSCOPE_${name.toUpperCase()}_DATABASE_URL)`);
      expect(each.output()).not.toContain('hunter2');
      // The readers of HTTP end, for their supervisor to restart them; the others wait.
      if (name === 'api' || name === 'console') expect(await each.gone, name).toBe(1);
      else expect(each.child.exitCode, name).toBeNull();
    }
  }
}, 180_000);

test('records that arrive while the login of ingest is refused are stored once it is accepted again', async () => {
  const url = new URL(environment.TENANTSCOPE_ADMIN_DATABASE_URL ?? '');
  url.search = String(new URLSearchParams({ sslmode: 'verify-full', sslrootcert: certificates.caFile }));
  await using admin = await connectAdmin({ models: url.href, control: url.href }, 'cli:test');
  const { id } = await admin.tenants.create({ name: 'Larkspur', organizationId: null, azureTenantId: null });
  await using publisher = await connectPublisher({ brokers: inject('services').kafka, clientId: 'test' });
  const publish = (count: number, from: number) =>
    publisher.send(
      `${prefix}.raw.activity.v1`,
      Array.from({ length: count }, (_, index) => activityMessage(id, activityRecord(from + index))),
    );
  await using ingest = await startProcess('ingest', environment);
  await publish(10, 0);
  await eventually('the first records are stored', 20_000, async () => (await inspector.rowCount(id)) === 10);

  const password = new URL(database.roles.ingest).password;
  const change = (to: string) => inspector.client.query(`alter role tenantscope_ingest password '${to}'`);
  await change('another one');
  await inspector.client.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where usename = 'tenantscope_ingest'`,
  );
  await publish(10, 10);
  await eventually('ingest reports the login', 30_000, () =>
    ingest.output().includes('PostgreSQL rejects this login (TENANTSCOPE_INGEST_DATABASE_URL)'),
  );
  await change(password);
  await eventually('all records are stored', 60_000, async () => (await inspector.rowCount(id)) === 20);
  expect(ingest.child.exitCode).toBeNull();
}, 180_000);

test('a URL with a weaker mode is refused at start', async () => {
  const variables = buildEnvironment((url) => url.searchParams.set('sslmode', 'require'));
  const listed = await run(['tenant', 'list'], { environment: variables });
  expect(listed).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('TENANTSCOPE_ADMIN_DATABASE_URL: sslmode=require'),
  });
});

test('every process refuses a database outside loopback without TLS', async () => {
  const { TENANTSCOPE_POSTGRES_SSL_CA_FILE: _, ...plain } = buildEnvironment(
    (url) => (url.hostname = 'db.example.com'),
  );
  const ended = await Promise.all(
    processNames.map(async (name) => {
      await using each = await startProcess(name, plain, { waitUntilReady: false });
      return { name, status: await each.gone, output: each.output() };
    }),
  );
  for (const { name, status, output } of ended) {
    expect({ name, status }).toEqual({ name, status: 1 });
    expect(output).toMatch(
      /db\.example\.com is not on loopback and TLS is off; set TENANTSCOPE_POSTGRES_SSL=on, or name postgres/,
    );
  }
}, 60_000);
