// @module-tag torture
import { randomUUID } from 'node:crypto';
import { AclOperationTypes, AclPermissionTypes, AclResourceTypes, ResourcePatternTypes } from 'kafkajs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type SecureKafka, startSecureKafka } from '../../connections/secure-kafka.ts';
import type { Broker } from '../../installation/broker.ts';
import { createTopics } from '../../installation/create-topics.ts';
import { eventually } from '../../installation/eventually.ts';
import { readField, readRows, type SourcePage } from './page-commands.ts';
import { type PageInstallation, startPageInstallation } from './page-installation.ts';

/** As Azure shows it, with the endpoint of the test. */
const connectionString =
  'Endpoint=sb://localhost/;SharedAccessKeyName=listen;SharedAccessKey=c2VjcmV0LW9mLXRoZS10ZXN0LWtleQ==;EntityPath=hub';
const user = '$ConnectionString';

const stack = new AsyncDisposableStack();
let running: PageInstallation;
let eventHubs: SecureKafka;

beforeAll(async () => {
  running = await startPageInstallation(stack);
  eventHubs = stack.use(await startSecureKafka({ [user]: connectionString }));
}, 240_000);
afterAll(() => stack.disposeAsync(), 60_000);

/** The claim Listen of a policy: nothing else may be read. */
async function allowListening(topic: string): Promise<void> {
  const group = `${running.installation.environment.TENANTSCOPE_TOPIC_PREFIX}.ingest.bindings.event-hubs`;
  const resources = [
    [AclResourceTypes.TOPIC, topic],
    [AclResourceTypes.GROUP, group],
  ] as const;
  await eventHubs.superuser.admin.createAcls({
    acl: resources.map(([resourceType, resourceName]) => ({
      ...{ resourceType, resourceName, resourcePatternType: ResourcePatternTypes.LITERAL },
      ...{ principal: `User:${user}`, host: '*' },
      ...{ permissionType: AclPermissionTypes.ALLOW, operation: AclOperationTypes.READ },
    })),
  });
}

/** Creates a topic, which lasts as long as the test. */
async function useTopic({ admin }: Broker, topic: string): Promise<AsyncDisposable> {
  await createTopics(admin, [{ topic, numPartitions: 1 }]);
  return { [Symbol.asyncDispose]: () => admin.deleteTopics({ topics: [topic] }).catch(() => {}) };
}

const append = (broker: Broker, topic: string, values: readonly string[]) =>
  broker.append(
    topic,
    0,
    values.map((value) => ({ value: Buffer.from(value) })),
  );

/** The line of a topic in `tenantscope source list` begins with these words. */
const lineOf = (output: string, topic: string) => output.split('\n').find((line) => line.includes(topic)) ?? output;

test('the commands of the page of event hooks return rows, from topics of a receiver on, once for both ways', async () => {
  const page = await running.open('event-hooks.md');
  const { id: tenantId } = await running.installation.createTenant();
  const topics = ['okta.eventbridge', 'okta.event-hook'];
  for (const [index, topic] of topics.entries()) {
    stack.use(await useTopic(running.broker, topic));
    await page.next(topic, { replace: { TENANT_ID: tenantId } });
    await append(running.broker, topic, page.values.slice(index, index + 1));
    await running.waitForRows(tenantId, 1, 0);
  }
  await eventually('both topics are read', 60_000, async () => {
    const lanes = (await running.installation.admin.lanes.list()).filter(({ topic }) => topics.includes(topic));
    return lanes.length === 2 && lanes.every(({ nextOffset }) => Number(nextOffset) === 1);
  });
  await append(running.broker, 'okta.event-hook', ['{"eventType":']);
  await eventually('a dead letter', 60_000, async () =>
    (await running.inspector.deadLetters()).some((one) => one.tenantId === tenantId),
  );
  const seen = await page.next('source list', { replace: { TENANT_ID: tenantId } });
  for (const topic of topics) expect(lineOf(seen, topic)).toMatch(/\bread\b/);
  expect(seen).toContain('logs/SystemLog');
  expect(seen).toContain('INVALID_JSON');
  expect(page.left()).toEqual([]);
}, 300_000);

test('the commands of the page of the Alert Center return security alerts, from notifications on', async () => {
  const page = await running.open('google-alert-center.md');
  const { id: tenantId } = await running.installation.createTenant();
  await using _topic = await useTopic(running.broker, 'google.alerts');
  await page.next('source create', { replace: { TENANT_ID: tenantId } });
  const [alert = ''] = page.values;
  const payload = { message: Buffer.from(alert).toString('base64') };
  await append(running.broker, 'google.alerts', [alert, JSON.stringify({ schema: { type: 'struct' }, payload })]);
  await running.waitForRows(tenantId, 0, 1);
  const seen = await page.next('source list', { replace: { TENANT_ID: tenantId } });
  expect(lineOf(seen, 'google.alerts')).toMatch(/\bread\b/);
  expect(seen).toContain('security_alerts');
  expect(page.left()).toEqual([]);
}, 300_000);

// The last one: ingest ends with it.
test('the commands of the pages of Event Hubs and Defender streaming return rows, from a connection string on', async () => {
  const page = await running.open('azure-event-hubs.md');
  await page.next('read -rs TEXT', { input: `${connectionString}\n` });
  const variables = await page.nextVariables('TENANTSCOPE_KAFKA_CLUSTERS', {
    replace: { 'NAMESPACE.servicebus.windows.net:9093': `localhost:${eventHubs.saslPort}` },
  });
  expect(Object.keys(variables)).toHaveLength(6);
  // Azure has a certificate of a public authority; that of the test needs its own.
  variables.TENANTSCOPE_KAFKA_CLUSTER_EVENT_HUBS_SSL_CA_FILE = eventHubs.certificates.caFile;
  await running.ingest[Symbol.asyncDispose]();
  await using _ingest = await running.installation.startIngest(variables);

  const azureTenantId = randomUUID();
  await using _signIns = await useTopic(eventHubs.superuser, 'entra-signins');
  await allowListening('entra-signins');
  const bound = await follow('azure-event-hubs.md', page, variables);
  const tenantId = readField(await bound.next('tenant create', { replace: { DIRECTORY_ID: azureTenantId } }), 'id');
  await bound.next('source create');
  const record = {
    time: '2026-11-20T08:15:31Z',
    category: 'SignInLogs',
    tenantId: azureTenantId,
    properties: { id: randomUUID() },
  };
  await append(eventHubs.superuser, 'entra-signins', [
    JSON.stringify({ records: [record, { ...record, properties: { id: randomUUID() } }] }),
  ]);
  await running.waitForRows(tenantId, 2, 0);
  const seen = await bound.next('source list', { replace: { TENANT_ID: tenantId } });
  expect(lineOf(seen, 'entra-signins')).toMatch(/\bread\b/);
  expect(seen).toContain('logs/SignInLogs');
  expect(await readRows(bound, tenantId, running.baseUrl)).toHaveLength(2);

  const defender = await running.open('defender-streaming.md', variables);
  await using _defender = await useTopic(eventHubs.superuser, 'defender');
  await allowListening('defender');
  const streaming = await running.installation.createTenant();
  await defender.next('source create');
  const values = defender.values.map((value) =>
    value.replaceAll('a1b2c3d4-0000-4000-8000-00000000cafe', streaming.azureTenantId),
  );
  await append(eventHubs.superuser, 'defender', values);
  await running.waitForRows(streaming.id, 2, 1);
  const state = await defender.next('source list', { replace: { TENANT_ID: streaming.id } });
  expect(lineOf(state, 'defender')).toMatch(/\bread\b/);
  expect(state).toContain('security_alerts');
  expect(defender.left()).toEqual([]);
}, 300_000);

/** The page as it goes on with these variables in the shell. */
async function follow(
  name: string,
  page: SourcePage,
  variables: Readonly<Record<string, string>>,
): Promise<SourcePage> {
  const next = await running.open(name, variables);
  while (next.left().length > page.left().length) next.skip('');
  return next;
}
