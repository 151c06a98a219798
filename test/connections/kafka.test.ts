import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { topicName, topics } from '@tenantscope/contract';
import { readTopicIdentity } from '@tenantscope/ingest/topic-identity';
import { generateSigningKey } from '@tenantscope/proof';
import { connectPublisher } from '@tenantscope/publish';
import { kafkaVariables, readConfig, readKafkaConnection } from '@tenantscope/runtime';
import { connectAdmin } from '@tenantscope/store/admin';
import { AclOperationTypes, AclPermissionTypes, AclResourceTypes, ResourcePatternTypes } from 'kafkajs';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { z } from 'zod';
import { run } from '../cli/command-line.ts';
import { startCollecting } from '../collect/collect-process.ts';
import { oktaEvents } from '../collect/okta-event.ts';
import { startOktaServer } from '../collect/okta-server.ts';
import { activityMessage, activityRecord } from '../installation/activity-records.ts';
import { type DatabaseInspector, openDatabaseInspector } from '../installation/database-inspector.ts';
import { eventually } from '../installation/eventually.ts';
import { type ProductProcess, startProcess } from '../installation/processes.ts';
import { createTestDatabase, type TestDatabase } from '../services/database.ts';
import { isLong } from '../torture/random.ts';
import { startExpiredServer } from './expired-server.ts';
import { type Mechanism, mechanisms, type Principal, type SecureKafka, startSecureKafka } from './secure-kafka.ts';

const activity = topicName('tenantscope', topics.activity);
const stack = new AsyncDisposableStack();
let kafka: SecureKafka;
let database: TestDatabase;
let inspector: DatabaseInspector;
let ingest: ProductProcess;
let tenantId = '';
let published = 0;

beforeAll(async () => {
  kafka = stack.use(await startSecureKafka());
  database = stack.use(await createTestDatabase());
  inspector = stack.use(await openDatabaseInspector(database.superuser));
  await using admin = await connectAdmin({ models: database.roles.admin, control: database.roles.admin }, 'cli:test');
  tenantId = (await admin.tenants.create({ name: 'Larkspur', organizationId: null, azureTenantId: null })).id;
  const migrated = await run(['migrate'], { environment: await environment('tenantscope-operator') });
  expect(migrated, migrated.stderr).toMatchObject({ status: 0 });
  // With short-lived tokens, for as long as this file runs.
  ingest = stack.use(await startProcess('ingest', await environment('tenantscope-ingest', 'oauthbearer')));
}, 120_000);
afterAll(() => stack.disposeAsync(), 60_000);

/** The variables of every process and of the CLI, with the Kafka login of one principal. */
async function environment(principal: Principal, mechanism?: Mechanism): Promise<Record<string, string>> {
  const { roles, owner } = database;
  return {
    ...(await kafka.variables(principal, mechanism)),
    TENANTSCOPE_OWNER_DATABASE_URL: owner,
    TENANTSCOPE_API_DATABASE_URL: roles.api,
    TENANTSCOPE_KEYS_DATABASE_URL: roles.keys,
    TENANTSCOPE_INGEST_DATABASE_URL: roles.ingest,
    TENANTSCOPE_ADMIN_DATABASE_URL: roles.admin,
    TENANTSCOPE_CONSOLE_DATABASE_URL: roles.console,
    TENANTSCOPE_JOBS_DATABASE_URL: roles.jobs,
    TENANTSCOPE_COLLECT_DATABASE_URL: roles.collect,
  };
}

async function connectionOf(principal: Principal, mechanism?: Mechanism) {
  const variables = await kafka.variables(principal, mechanism);
  return readKafkaConnection(readConfig(z.object(kafkaVariables), variables), variables);
}

const importArguments = () => ['import', '--tenant', tenantId, '--format', 'o365.management-activity', '-'];
const importOne = async (variables: Record<string, string>) =>
  run(importArguments(), { environment: variables, input: JSON.stringify(activityRecord(++published)) });

/** Appends records as a superuser, whatever the ACLs are. */
async function append(count: number): Promise<void> {
  const messages = Array.from({ length: count }, () => activityMessage(tenantId, activityRecord(++published)));
  await kafka.superuser.append(activity, 0, messages);
}

const untilIngested = () =>
  eventually(`${published} rows are stored`, 30_000, async () => (await inspector.rowCount(tenantId)) === published);

test.each(mechanisms)('both Kafka clients log in by %s', async (mechanism) => {
  const connection = await connectionOf('tenantscope-publisher', mechanism);
  expect(await readTopicIdentity(connection, activity)).toMatchObject({ topicId: expect.any(String) });
  await using publisher = await connectPublisher({ ...connection, clientId: 'test' });
  await publisher.send(activity, [activityMessage(tenantId, activityRecord(++published))]);
});

test('a record that one principal publishes is ingested by another', async () => {
  expect(await importOne(await environment('tenantscope-publisher', 'mutual TLS'))).toMatchObject({ status: 0 });
  await untilIngested();
});

test('a dead letter is replayed by the operator', async () => {
  await kafka.superuser.append(activity, 0, [activityMessage(tenantId, '{"broken')]);
  const findId = async () =>
    (await inspector.client.query<{ id: string }>('select id from models.dead_letter')).rows[0]?.id ?? '';
  await eventually('the dead letter is stored', 15_000, async () => (await findId()) !== '');
  const replayed = await run(['dead-letters', 'replay', await findId()], {
    environment: await environment('tenantscope-operator'),
  });
  expect(replayed).toMatchObject({ status: 0 });
});

test('ingest may write to the topics, for replays that the console requests', async () => {
  await using publisher = await connectPublisher({ ...(await connectionOf('tenantscope-ingest')), clientId: 'test' });
  await publisher.send(activity, [activityMessage(tenantId, activityRecord(++published))]);
  await untilIngested();
});

test('the operator reads the retention of every topic for a certificate of erasure', async () => {
  const variables = await environment('tenantscope-operator');
  await using admin = await connectAdmin({ models: database.roles.admin, control: database.roles.admin }, 'cli:test');
  const { id } = await admin.tenants.create({ name: 'Leaving', organizationId: null, azureTenantId: null });
  await admin.tenants.close(id);
  await inspector.client.query(`update control.tenant set closed_at = now() - interval '3 minutes' where id = $1`, [
    id,
  ]);
  const directory = await mkdtemp(join(tmpdir(), 'tenantscope-erasure-'));
  try {
    const [signingKey, certificate] = [join(directory, 'key'), join(directory, 'certificate.json')];
    await writeFile(signingKey, await generateSigningKey());
    const options = ['--certificate', certificate, '--signing-key', signingKey, '--backup-days', '30'];
    const erased = await run(['tenant', 'offboard', '--tenant', id, '--erase', ...options], { environment: variables });
    expect(erased).toMatchObject({ status: 0, stderr: '' });
    const { kafka: copies } = JSON.parse(await readFile(certificate, 'utf8')).certificate;
    expect(copies.topics).toHaveLength(Object.keys(topics).length + 1);
    // The ledger has no retention.
    expect(copies.until).toBeNull();
  } finally {
    await rm(directory, { recursive: true });
  }
});

test('ingest publishes the ledger, and the operator reads it to finish a restore', async () => {
  const countPending = async () =>
    (await inspector.client.query('select from control.ledger_entry where topic_offset is null')).rowCount;
  await eventually('the ledger is published', 30_000, async () => (await countPending()) === 0);
  expect(await run(['restore', 'finish'], { environment: await environment('tenantscope-operator') })).toMatchObject({
    status: 0,
    stdout: expect.stringContaining('Nothing to finish'),
  });
});

test('a collector can write to its own topic and to no other', async () => {
  const connection = await connectionOf('collector-activity');
  await using publisher = await connectPublisher({ ...connection, clientId: 'test' });
  await publisher.send(activity, [activityMessage(tenantId, activityRecord(++published))]);
  for (const topic of [topics.tenant, topics.rawAlert, topics.detection]) {
    const refused = publisher.send(topicName('tenantscope', topic), [activityMessage(tenantId, '{}')]);
    await expect(refused).rejects.toThrow(/not authorized|authorization failed/i);
  }
  await untilIngested();
});

test('collect publishes records and the state of their source with a login of its own', async () => {
  await using server = await startOktaServer();
  server.append(oktaEvents(3, Date.now() - 60_000));
  const directory = await mkdtemp(join(tmpdir(), 'tenantscope-collect-'));
  try {
    const secretFile = join(directory, 'token');
    await writeFile(secretFile, server.token, { mode: 0o600 });
    const created = await run(
      ['collector', 'create', 'okta', '--tenant', tenantId, '--url', server.url, '--secret-file', secretFile],
      { environment: await environment('tenantscope-operator') },
    );
    expect(created).toMatchObject({ status: 0, stderr: '' });
    const variables = await environment('tenantscope-collect');
    await using _collect = await startCollecting(variables, await kafka.variables('tenantscope-collect'));
    published += 3;
    await untilIngested();
    await eventually('the state of the source is stored', 30_000, async () => {
      const { rowCount } = await inspector.client.query(
        `select from models.compliance_record where tenant_id = $1 and kind = 'sourceStatus' and facts ->> 'lastCompleteImportAt' is not null`,
        [tenantId],
      );
      return rowCount === 1;
    });
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
});

/** A login or address that is wrong in one way, and what the error has to contain. */
type Wrong = readonly [what: string, variables: Record<string, string>, message: RegExp];

async function listWrongLogins(principal: Principal, expiredPort: number): Promise<Wrong[]> {
  const right = await kafka.variables(principal);
  const { TENANTSCOPE_KAFKA_SASL_PASSWORD_FILE: _, ...withoutPassword } = right;
  const bearer = await kafka.variables(principal, 'oauthbearer');
  const { TENANTSCOPE_KAFKA_SASL_OAUTH_CLIENT_SECRET_FILE: __, ...withoutSecret } = bearer;
  const ca = 'TENANTSCOPE_KAFKA_SSL_CA_FILE';
  const brokers = 'TENANTSCOPE_KAFKA_BROKERS';
  const mutual = await kafka.variables(principal, 'mutual TLS');
  const { TENANTSCOPE_KAFKA_SSL_CERT_FILE: ___, TENANTSCOPE_KAFKA_SSL_KEY_FILE: ____, ...anonymous } = mutual;
  return [
    [
      'a wrong password',
      { ...withoutPassword, TENANTSCOPE_KAFKA_SASL_PASSWORD: 'hunter2' },
      /rejects the login .*TENANTSCOPE_KAFKA_SASL_/,
    ],
    [
      'a wrong client secret',
      { ...withoutSecret, TENANTSCOPE_KAFKA_SASL_OAUTH_CLIENT_SECRET: 'hunter2' },
      /status 401: invalid_client; check TENANTSCOPE_KAFKA_SASL_OAUTH_/,
    ],
    [
      'an unknown authority',
      { ...right, [ca]: kafka.certificates.otherCaFile },
      /unknown authority; set TENANTSCOPE_KAFKA_SSL_CA_FILE/,
    ],
    [
      'a wrong host name',
      { ...right, [brokers]: `127.0.0.1:${kafka.saslPort}` },
      /another host name.*TENANTSCOPE_KAFKA_SSL_SERVERNAME/,
    ],
    [
      'an expired certificate',
      { ...right, [brokers]: `localhost:${expiredPort}` },
      /Kafka at localhost:\d+ presents an expired certificate/,
    ],
    ['a missing client certificate', anonymous, /TENANTSCOPE_KAFKA_SSL/],
  ];
}

test('the CLI names the variable of each wrong login and exits', async () => {
  await using expired = await startExpiredServer(kafka.certificates.expired);
  const base = await environment('tenantscope-operator');
  const kafkaNames = Object.keys(base).filter((name) => name.startsWith('TENANTSCOPE_KAFKA_'));
  const databases = Object.fromEntries(Object.entries(base).filter(([name]) => !kafkaNames.includes(name)));
  const refuse = async ([what, variables, message]: Wrong, index: number) => {
    // In turn, since both commands describe errors by the same function.
    const args = index % 2 === 0 ? importArguments() : ['migrate'];
    const { status, stderr } = await run(args, { environment: { ...databases, ...variables }, input: '{}' });
    expect({ what, status, stderr }).toEqual({ what, status: 1, stderr: expect.stringMatching(message) });
    expect(stderr).not.toContain('hunter2');
  };
  // Two at once: each retries for seconds before it exits, and six that start together leave no time for the answer on a busy machine.
  const logins = (await listWrongLogins('tenantscope-operator', expired.port)).entries().toArray();
  for (let from = 0; from < logins.length; from += 2)
    await Promise.all(logins.slice(from, from + 2).map(([index, login]) => refuse(login, index)));
  const foreign = await importOne(await environment('collector-alert'));
  published -= 1;
  expect(foreign).toMatchObject({ status: 1, stderr: expect.stringContaining('TOPIC_AUTHORIZATION_FAILED') });
}, 120_000);

test('records that arrive while an ACL is missing are ingested once it exists', async () => {
  const acl = {
    resourceType: AclResourceTypes.TOPIC,
    resourceName: 'tenantscope.',
    resourcePatternType: ResourcePatternTypes.PREFIXED,
    principal: 'User:tenantscope-ingest',
    host: '*',
    operation: AclOperationTypes.READ,
    permissionType: AclPermissionTypes.ALLOW,
  };
  const readable = await inspector.rowCount(tenantId);
  const before = ingest.output().length;
  await kafka.superuser.admin.deleteAcls({ filters: [acl] });
  // The broker applies a deleted ACL after its answer: records that are appended at once may still be read.
  await eventually('ingest reports the missing ACL', 30_000, () =>
    /refuses access \(\w+_AUTHORIZATION_FAILED\)/.test(ingest.output().slice(before)),
  );
  await append(20);
  expect(await inspector.rowCount(tenantId)).toBe(readable);
  await kafka.superuser.admin.createAcls({ acl: [acl] });
  await untilIngested();
}, 120_000);

test('a consumer whose token expires logs in again with a new one', async () => {
  // Started with this file: a token lives for 14 s and is used for half of it.
  await eventually('new tokens were requested', 40_000, () => kafka.tokens.issuedTo('tenantscope-ingest') >= 4);
  await append(1);
  await untilIngested();
  expect(ingest.output()).not.toContain('rejects the login');
  // The last measurement of its lanes may be of the time when an ACL was missing.
  await eventually('ingest is ready', 30_000, () => ingest.ready());
}, 120_000);

test('a wrong password in a file is replaced without a restart', async () => {
  // Otherwise the group would wait for both.
  await ingest[Symbol.asyncDispose]();
  const variables = await environment('tenantscope-ingest');
  const file = variables.TENANTSCOPE_KAFKA_SASL_PASSWORD_FILE ?? '';
  await writeFile(file, 'the password before last');
  await using process = await startProcess('ingest', variables, { waitUntilReady: false });
  await eventually('ingest reports the login', 20_000, () => /rejects the login/.test(process.output()));
  await writeFile(file, kafka.passwords['tenantscope-ingest'] ?? '');
  await eventually('ingest is ready', 30_000, process.ready);
  await append(20);
  await untilIngested();
}, 120_000);

test('jobs measures unread records by a login of its own', async () => {
  const variables: Record<string, string> = {
    ...(await environment('tenantscope-jobs')),
    TENANTSCOPE_REDIS_URL: inject('services').redis,
    TENANTSCOPE_JOBS_QUEUE_PREFIX: `tls-${randomBytes(4).toString('hex')}`,
  };
  const readNewest = async () => {
    const { rows } = await inspector.client.query<{ at: Date | null }>(
      'select max(measured_at) as at from models.lane_log',
    );
    return rows[0]?.at?.getTime() ?? 0;
  };
  // Ingest, which measures too, has been stopped above.
  const before = await readNewest();
  await using _jobs = await startProcess('jobs', variables);
  await eventually('lanes are measured', 30_000, async () => (await readNewest()) > before);
}, 120_000);

// Last, since jobs measures a lane that no ingest process measures.
const processes = [
  ['ingest', 'tenantscope-ingest'],
  ['jobs', 'tenantscope-jobs'],
  ['collect', 'tenantscope-collect'],
] as const;
test.each(isLong ? processes : processes.slice(0, 1))(
  '%s reports the variable of each wrong login and retries',
  async (name, principal) => {
    await using expired = await startExpiredServer(kafka.certificates.expired);
    const base = { ...(await environment(principal)), TENANTSCOPE_REDIS_URL: inject('services').redis };
    const others = Object.fromEntries(Object.entries(base).filter(([each]) => !each.startsWith('TENANTSCOPE_KAFKA_')));
    const wrong = await listWrongLogins(principal, expired.port);
    if (name !== 'collect')
      wrong.push([
        'a missing ACL',
        await kafka.variables('collector-alert'),
        /refuses access \(\w+_AUTHORIZATION_FAILED\)/,
      ]);
    const report = async ([what, variables, message]: Wrong, index: number) => {
      const own = { ...others, ...variables, TENANTSCOPE_JOBS_QUEUE_PREFIX: `tls-${name}-${index}` };
      await using process = await startProcess(name, own, { waitUntilReady: false });
      await eventually(`${name} reports ${what}`, 30_000, () => message.test(process.output())).catch(
        (error: Error) => {
          throw new Error(`${error.message}\n${process.output()}`);
        },
      );
      expect(process.child.exitCode, what).toBeNull();
      // Snapshots need no Kafka.
      if (name !== 'jobs') expect(await process.ready(), what).toBe(false);
      const metrics = await (await fetch(`http://127.0.0.1:${process.healthPort}/metrics`)).text();
      expect(process.output() + metrics, what).not.toContain('hunter2');
    };
    await Promise.all(wrong.map(report));
  },
  120_000,
);
