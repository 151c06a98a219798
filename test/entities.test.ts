import { entities, scopes, topics } from '@tenantscope/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Caller, callerOf } from './product/caller.ts';
import { changedMs, deletionMessage, entityMessage, sourceMessage } from './product/entity-records.ts';
import { eventually } from './product/eventually.ts';
import { everything } from './product/everything.ts';
import { type RecordMessage, recordMessage, tombstone } from './product/feed-records.ts';
import { type Looking, lookInto } from './product/looking.ts';
import { type Product, product } from './product/product.ts';
import { activityMessage, activityRecord } from './product/records.ts';

let running: Product;
let looking: Looking;
let baseUrl: string;

beforeAll(async () => {
  running = await product();
  looking = await lookInto(running.database.superuser);
  await running.startIngest();
  baseUrl = (await running.startApi()).baseUrl;
}, 90_000);
afterAll(async () => {
  await looking[Symbol.asyncDispose]();
  await running[Symbol.asyncDispose]();
}, 60_000);

async function reader(): Promise<{ tenantId: string; caller: Caller }> {
  const { id } = await running.tenant();
  const key = { name: 'reader', scopes: [...scopes], owner: { tenantId: id }, expiresAt: null };
  return { tenantId: id, caller: callerOf(baseUrl, (await running.admin.keys.create(key)).secret) };
}

const publish = (topic: 'entity' | 'rawEntity', messages: readonly RecordMessage[]) =>
  running.publisher.publish(`${running.environment.TENANTSCOPE_TOPIC_PREFIX}.${topics[topic].suffix}`, [...messages]);

/** Every row there is by now: a bound that lies ahead is waited for, so whatever was served by id before is in the list. */
const everythingNow = (caller: Caller, path: string, parameters: Record<string, string> = {}) =>
  everything(caller, path, { to: new Date(Date.now() + 50).toISOString(), ...parameters });

async function idsOf(caller: Caller, path: string, parameters: Record<string, string> = {}): Promise<string[]> {
  return (await everythingNow(caller, path, parameters)).map(({ id }) => id).sort();
}

const untilServed = (caller: Caller, path: string, id: string, version: number) =>
  eventually(`version ${version} of ${path}/${id}`, 20_000, async () => {
    const { body } = await caller.get(`${path}/${encodeURIComponent(id)}`);
    return body.data?.version === version;
  });

const lettersOf = async (tenantId: string) =>
  (await looking.letters()).filter((letter) => letter.tenantId === tenantId).map(({ reason }) => reason);

const named = { email: 'internetMessageId', file: 'name', sensitiveInfoType: 'name' } as Record<string, string>;

test.each(Object.entries(entities))(
  '%s: what was published is served, in lists and by id',
  async (kind, { list, get }) => {
    const { tenantId, caller } = await reader();
    const members = { [named[kind] ?? 'displayName']: 'A name\u202e', ...(kind === 'agent' ? { kind: 'bot' } : {}) };
    await publish('entity', [
      entityMessage(kind, tenantId, 'one', 3, { ...members, createdAt: '2026-01-02T03:04:05Z' }),
    ]);
    await untilServed(caller, list.path, 'one', 3);
    const [row, ...more] = await everythingNow(caller, list.path);
    expect(more).toEqual([]);
    expect(Object.keys(row)).toEqual(Object.keys(list.record.shape));
    expect(row).toMatchObject({
      id: 'one',
      version: 3,
      changeId: 'one:3',
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

test('parts of one entity meet whatever topic they come on, and count into its version', async () => {
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
  await untilServed(caller, '/users', id, rawVersion);
  await publish('entity', [entityMessage('user', tenantId, id, 7, { displayName: 'Adele V.', riskLevel: 'low' })]);
  await untilServed(caller, '/users', id, rawVersion + 7);
  const byName = (await caller.get('/users/ADELEV@contoso.example')).body.data;
  // Of the domain record, that is: a risk's state is not taken from somebody else's risk.
  expect(byName).toMatchObject({
    id,
    displayName: 'Adele V.',
    department: 'Retail',
    riskLevel: 'low',
    riskState: null,
  });
  expect(await lettersOf(tenantId)).toEqual([]);
});

test('other names lead to an entity until they are somebody else’s', async () => {
  const { tenantId, caller } = await reader();
  const app = (name: string, appId: string, version: number) =>
    entityMessage('app', tenantId, name, version, { displayName: name, appId });
  await publish('entity', [app('one', 'C0FFEE00-0000-4000-8000-000000000001', 1)]);
  await untilServed(caller, '/apps', 'one', 1);
  expect((await caller.get('/apps/c0ffee00-0000-4000-8000-000000000001')).body.data.id).toBe('one');
  expect((await caller.get('/users/c0ffee00-0000-4000-8000-000000000001')).status).toBe(404);
  await publish('entity', [app('one', 'c0ffee00-0000-4000-8000-000000000002', 2)]);
  await untilServed(caller, '/apps', 'one', 2);
  expect((await caller.get('/apps/c0ffee00-0000-4000-8000-000000000001')).status).toBe(404);
  const stranger = await reader();
  const answers = await Promise.all(
    ['one', 'c0ffee00-0000-4000-8000-000000000002', 'nobody'].map((id) =>
      stranger.caller.get(`/apps/${id}`, {}, { 'X-Request-Id': 'the-same' }),
    ),
  );
  expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
  expect(answers[0]?.status).toBe(404);
});

test('a name that two have had leads to the one that is still there, and else to the same one each time', async () => {
  const { tenantId, caller } = await reader();
  const userPrincipalName = 'shared@example.test';
  await publish(
    'entity',
    ['c-gone', 'a-gone', 'z-here'].map((id) =>
      entityMessage('user', tenantId, id, 1, { displayName: id, userPrincipalName }),
    ),
  );
  await untilServed(caller, '/users', 'z-here', 1);
  await publish(
    'entity',
    ['c-gone', 'a-gone'].map((id) => deletionMessage('user', tenantId, id, 2)),
  );
  for (const id of ['a-gone', 'c-gone']) await untilServed(caller, '/users', id, 3);
  const idOf = async () => (await caller.get(`/users/${userPrincipalName}`)).body.data.id;
  expect(await idOf()).toBe('z-here');
  await publish('entity', [deletionMessage('user', tenantId, 'z-here', 2)]);
  await untilServed(caller, '/users', 'z-here', 3);
  expect(await idOf()).toBe('a-gone');
});

test('a deletion is a change: hidden in lists unless asked, answered by id, and undone by a newer state only', async () => {
  const { tenantId, caller } = await reader();
  const state = (version: number) =>
    entityMessage('group', tenantId, 'g', version, { displayName: `Version ${version}`, mail: 'g@contoso.example' });
  await publish('entity', [state(2), deletionMessage('group', tenantId, 'g', 4), state(3)]);
  await untilServed(caller, '/groups', 'g', 3 + 4);
  expect(await idsOf(caller, '/groups')).toEqual([]);
  expect(await idsOf(caller, '/groups', { includeDeleted: 'false' })).toEqual([]);
  expect(await idsOf(caller, '/groups', { includeDeleted: 'true' })).toEqual(['g']);
  const gone = (await caller.get('/groups/g@contoso.example')).body.data;
  expect(gone).toMatchObject({ displayName: 'Version 3', deletedAt: new Date(changedMs(4)).toISOString() });
  await publish('entity', [tombstone(state(3)), state(5)]);
  await untilServed(caller, '/groups', 'g', 5 + 4);
  expect((await caller.get('/groups/g')).body.data).toMatchObject({ deletedAt: null, firstSeenAt: gone.firstSeenAt });
  expect(await idsOf(caller, '/groups')).toEqual(['g']);
  expect(await lettersOf(tenantId)).toEqual([]);
});

test('what contradicts itself is set aside on our own topics and is stale on the providers’', async () => {
  const { tenantId, caller } = await reader();
  const told = (displayName: string) => entityMessage('site', tenantId, 's', 1, { displayName });
  await publish('entity', [told('A'), told('B'), told('A'), told('B')]);
  const raw = (displayName: string) =>
    sourceMessage('graph.site', tenantId, { kind: 'site', id: 'r' }, { id: 'r', displayName });
  await publish('rawEntity', [raw('A'), raw('B'), raw('A')]);
  await untilServed(caller, '/sites', 'r', changedMs(0));
  await publish('entity', [tombstone(told('A')), entityMessage('site', tenantId, 's', 2, { displayName: 'C' })]);
  await untilServed(caller, '/sites', 's', 2);
  const letters = await lettersOf(tenantId);
  expect(letters.filter((reason) => reason === 'SCHEMA_VIOLATION')).toHaveLength(1);
  expect(letters.filter((reason) => reason === 'VERSION_CONFLICT').length).toBeGreaterThanOrEqual(1);
  expect(letters.length).toBeLessThanOrEqual(3);
});

test('lists are filtered by what the contract names', async () => {
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
  for (const index of users.keys()) await untilServed(caller, '/users', `u${index}`, 1);
  const asked = (parameters: Record<string, string>) => idsOf(caller, '/users', parameters);
  expect(await asked({ search: 'ADA' })).toEqual(['u0', 'u1', 'u2']);
  expect(await asked({ search: 'Ä' })).toEqual(['u3']);
  expect(await asked({ search: '%' })).toEqual([]);
  expect(await asked({ userType: 'guest' })).toEqual(['u1', 'u2']);
  expect(await asked({ userType: 'guest', riskLevel: 'high,medium' })).toEqual(['u1']);
  expect(await asked({ role: 'Global Administrator,Reader' })).toEqual(['u0']);
  expect(await asked({ isAdmin: 'true' })).toEqual(['u0']);
  expect(await asked({ accountEnabled: 'false' })).toEqual(['u2']);
  expect(await asked({ department: 'Sales' })).toEqual(['u2']);
  expect(await asked({ hasCopilotLicense: 'true' })).toEqual(['u3']);
  expect((await caller.get('/users', { userType: 'robot' })).code).toBe('INVALID_PARAMETER');
});

test('who answers for an agent is what it says itself, else what was assigned', async () => {
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
  await untilServed(caller, '/agents', 'owned', 2);
  await untilServed(caller, '/agents', 'orphan', 2);
  expect((await caller.get('/agents/owned')).body.data).toMatchObject({ ownerId: 'o', ownerSource: 'nativeOwner' });
  const { data: orphan } = (await caller.get('/agents/orphan')).body;
  expect(orphan).toMatchObject({ ownerId: 'g', ownerName: 'Grace', ownerSource: 'assignment', hasInstructions: true });
  expect(orphan.instructions).toBe('Use the password: [removed] always.');
  expect(await idsOf(caller, '/agents', { ownerSource: 'assignment' })).toEqual(['orphan']);
  await publish('entity', [assigned('orphan', null, 2)]);
  await untilServed(caller, '/agents', 'orphan', 3);
  expect(await idsOf(caller, '/agents', { ownerSource: 'none' })).toEqual(['orphan']);
});

test('log rows made after an app is known carry its id and name', async () => {
  const { tenantId, caller } = await reader();
  const clientId = 'c0ffee00-0000-4000-8000-00000000a995';
  await publish('entity', [entityMessage('app', tenantId, 'payroll', 1, { displayName: 'Payroll', appId: clientId })]);
  await untilServed(caller, '/apps', 'payroll', 1);
  // Ingest looks for news of apps every few seconds.
  await eventually('a row with its application', 25_000, async () => {
    const record = { ...activityRecord(Date.now() % 1e6), ApplicationId: clientId };
    await running.publisher.publish(running.activityTopic, [activityMessage(tenantId, record)]);
    await new Promise((resolve) => setTimeout(resolve, 500));
    const { body } = await caller.get('/logs', { applicationId: 'payroll' });
    return body.data[0]?.applicationClientId === clientId && body.data[0]?.applicationDisplayName === 'Payroll';
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
