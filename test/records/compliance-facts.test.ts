import { afterAll, beforeAll, expect, test } from 'vitest';
import { activityMessage, activityRecord } from '../installation/activity-records.ts';
import { alertMessage, graphAlert } from '../installation/alert-messages.ts';
import { createApiClient } from '../installation/api-client.ts';
import { type DatabaseInspector, openDatabaseInspector } from '../installation/database-inspector.ts';
import { deletionMessage, entityMessage, sourceMessage } from '../installation/entity-messages.ts';
import { eventually } from '../installation/eventually.ts';
import { type RecordMessage, recordMessage } from '../installation/feed-records.ts';
import { type Installation, startInstallation } from '../installation/installation.ts';

let installation: Installation;
let inspector: DatabaseInspector;

beforeAll(async () => {
  installation = await startInstallation();
  inspector = await openDatabaseInspector(installation.database.superuser);
  await installation.startIngest();
});
afterAll(async () => {
  await inspector[Symbol.asyncDispose]();
  await installation[Symbol.asyncDispose]();
});

const topicOf = (suffix: string) => `${installation.environment.TENANTSCOPE_TOPIC_PREFIX}.${suffix}`;
const publish = (suffix: string, ...messages: (RecordMessage | ReturnType<typeof alertMessage>)[]) =>
  installation.publisher.publish(topicOf(suffix), messages);

async function read<Row extends object>(statement: string, tenantId: string): Promise<Row[]> {
  return (await inspector.client.query<Row>(statement, [tenantId])).rows;
}
const records = (tenantId: string) =>
  read<{ id: string; facts: Record<string, unknown>; requirement_key: string | null; subject_id: string | null }>(
    'select id, facts, requirement_key, subject_id from models.compliance_record where tenant_id = $1 order by id',
    tenantId,
  );
const entity = async (tenantId: string, id: string) =>
  (
    await read<{ id: string; is_deleted: boolean; facts: Record<string, unknown>; same: boolean }>(
      `select f.id, f.is_deleted, f.facts, f.updated_at = e.updated_at as same from models.entity_fact f
         join models.entity_agent e on e.tenant_id = f.tenant_id and e.id = f.id where f.tenant_id = $1 and f.kind = 'agent'`,
      tenantId,
    )
  ).find((one) => one.id === id);
const sources = async (tenantId: string) =>
  Object.fromEntries(
    (
      await read<{ source: string; rows: number }>(
        'select source, row_count::int as rows from models.source_status where tenant_id = $1 order by source',
        tenantId,
      )
    ).map(({ source, rows }) => [source, rows]),
  );

const at = '2026-11-01T00:00:00Z';
const compliance = (kind: string, tenantId: string, version: number, members: Record<string, unknown>) =>
  recordMessage(`compliance.${kind}.upserted`, {
    ...{ id: 'c1', tenantId, version, changedAt: new Date(Date.parse(at) + version).toISOString() },
    ...members,
  });

test('the newest state of attestations and decisions wins under late, repeated and invalid delivery', async () => {
  const { id: tenantId } = await installation.createTenant();
  const attested = { requirementKey: 'iam.mfa.members', verdict: 'partial', attestedBy: 'Mara', attestedAt: at };
  const risk = { subject: { type: 'agent', id: 'a1' }, class: 'high' };
  const newest = compliance('attestation', tenantId, 3, { ...attested, verdict: 'compliant' });
  await publish('compliance.v1', newest, compliance('attestation', tenantId, 2, attested), newest);
  await publish('compliance.v1', compliance('riskClass', tenantId, 1, risk));
  await publish('compliance.v1', compliance('riskClass', tenantId, 1, { ...risk, class: 'minimal' }));
  // The lower of the two versions: repeated, or delivered after the higher one.
  await publish('compliance.v1', compliance('riskClass', tenantId, 1, risk));
  await publish('compliance.v1', compliance('riskClass', tenantId, 2, { ...risk, class: 'enormous' }));
  const score = { createdDateTime: at, currentScore: 10.5, maxScore: 20 };
  await publish('compliance.v1', compliance('securityScore', tenantId, 1, score));
  await eventually('three records and two dead letters are stored', 20_000, async () => {
    const deadLetters = (await inspector.deadLetters()).filter((deadLetter) => deadLetter.tenantId === tenantId);
    return deadLetters.length === 2 && (await records(tenantId)).length === 3;
  });
  expect(await records(tenantId)).toMatchObject([
    { id: 'attestation/c1', requirement_key: 'iam.mfa.members', facts: { verdict: 'compliant' } },
    { id: 'riskClass/c1', subject_id: 'a1', facts: { subject: risk.subject } },
    { id: 'securityScore/c1', facts: score },
  ]);
  const reasons = (await inspector.deadLetters())
    .filter((one) => one.tenantId === tenantId)
    .map(({ reason }) => reason);
  expect(reasons.toSorted()).toEqual(['SCHEMA_VIOLATION', 'VERSION_CONFLICT']);
  // A replay that conflicts again is not settled.
  const conflict = (await inspector.deadLetters()).find(
    (one) => one.tenantId === tenantId && one.reason === 'VERSION_CONFLICT',
  );
  await installation.cli('dead-letters', 'replay', conflict?.id ?? '');
  await eventually('the replay conflicts again', 20_000, async () => {
    const shown = await installation.cli<{ state: string; replays: number }>(
      'dead-letters',
      'show',
      conflict?.id ?? '',
    );
    return shown.state === 'pending' && shown.replays === 1;
  });
  expect(await sources(tenantId)).toEqual({ security_score: 1 });
});

test('entity facts exist from the first part until deletion and expose no private member', async () => {
  const { id: tenantId } = await installation.createTenant();
  const members = { displayName: 'Falcon', kind: 'bot', environmentId: 'private-environment' };
  await publish('entity.v1', entityMessage('agent', tenantId, 'a1', 1, members));
  await eventually('the agent', 20_000, async () => (await entity(tenantId, 'a1')) !== undefined);
  const first = await entity(tenantId, 'a1');
  expect(first).toMatchObject({
    is_deleted: false,
    same: true,
    facts: { displayName: 'Falcon', environmentId: 'private-environment', firstSeenAt: expect.any(String) },
  });

  const subject = { type: 'agent', id: 'a1' };
  const assigned = { id: 'x1', tenantId, version: 1, changedAt: at, subject, userId: 'u1', assignedBy: 'Mara' };
  await publish('entity.v1', recordMessage('entity.accountable.upserted', assigned));
  const stored = { id: 'P1', displayName: 'Shelf', sensitivity: 'general', lastModifiedDateTime: at };
  await publish('raw.entity.v1', sourceMessage('graph.copilotPackage', tenantId, { kind: 'agent', id: 'a1' }, stored));
  await eventually('the assignment and the package', 20_000, async () => {
    const facts = (await entity(tenantId, 'a1'))?.facts;
    return facts?.accountable !== undefined && facts.packageId === 'P1';
  });
  expect(await entity(tenantId, 'a1')).toMatchObject({
    same: true,
    facts: {
      displayName: 'Falcon',
      dataSensitivity: 'general',
      accountable: { userId: 'u1', assignedBy: 'Mara' },
      firstSeenAt: first?.facts.firstSeenAt,
    },
  });

  const { baseUrl } = await installation.startApi();
  const { secret } = await installation.admin.keys.create({
    name: 'agents',
    scopes: ['agents:read'],
    owner: { tenantId },
    expiresAt: null,
  });
  const { text, status } = await createApiClient(baseUrl, secret).get('/agents/a1');
  expect(status).toBe(200);
  expect(text).toContain('Falcon');
  expect(text).not.toMatch(/private-environment|dataSensitivity|assignedBy/);

  await publish('entity.v1', deletionMessage('agent', tenantId, 'a1', 2));
  await eventually('the deletion', 20_000, async () => (await entity(tenantId, 'a1'))?.is_deleted === true);
  expect(await entity(tenantId, 'a1')).toMatchObject({ same: true, facts: { deletedAt: expect.any(String) } });
  expect(await sources(tenantId)).toEqual({ agents: 4 });
});

test('a file entity that is found to be a folder counts as deleted', async () => {
  const { id: tenantId } = await installation.createTenant();
  const key = { kind: 'file', id: 'f1' };
  const item = { id: 'f1', name: 'Plans', lastModifiedDateTime: at };
  const counted = () =>
    read<{ is_deleted: boolean; facts: Record<string, unknown> }>(
      `select is_deleted, facts from models.entity_fact where tenant_id = $1 and kind = 'file'`,
      tenantId,
    );
  await publish('raw.entity.v1', sourceMessage('graph.driveitem', tenantId, key, item));
  await eventually('the file', 20_000, async () => (await counted()).length === 1);
  const folder = { ...item, folder: {}, lastModifiedDateTime: '2026-11-02T00:00:00Z' };
  await publish('raw.entity.v1', sourceMessage('graph.driveitem', tenantId, key, folder));
  await eventually('that it is a folder', 20_000, async () => (await counted())[0]?.is_deleted === true);
  expect(await counted()).toMatchObject([{ facts: { name: 'Plans', deletedAt: expect.any(String) } }]);
});

test('every feed reports its progress once', async () => {
  const { id: tenantId } = await installation.createTenant();
  const interaction = activityRecord(1, {
    Operation: 'CopilotInteraction',
    RecordType: 261,
    Workload: 'Copilot',
    AgentId: 'a1',
    CopilotEventData: { AppHost: 'Word', ThreadId: 't1' },
  });
  const logged = [activityMessage(tenantId, interaction), activityMessage(tenantId, activityRecord(2))];
  const restriction = { id: 'r1', tenantId, version: 1, changedAt: at, level: 'noAiAccess', declaredAt: at };
  const restricted = recordMessage('agent-evidence.restriction.upserted', { ...restriction, dataType: { id: 's1' } });
  const alert = alertMessage(tenantId, graphAlert({ status: 'resolved' }));
  const all = async () => {
    await installation.publisher.publish(installation.activityTopic, logged);
    await publish('agent-evidence.v1', restricted);
    await publish('raw.alert.v1', alert);
  };
  await all();
  const expected = {
    data_restrictions: 1,
    logs: 2,
    'logs/Audit.General': 1,
    'logs/Audit.SharePoint': 1,
    security_alerts: 1,
  };
  await eventually('every source', 20_000, async () => Object.keys(await sources(tenantId)).length === 5);
  expect(await sources(tenantId)).toEqual(expected);

  await all();
  await installation.publisher.publish(installation.activityTopic, [activityMessage(tenantId, activityRecord(3))]);
  const another = { ...restriction, id: 'r2', dataType: { id: 's1' } };
  await publish('agent-evidence.v1', recordMessage('agent-evidence.restriction.upserted', another));
  await publish('raw.alert.v1', alertMessage(tenantId, graphAlert()));
  await eventually('the later records are stored', 20_000, async () => {
    const { logs, data_restrictions, security_alerts } = await sources(tenantId);
    return [logs, data_restrictions, security_alerts].join() === '3,2,2';
  });
  expect(
    await read(
      `select f.kind, f.agent_id, f.facts ->> 'threadId' as thread from models.log_fact f
         join models.audit_log l on l.tenant_id = f.tenant_id and l.id = f.log_id and l.discovered_at = f.discovered_at
        where f.tenant_id = $1`,
      tenantId,
    ),
  ).toEqual([{ kind: 'aiInteraction', agent_id: 'a1', thread: 't1' }]);
  const [first, ...others] = await read<{ first: Date | null }>(
    'select first_triaged_at as first from models.security_alert where tenant_id = $1 order by first_triaged_at nulls last',
    tenantId,
  );
  expect(first?.first).toBeInstanceOf(Date);
  expect(others).toEqual([{ first: null }]);
});
