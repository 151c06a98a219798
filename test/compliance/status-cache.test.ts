import { randomUUID } from 'node:crypto';
import { type RecordTopicName, topicName, topics } from '@tenantscope/contract';
import type pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ApiClient, createApiClient } from '../installation/api-client.ts';
import { eventually } from '../installation/eventually.ts';
import { startIngestInstallation } from '../installation/ingest-installation.ts';
import { openTestPool } from '../services/pool.ts';
import * as events from './events.ts';
import * as input from './input-records.ts';
import { notification } from './notifications.ts';

const { dayMs, hourMs } = input;
const nowMs = Date.now();
const product = await startIngestInstallation();
let superuser: pg.Pool;
let baseUrl: string;
let tenantId: string;
let client: ApiClient;

const createClient = async (owner: string): Promise<ApiClient> => {
  const key = { name: 'reader', scopes: ['evidence:read'], owner: { tenantId: owner }, expiresAt: null };
  return createApiClient(baseUrl, (await product.installation.admin.keys.create(key)).secret);
};

beforeAll(async () => {
  superuser = openTestPool(product.installation.database.superuser);
  // An hour, so that only a change of the facts ends what is cached.
  const api = await product.installation.startApi({ TENANTSCOPE_STATUS_MAX_AGE_SECONDS: '3600' });
  ({ baseUrl } = api);
  tenantId = (await product.installation.createTenant()).id;
  client = await createClient(tenantId);
}, 120_000);
afterAll(async () => {
  await superuser?.end();
});

interface Status {
  readonly generatedAt: string;
  readonly requirements: readonly { readonly key: string; readonly status: string }[];
}

async function readStatus(from: ApiClient = client): Promise<Status> {
  const { status, text, body } = await from.get('/compliance/status');
  expect(status, text).toBe(200);
  return body.data;
}

async function send(record: input.InputRecord, atMs = Date.now()): Promise<void> {
  const { key, value, headers } = input.toMessage(tenantId, atMs, record);
  const topic: RecordTopicName | 'activity' = record.topic;
  const identity = { ce_id: randomUUID(), ce_source: '/test' };
  await product.broker.append(
    topicName(product.installation.environment.TENANTSCOPE_TOPIC_PREFIX ?? '', topics[topic]),
    0,
    [{ key: key as Buffer, value: value as Buffer, headers: { ...identity, ...headers } as Record<string, string> }],
  );
}

/** Whether two requests in a row have the same status, after the first one was not that of before. */
async function expectNewStatus(what: string, before: Status, from: ApiClient = client): Promise<Status> {
  let next = before;
  await eventually(`${what} changes the status`, 10_000, async () => {
    next = await readStatus(from);
    return next.generatedAt !== before.generatedAt;
  });
  return next;
}

test('a repeated status is returned without an evaluation, and never to another tenant', async () => {
  const first = await readStatus();
  const other = await createClient((await product.installation.createTenant()).id);
  const blocker = await superuser.connect();
  try {
    // An evaluation reads this table and would wait for the lock.
    await blocker.query('begin; lock table models.entity_fact in access exclusive mode');
    expect(await readStatus()).toEqual(first);
    const { status, code } = await other.get('/compliance/status');
    expect([status, code]).toEqual([504, 'QUERY_TIMEOUT']);
  } finally {
    await blocker.query('rollback');
    blocker.release();
  }
  expect((await readStatus(other)).generatedAt).not.toBe(first.generatedAt);
}, 60_000);

test('readiness and score are built from the same evaluation while the facts are unchanged', async () => {
  const status = await readStatus();
  const blocker = await superuser.connect();
  try {
    // An evaluation reads this table; what the documents add to the status does not.
    await blocker.query('begin; lock table models.agent_evidence in access exclusive mode');
    expect((await client.get('/security-score')).status).toBe(200);
  } finally {
    await blocker.query('rollback');
    blocker.release();
  }
  const { body: readiness } = await client.get('/copilot-readiness');
  expect(readiness.data.generatedAt).toBe(status.generatedAt);
  await send(input.user('grace'));
  await eventually('readiness is evaluated again', 10_000, async () => {
    const { body } = await client.get('/copilot-readiness');
    return body.data.generatedAt !== status.generatedAt;
  });
}, 60_000);

const records: Readonly<Record<string, input.InputRecord>> = {
  'an entity': input.user('ada'),
  'a later version of an entity': input.user('ada', { mfaRegistered: false }),
  'a deletion': input.deletedEntity('user', 'ada'),
  'an attestation': input.attestation('gov.attest.risk_assessment', { attestedAt: input.at(nowMs - dayMs) }),
  'a source state': input.sourceStatus('user', nowMs),
  'a tenant fact': input.tenantFact('financialEntity', true),
  'a grant of an agent': input.grant('one', 'sales'),
  'a policy scan': events.policyScan('scan', 'sharing', nowMs - hourMs),
  'a detection': events.episode('episode', nowMs - hourMs, null),
  'an action': events.action('action', 'block', { type: 'agent', id: 'sales' }, nowMs - hourMs),
  'a notification': notification('notification', nowMs - hourMs),
  'an alert': events.alert('alert', nowMs - dayMs, 2, []),
  'an event': events.interaction('ada', nowMs - hourMs, { agentId: 'sales' }),
};

test.each(Object.entries(records))(
  '%s that arrives causes a new evaluation',
  async (what, record) => {
    const before = await readStatus();
    await send(record);
    await expectNewStatus(what, before);
    expect(await readStatus()).toEqual(await readStatus());
  },
  60_000,
);

test('an alert that was triaged in an older version causes a new evaluation', async () => {
  const initial = await readStatus();
  await send(events.alert('late', nowMs - dayMs, null, []));
  const before = await expectNewStatus('the alert', initial);
  await superuser.query(
    `update models.security_alert set first_triaged_at = updated_at where tenant_id = $1 and id = 'late'`,
    [tenantId],
  );
  await expectNewStatus('the triage', before);
}, 60_000);

test('an attestation from the command line, a snapshot and a drop of old log rows cause a new evaluation', async () => {
  let before = await readStatus();
  await product.installation.cli(
    'attest',
    '--tenant',
    tenantId,
    '--requirement',
    'ai.attest.literacy',
    '--verdict',
    'partial',
  );
  before = await expectNewStatus('the attestation', before);
  expect(before.requirements.find(({ key }) => key === 'ai.attest.literacy')?.status).toBe('at_risk');
  await superuser.query(
    `insert into models.compliance_snapshot (tenant_id, id, taken_at, trigger, late, taken_by, catalogue_version, previous_sha256, sha256, document)
     values ($1, $2, $3, 'manual', false, 'test', '2026.11', null, $4, '{}')`,
    [tenantId, randomUUID(), new Date().toISOString(), 'a'.repeat(64)],
  );
  before = await expectNewStatus('the snapshot', before);
  await superuser.query(`update models.retention set dropped_before = now() - interval '400 days' where feed = 'logs'`);
  before = await expectNewStatus('the drop', before);
  await superuser.query(
    `insert into models.tenant_retention (tenant_id, retention_days, dropped_before) values ($1, 183, now() - interval '300 days')`,
    [tenantId],
  );
  await expectNewStatus('the drop of the tenant alone', before);
}, 60_000);

test('a status that a rule changes while it would be cached is evaluated again', async () => {
  const { id } = await product.installation.createTenant();
  const own = await createClient(id);
  const first = await readStatus(own);
  expect((await readStatus(own)).generatedAt).toBe(first.generatedAt);
  const validUntil = new Date(Date.now() + 600_000).toISOString();
  const attest = ['attest', '--tenant', id, '--requirement', 'ai.attest.literacy', '--verdict', 'compliant'];
  await product.installation.cli(...attest, '--valid-until', validUntil);
  const second = await readStatus(own);
  expect(second.generatedAt).not.toBe(first.generatedAt);
  expect((await readStatus(own)).generatedAt).not.toBe(second.generatedAt);
}, 60_000);
