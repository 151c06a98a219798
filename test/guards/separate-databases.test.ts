import { randomBytes } from 'node:crypto';
import { topics } from '@tenantscope/contract';
import { findFreePort } from '@tenantscope/local';
import { connectPublisher, type Publisher } from '@tenantscope/publish';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { activityMessage, activityRecord } from '../installation/activity-records.ts';
import { createApiClient } from '../installation/api-client.ts';
import { eventually } from '../installation/eventually.ts';
import { startProcess, tenantscope } from '../installation/processes.ts';
import { createDatabaseOn } from '../services/database.ts';

// The control schema and the read models, each in a database of its own, as ARCHITECTURE.md allows.

const stack = new AsyncDisposableStack();
const prefix = `test-${randomBytes(4).toString('hex')}`;
let environment: Record<string, string>;
let publisher: Publisher;
/** Of words without spaces. */
const cli = <Document = Record<string, unknown>>(line: string) =>
  tenantscope<Document>(environment, ...line.split(' '));

beforeAll(async () => {
  const services = inject('services');
  const models = stack.use(await createDatabaseOn(services.postgres));
  const control = stack.use(await createDatabaseOn(services.postgres));
  environment = {
    TENANTSCOPE_OWNER_DATABASE_URL: models.owner,
    TENANTSCOPE_OWNER_CONTROL_DATABASE_URL: control.owner,
    TENANTSCOPE_API_DATABASE_URL: models.roles.api,
    TENANTSCOPE_KEYS_DATABASE_URL: control.roles.keys,
    TENANTSCOPE_INGEST_DATABASE_URL: models.roles.ingest,
    TENANTSCOPE_INGEST_CONTROL_DATABASE_URL: control.roles.ingest,
    TENANTSCOPE_ADMIN_DATABASE_URL: models.roles.admin,
    TENANTSCOPE_ADMIN_CONTROL_DATABASE_URL: control.roles.admin,
    TENANTSCOPE_CONSOLE_DATABASE_URL: models.roles.console,
    TENANTSCOPE_CONSOLE_CONTROL_DATABASE_URL: control.roles.console,
    TENANTSCOPE_COLLECT_DATABASE_URL: control.roles.collect,
    TENANTSCOPE_JOBS_DATABASE_URL: models.roles.jobs,
    TENANTSCOPE_JOBS_CONTROL_DATABASE_URL: control.roles.jobs,
    TENANTSCOPE_KAFKA_BROKERS: services.kafka,
    TENANTSCOPE_TOPIC_PREFIX: prefix,
    TENANTSCOPE_REDIS_URL: services.redis,
    TENANTSCOPE_JOBS_QUEUE_PREFIX: prefix,
    TENANTSCOPE_CURSOR_SECRETS: randomBytes(32).toString('hex'),
    TENANTSCOPE_HOST: '127.0.0.1',
    TENANTSCOPE_CONTENDED_SHARE: '1',
  };
  await cli('migrate');
  publisher = stack.use(await connectPublisher({ brokers: services.kafka, clientId: 'test' }));
});
afterAll(() => stack.disposeAsync());

test('records, keys, snapshots and decisions work on two databases, and each has an audit log', async () => {
  const { id: organizationId } = await cli('org create --name Larkspur');
  const { id: tenantId } = await cli<{ id: string }>(`tenant create --name Instruments --org ${organizationId}`);
  const { secret } = await cli<{ secret: string }>(
    `key create --name reader --scopes logs:read,evidence:read --tenant ${tenantId}`,
  );
  await using ingest = await startProcess('ingest', environment);
  const port = await findFreePort();
  const baseUrl = `http://127.0.0.1:${port}/api/v1`;
  await using api = await startProcess('api', {
    ...environment,
    TENANTSCOPE_PORT: String(port),
    TENANTSCOPE_PUBLIC_URL: baseUrl,
  });
  await using jobs = await startProcess('jobs', environment);
  const messages = Array.from({ length: 20 }, (_, number) => activityMessage(tenantId, activityRecord(number)));
  await publisher.publish(`${prefix}.${topics.activity.suffix}`, messages);
  const client = createApiClient(baseUrl, secret);
  await eventually('the records are served', 20_000, async () => (await client.get('/logs')).body.data.length === 20);

  await cli(`snapshot take --tenant ${tenantId}`);
  await eventually('the snapshot is served', 20_000, async () => {
    const { body } = await client.get('/compliance/snapshots');
    return body.data.some(({ trigger }: { trigger: string }) => trigger === 'manual');
  });
  await cli(`attest --tenant ${tenantId} --requirement ai.attest.literacy --verdict compliant --by maria`);
  for (const chain of [organizationId, 'read-models']) {
    const { data } = await cli<{ data: { subjectType: string }[] }>(`audit list --org ${chain}`);
    const subjects = data.map(({ subjectType }) => subjectType);
    expect(subjects).toContain(chain === organizationId ? 'api_key' : 'compliance_record');
    expect(await cli(`audit verify --org ${chain}`)).toMatchObject({ isWhole: true, through: data.length });
  }
  for (const process of [ingest, api, jobs]) expect(process.output()).not.toMatch(/"level":(50|60)/);
});
