import { randomBytes } from 'node:crypto';
import { entities, scopes, topics } from '@tenantscope/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { activityMessage, activityRecord } from '../installation/activity-records.ts';
import { readAllRows } from '../installation/all-rows.ts';
import { type ApiClient, createApiClient } from '../installation/api-client.ts';
import { type DatabaseInspector, openDatabaseInspector } from '../installation/database-inspector.ts';
import { changedMs, deletionMessage, entityMessage, sourceMessage } from '../installation/entity-messages.ts';
import { eventually } from '../installation/eventually.ts';
import { detectionState, type RecordMessage, recordMessage, tombstone } from '../installation/feed-records.ts';
import { type Installation, startInstallation } from '../installation/installation.ts';

let installation: Installation;
let inspector: DatabaseInspector;
let baseUrl: string;
let metricsUrl: string;

beforeAll(async () => {
  installation = await startInstallation();
  inspector = await openDatabaseInspector(installation.database.superuser);
  metricsUrl = `http://127.0.0.1:${(await installation.startIngest()).healthPort}/metrics`;
  baseUrl = (await installation.startApi()).baseUrl;
});
afterAll(async () => {
  await inspector[Symbol.asyncDispose]();
  await installation[Symbol.asyncDispose]();
});

async function reader(): Promise<{ tenantId: string; caller: ApiClient }> {
  const { id } = await installation.createTenant();
  const key = { name: 'reader', scopes: [...scopes], owner: { tenantId: id }, expiresAt: null };
  return { tenantId: id, caller: createApiClient(baseUrl, (await installation.admin.keys.create(key)).secret) };
}

const publish = (topic: 'entity' | 'rawEntity', messages: readonly RecordMessage[]) =>
  installation.publisher.publish(`${installation.environment.TENANTSCOPE_TOPIC_PREFIX}.${topics[topic].suffix}`, [
    ...messages,
  ]);

/** All current rows: the request waits for a bound ahead, so everything that was returned by id is in the list. */
const everythingNow = (caller: ApiClient, path: string, parameters: Record<string, string> = {}) =>
  readAllRows(caller, path, { to: new Date(Date.now() + 50).toISOString(), ...parameters });

async function idsOf(caller: ApiClient, path: string, parameters: Record<string, string> = {}): Promise<string[]> {
  return (await everythingNow(caller, path, parameters)).map(({ id }) => id).sort();
}

const waitUntilServed = (caller: ApiClient, path: string, id: string, version: number) =>
  eventually(`version ${version} of ${path}/${id}`, 20_000, async () => {
    const { body } = await caller.get(`${path}/${encodeURIComponent(id)}`);
    return body.data?.version === version;
  });

const deadLettersOf = async (tenantId: string) =>
  (await inspector.deadLetters()).filter((deadLetter) => deadLetter.tenantId === tenantId).map(({ reason }) => reason);

const named = { email: 'internetMessageId', file: 'name', sensitiveInfoType: 'name' } as Record<string, string>;

test.each(Object.entries(entities))(
  '%s returns the published entities in lists and by id',
  async (kind, { list, get }) => {
    const { tenantId, caller } = await reader();
    const members = { [named[kind] ?? 'displayName']: 'A name\u202e', ...(kind === 'agent' ? { kind: 'bot' } : {}) };
    await publish('entity', [
      entityMessage(kind, tenantId, 'one', 3, { ...members, createdAt: '2026-01-02T03:04:05Z' }),
    ]);
    await waitUntilServed(caller, list.path, 'one', 3);
    const [row, ...more] = await everythingNow(caller, list.path);
    expect(more).toEqual([]);
    expect(Object.keys(row)).toEqual(Object.keys(list.record.shape));
    expect(row).toMatchObject({
      id: 'one',
      version: 3,
      changeId: 'one:3',
      tenantId,
      firstSeenAt: row.updatedAt,
      createdAt: '2026-01-02T03:04:05.000Z',
      lastSeenAt: new Date(changedMs(3)).toISOString(),
      deletedAt: null,
      [named[kind] ?? 'displayName']: 'A name\\u{202E}',
    });
    const detail = (await caller.get(`${list.path}/one`)).body.data;
    expect(Object.keys(detail)).toEqual(Object.keys(get.record.shape));
    expect(detail).toMatchObject(row);
  },
);

test('parts of one entity merge across topics and increment its version', async () => {
  const { tenantId, caller } = await reader();
  const id = '87d349ed-44d7-43e1-9a83-5f2406dee5bd';
  const user = { id, displayName: 'Adele Vance', userPrincipalName: 'AdeleV@contoso.example', department: 'Retail' };
  const risk = { id, riskLevel: 'high', riskState: 'atRisk', riskLastUpdatedDateTime: '2026-10-02T00:00:00Z' };
  const key = { kind: 'user', id };
  await publish('rawEntity', [
    sourceMessage('graph.riskyUser', tenantId, key, risk),
    sourceMessage('graph.user', tenantId, key, user),
  ]);
  const rawVersion = changedMs(0) + Date.parse('2026-10-02T00:00:00Z');
  await waitUntilServed(caller, '/users', id, rawVersion);
  await publish('entity', [entityMessage('user', tenantId, id, 7, { displayName: 'Adele V.', riskLevel: 'low' })]);
  await waitUntilServed(caller, '/users', id, rawVersion + 7);
  const byName = (await caller.get('/users/ADELEV@contoso.example')).body.data;
  // Only of the domain record: the state of a risk is not copied from another risk.
  expect(byName).toMatchObject({
    id,
    displayName: 'Adele V.',
    department: 'Retail',
    riskLevel: 'low',
    riskState: null,
  });
  expect(await deadLettersOf(tenantId)).toEqual([]);
});

test('a permission whose id is longer than an index entry counts, and the records behind it are read', async () => {
  const { tenantId, caller } = await reader();
  const file = { kind: 'file', id: 'f' };
  const id = randomBytes(3_000).toString('base64url');
  await publish('rawEntity', [
    sourceMessage('graph.driveitem', tenantId, file, { id: 'f', name: 'a.txt' }),
    sourceMessage('graph.permission', tenantId, file, { id, roles: ['read'], link: { scope: 'anonymous' } }),
    sourceMessage('graph.driveitem', tenantId, { kind: 'file', id: 'g' }, { id: 'g', name: 'b.txt' }),
  ]);
  await eventually('the file behind it', 20_000, async () => {
    const { body } = await caller.get('/files/g');
    return body.data?.name === 'b.txt';
  });
  expect((await caller.get('/files/f')).body.data).toMatchObject({ name: 'a.txt', hasAnonymousLink: true });
  expect(await deadLettersOf(tenantId)).toEqual([]);
});

test('an alias resolves to its entity until another entity claims it', async () => {
  const { tenantId, caller } = await reader();
  const app = (name: string, appId: string, version: number) =>
    entityMessage('app', tenantId, name, version, { displayName: name, appId });
  await publish('entity', [app('one', 'C0FFEE00-0000-4000-8000-000000000001', 1)]);
  await waitUntilServed(caller, '/apps', 'one', 1);
  expect((await caller.get('/apps/c0ffee00-0000-4000-8000-000000000001')).body.data.id).toBe('one');
  expect((await caller.get('/users/c0ffee00-0000-4000-8000-000000000001')).status).toBe(404);
  await publish('entity', [app('one', 'c0ffee00-0000-4000-8000-000000000002', 2)]);
  await waitUntilServed(caller, '/apps', 'one', 2);
  expect((await caller.get('/apps/c0ffee00-0000-4000-8000-000000000001')).status).toBe(404);
  const stranger = await reader();
  const responses = await Promise.all(
    ['one', 'c0ffee00-0000-4000-8000-000000000002', 'nobody'].map((id) =>
      stranger.caller.get(`/apps/${id}`, {}, { 'X-Request-Id': 'the-same' }),
    ),
  );
  expect(new Set(responses.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
  expect(responses[0]?.status).toBe(404);
});

test('an ambiguous alias resolves to the remaining entity, otherwise always to the same one', async () => {
  const { tenantId, caller } = await reader();
  const userPrincipalName = 'shared@example.test';
  await publish(
    'entity',
    ['c-gone', 'a-gone', 'z-here'].map((id) =>
      entityMessage('user', tenantId, id, 1, { displayName: id, userPrincipalName }),
    ),
  );
  await waitUntilServed(caller, '/users', 'z-here', 1);
  await publish(
    'entity',
    ['c-gone', 'a-gone'].map((id) => deletionMessage('user', tenantId, id, 2)),
  );
  for (const id of ['a-gone', 'c-gone']) await waitUntilServed(caller, '/users', id, 3);
  const idOf = async () => (await caller.get(`/users/${userPrincipalName}`)).body.data.id;
  expect(await idOf()).toBe('z-here');
  await publish('entity', [deletionMessage('user', tenantId, 'z-here', 2)]);
  await waitUntilServed(caller, '/users', 'z-here', 3);
  expect(await idOf()).toBe('a-gone');
});

test('a deleted entity is hidden in lists by default, returned by id, and restored only by a newer state', async () => {
  const { tenantId, caller } = await reader();
  const state = (version: number) =>
    entityMessage('group', tenantId, 'g', version, { displayName: `Version ${version}`, mail: 'g@contoso.example' });
  await publish('entity', [state(2), deletionMessage('group', tenantId, 'g', 4), state(3)]);
  await waitUntilServed(caller, '/groups', 'g', 3 + 4);
  expect(await idsOf(caller, '/groups')).toEqual([]);
  expect(await idsOf(caller, '/groups', { includeDeleted: 'false' })).toEqual([]);
  expect(await idsOf(caller, '/groups', { includeDeleted: 'true' })).toEqual(['g']);
  const gone = (await caller.get('/groups/g@contoso.example')).body.data;
  expect(gone).toMatchObject({ displayName: 'Version 3', deletedAt: new Date(changedMs(4)).toISOString() });
  await publish('entity', [tombstone(state(3)), state(5)]);
  await waitUntilServed(caller, '/groups', 'g', 5 + 4);
  expect((await caller.get('/groups/g')).body.data).toMatchObject({ deletedAt: null, firstSeenAt: gone.firstSeenAt });
  expect(await idsOf(caller, '/groups')).toEqual(['g']);
  expect(await deadLettersOf(tenantId)).toEqual([]);
});

test('conflicting states are dead-lettered on platform topics, and ignored as stale and counted on provider topics', async () => {
  const { tenantId, caller } = await reader();
  const siteState = (displayName: string) => entityMessage('site', tenantId, 's', 1, { displayName });
  await publish('entity', [siteState('A'), siteState('B'), siteState('A'), siteState('B')]);
  const raw = (displayName: string) =>
    sourceMessage('graph.site', tenantId, { kind: 'site', id: 'r' }, { id: 'r', displayName });
  await publish('rawEntity', [raw('A'), raw('B'), raw('A')]);
  await waitUntilServed(caller, '/sites', 'r', changedMs(0));
  await publish('entity', [tombstone(siteState('A')), entityMessage('site', tenantId, 's', 2, { displayName: 'C' })]);
  await waitUntilServed(caller, '/sites', 's', 2);
  const deadLetters = await deadLettersOf(tenantId);
  expect(deadLetters.filter((reason) => reason === 'SCHEMA_VIOLATION')).toHaveLength(1);
  expect(deadLetters.filter((reason) => reason === 'VERSION_CONFLICT').length).toBeGreaterThanOrEqual(1);
  expect(deadLetters.length).toBeLessThanOrEqual(3);
  const conflicts = /ingest_conflicts_total\{topic="[^"]+\.raw\.entity\.v1",cell="default"\} [1-9]/;
  expect(await (await fetch(metricsUrl)).text()).toMatch(conflicts);
});

test('entity lists support the filters of the contract', async () => {
  const { tenantId, caller } = await reader();
  const users = [
    {
      displayName: 'Ada',
      userPrincipalName: 'zoe@contoso.example',
      userType: 'member',
      roles: ['Global Administrator'],
    },
    { displayName: 'Bob', userPrincipalName: 'ada.b@contoso.example', userType: 'guest', riskLevel: 'high' },
    {
      displayName: 'Cyd',
      mail: 'ADA.c@contoso.example',
      userType: 'guest',
      department: 'Sales',
      accountEnabled: false,
    },
    { displayName: 'ädä', userPrincipalName: 'd@contoso.example', hasCopilotLicense: true },
  ];
  await publish(
    'entity',
    users.map((user, index) => entityMessage('user', tenantId, `u${index}`, 1, user)),
  );
  for (const index of users.keys()) await waitUntilServed(caller, '/users', `u${index}`, 1);
  const matching = (parameters: Record<string, string>) => idsOf(caller, '/users', parameters);
  expect(await matching({ search: 'ADA' })).toEqual(['u0', 'u1', 'u2']);
  expect(await matching({ search: 'Ä' })).toEqual(['u3']);
  expect(await matching({ search: '%' })).toEqual([]);
  expect(await matching({ userType: 'guest' })).toEqual(['u1', 'u2']);
  expect(await matching({ userType: 'guest', riskLevel: 'high,medium' })).toEqual(['u1']);
  expect(await matching({ role: 'Global Administrator,Reader' })).toEqual(['u0']);
  expect(await matching({ isAdmin: 'true' })).toEqual(['u0']);
  expect(await matching({ accountEnabled: 'false' })).toEqual(['u2']);
  expect(await matching({ department: 'Sales' })).toEqual(['u2']);
  expect(await matching({ hasCopilotLicense: 'true' })).toEqual(['u3']);
  expect((await caller.get('/users', { userType: 'robot' })).code).toBe('INVALID_PARAMETER');
});

test('the owner of an agent is its own value, otherwise the assigned one', async () => {
  const { tenantId, caller } = await reader();
  const agent = (id: string, more: Record<string, unknown>) =>
    entityMessage('agent', tenantId, id, 1, { displayName: id, kind: 'copilotStudioAgent', ...more });
  const assigned = (id: string, userId: string | null, version: number) =>
    recordMessage('entity.accountable.upserted', {
      ...{ id: `for-${id}`, tenantId, version, changedAt: new Date(changedMs(version)).toISOString() },
      ...{ subject: { type: 'agent', id }, userId, userName: userId && 'Grace', assignedBy: 'admin' },
    });
  await publish('entity', [
    agent('owned', { ownerId: 'o', ownerName: 'Olga', ownerSource: 'nativeOwner' }),
    agent('orphan', { ownerSource: 'none', instructions: 'Use the password: hunter2hunter2 always.' }),
    assigned('owned', 'g', 1),
    assigned('orphan', 'g', 1),
  ]);
  await waitUntilServed(caller, '/agents', 'owned', 2);
  await waitUntilServed(caller, '/agents', 'orphan', 2);
  expect((await caller.get('/agents/owned')).body.data).toMatchObject({ ownerId: 'o', ownerSource: 'nativeOwner' });
  const { data: orphan } = (await caller.get('/agents/orphan')).body;
  expect(orphan).toMatchObject({ ownerId: 'g', ownerName: 'Grace', ownerSource: 'assignment', hasInstructions: true });
  expect(orphan.instructions).toBe('Use the password: [removed] always.');
  expect(await idsOf(caller, '/agents', { ownerSource: 'assignment' })).toEqual(['orphan']);
  await publish('entity', [assigned('orphan', null, 2)]);
  await waitUntilServed(caller, '/agents', 'orphan', 3);
  expect(await idsOf(caller, '/agents', { ownerSource: 'none' })).toEqual(['orphan']);
});

test('the files of a Graph site are found by its id, and the events of a file by the id of the file', async () => {
  const { tenantId, caller } = await reader();
  const [collection, item] = ['5d2c7126-1370-44e7-a1f5-426573fda80a', '4b3a2918-0716-4f5e-8d4c-3b2a19180706'];
  const siteId = `contoso.example,${collection},2d2244c3-251a-49ea-93a8-39e1c3a060fe`;
  const name = 'Minutes.docx';
  const fileOf = (id: string, parent: string, listItemUniqueId: string) =>
    sourceMessage(
      'graph.driveitem',
      tenantId,
      { kind: 'file', id },
      { id, name, parentReference: { siteId: parent }, sharepointIds: { listItemUniqueId } },
    );
  await publish('rawEntity', [
    sourceMessage('graph.site', tenantId, { kind: 'site', id: siteId }, { id: siteId, displayName: 'Archive' }),
    fileOf('01ABC', siteId, item),
    fileOf('01DEF', siteId.replaceAll('5d2c', '6e3d'), collection),
  ]);
  for (const id of ['01ABC', '01DEF']) await waitUntilServed(caller, '/files', id, changedMs(0));
  await waitUntilServed(caller, '/sites', siteId, changedMs(0));
  expect((await caller.get(`/sites/${collection}`)).body.data).toMatchObject({
    id: siteId,
    aliases: { siteCollectionId: collection },
  });
  expect(await idsOf(caller, '/files', { siteId })).toEqual(['01ABC']);
  const { aliases } = (await caller.get('/files/01ABC')).body.data;
  expect(aliases).toEqual({ listItemUniqueId: item, googleId: null });

  const record = activityRecord(1, { ListItemUniqueId: item });
  await installation.publisher.publish(installation.activityTopic, [activityMessage(tenantId, record)]);
  const entity = { type: 'file', id: '01ABC', name };
  const [openedAt, lastSeenAt] = ['2026-10-01T00:00:00Z', '2026-10-01T01:00:00Z'];
  await installation.publisher.publish(
    `${installation.environment.TENANTSCOPE_TOPIC_PREFIX}.${topics.detection.suffix}`,
    [recordMessage('detection.upserted', detectionState(tenantId, 1, 1, { entity, openedAt, lastSeenAt }))],
  );
  await eventually('the detection', 20_000, async () => (await caller.get('/detections/detection-1')).status === 200);
  await eventually('the event', 20_000, async () => (await caller.get('/logs')).body.data.length === 1);
  const events = async (path: string, parameters: Record<string, string> = {}) =>
    (await caller.get(path, parameters)).body.data.map(
      ({ externalEventId }: { externalEventId: string }) => externalEventId,
    );
  expect(await events('/logs', { targetId: aliases.listItemUniqueId })).toEqual([record.Id]);
  expect(await events('/detections/detection-1/logs')).toEqual([record.Id]);
});

test('log rows written after an app is registered contain its id and name', async () => {
  const { tenantId, caller } = await reader();
  const clientId = 'c0ffee00-0000-4000-8000-00000000a995';
  await publish('entity', [entityMessage('app', tenantId, 'payroll', 1, { displayName: 'Payroll', appId: clientId })]);
  await waitUntilServed(caller, '/apps', 'payroll', 1);
  // Ingest refreshes its cached apps every few seconds.
  await eventually('a row with its application', 25_000, async () => {
    const record = { ...activityRecord(Date.now() % 1e6), ApplicationId: clientId };
    await installation.publisher.publish(installation.activityTopic, [activityMessage(tenantId, record)]);
    await new Promise((resolve) => setTimeout(resolve, 500));
    const { body } = await caller.get('/logs', { applicationId: 'payroll' });
    return body.data[0]?.applicationClientId === clientId && body.data[0]?.applicationDisplayName === 'Payroll';
  });
});

test('log rows contain the id of the user that their actor is, by whatever id or name', async () => {
  const { tenantId, caller } = await reader();
  const [puid, other] = ['10032001abcdef01', '10032001abcdef02'];
  const upn = 'ada@contoso.example';
  await publish('entity', [
    entityMessage('user', tenantId, 'ada', 1, {
      displayName: 'Ada',
      userPrincipalName: upn,
      proxyAddresses: ['SMTP:Countess@contoso.example'],
      aliases: { puid: puid.toUpperCase(), sid: null, googleId: null, oktaId: null },
    }),
  ]);
  await waitUntilServed(caller, '/users', 'ada', 1);
  const records = [
    { UserKey: puid, UserId: 'unnamed' },
    { UserKey: other, UserId: 'ADA@contoso.example' },
    { UserKey: 'x', UserId: 'countess@contoso.example' },
    { UserKey: other, UserId: 'bob@contoso.example' },
  ];
  await installation.publisher.publish(
    installation.activityTopic,
    records.map((record, number) => activityMessage(tenantId, { ...activityRecord(number), ...record })),
  );
  await eventually('four rows', 20_000, async () => (await caller.get('/logs')).body.data.length === records.length);
  const { data } = (await caller.get('/logs')).body as { data: Record<string, string | null>[] };
  const found = Object.fromEntries(data.map(({ actorName, actorUserId }) => [actorName, actorUserId]));
  expect(found).toEqual({
    unnamed: 'ada',
    'ADA@contoso.example': 'ada',
    'countess@contoso.example': 'ada',
    'bob@contoso.example': null,
  });
  // Ingest reads changes of a cached tenant every five seconds.
  await publish('entity', [
    entityMessage('user', tenantId, 'bob', 1, { displayName: 'Bob', userPrincipalName: 'bob@contoso.example' }),
  ]);
  await waitUntilServed(caller, '/users', 'bob', 1);
  await eventually('a row of a user who was added later', 25_000, async () => {
    const record = { ...activityRecord(100 + (Date.now() % 1e6)), ...records[3] };
    await installation.publisher.publish(installation.activityTopic, [activityMessage(tenantId, record)]);
    await new Promise((resolve) => setTimeout(resolve, 500));
    return (await caller.get('/logs')).body.data[0]?.actorUserId === 'bob';
  });
});

test('a poller on updatedAt ends at the last version of every entity', async () => {
  const { tenantId, caller } = await reader();
  const seen = new Map<string, number>();
  const poll = async (cursor: string) => {
    const { body } = await caller.get('/devices', { cursor });
    for (const { id, version } of body.data) {
      expect(version).toBeGreaterThanOrEqual(seen.get(id) ?? 0);
      seen.set(id, version);
    }
    return body.pagination.resumeCursor as string;
  };
  const start = await caller.get('/devices', { sort: 'updatedAtAsc', includeDeleted: 'true', limit: '7' });
  let cursor = start.body.pagination.resumeCursor as string;
  const messages = Array.from({ length: 60 }, (_, index) => {
    const [id, version] = [`d${index % 12}`, 1 + ((index * 7) % 5)];
    return entityMessage('device', tenantId, id, version, { displayName: `${id} ${version}` });
  });
  for (let at = 0; at < messages.length; at += 10) {
    await publish('entity', messages.slice(at, at + 10));
    cursor = await poll(cursor);
  }
  const last = new Map<string, number>();
  for (const message of messages) {
    const { id, version } = JSON.parse(String(message.value)) as { id: string; version: number };
    last.set(id, Math.max(version, last.get(id) ?? 0));
  }
  await eventually('the last versions', 20_000, async () => {
    cursor = await poll(cursor);
    return [...last].every(([id, version]) => seen.get(id) === version);
  });
  expect(seen.size).toBe(last.size);
});
