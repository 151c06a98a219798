import { randomUUID } from 'node:crypto';
import { routes } from '@tenantscope/console';
import { topics } from '@tenantscope/contract';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ConsoleClient, createTestConsole, type TestConsole } from './test-console.ts';

// Two organizations on one installation, and in the first member who looks at one of its two tenants.
let ours: TestConsole;
let theirs: TestConsole;
let superuser: pg.Client;
let whole: ConsoleClient;
let some: ConsoleClient;
let foreign: ConsoleClient;

const nowhere = '00000000-0000-4000-8000-000000000000';

beforeAll(async () => {
  ours = await createTestConsole();
  theirs = await createTestConsole({}, { lent: ours.database });
  superuser = new pg.Client(ours.database.superuser);
  await superuser.connect();
  whole = await ours.signIn('admin');
  some = await ours.signIn('admin', [ours.tenantIds[0] ?? '']);
  foreign = await theirs.signIn('admin');
  await theirs.signIn('admin');
  for (const { suffix } of Object.values(topics))
    await superuser.query(
      `insert into models.ingest_lane (cluster_id, topic_id, partition, topic, source, settled_at, opened)
       values ('still', $1, 0, $2, $3, clock_timestamp(), true)`,
      [randomUUID(), `still.${suffix}`, suffix],
    );
});
afterAll(async () => {
  await superuser?.end();
  await theirs?.[Symbol.asyncDispose]();
  await ours?.[Symbol.asyncDispose]();
});

const inADay = () => new Date(Date.now() + 86_400_000).toISOString();

async function keyOf(by: ConsoleClient, tenantId: string | null, more: object = {}): Promise<string> {
  const body = { name: 'Poller', tenantId, scopes: ['logs:read'], expiresAt: inADay(), ...more };
  const created = await by.request('POST', '/console/api/keys', body);
  expect(created.status, created.text).toBe(200);
  return created.body.key.id;
}

async function createDeadLetter(tenantId: string | null): Promise<string> {
  const { rows } = await superuser.query<{ id: string }>(
    `with message as (
       insert into models.dead_letter_message (id, topic, partition, "offset", value, headers)
       values (gen_random_uuid(), $2, 0, 0, 'what anonymous may read'::bytea, '[]') returning id)
     insert into models.dead_letter (id, message_id, element, topic, tenant_id, reason, stage, detail, worker_version)
     select gen_random_uuid(), id, 0, $2, $1, 'MALFORMED_JSON', 'decode', 'torn', '1' from message returning id`,
    [tenantId, `still.${topics.activity.suffix}`],
  );
  return rows[0]?.id ?? '';
}

interface Things {
  readonly key: string;
  readonly memberId: string;
  readonly deadLetterId: string;
  readonly session: string;
  readonly request: string;
  readonly invitation: string;
}

/** One of each thing that has an id, of the other organization. */
async function thingsOf(by: ConsoleClient, of: TestConsole): Promise<Things> {
  const [tenantId = ''] = of.tenantIds;
  const deadLetterId = await createDeadLetter(tenantId);
  const request = await by.request('POST', '/console/api/dead-letters/requests', {
    action: 'dryRun',
    ids: [deadLetterId],
  });
  expect(request.status, request.text).toBe(200);
  const invited = await by.request('POST', '/console/api/invitations', {
    name: 'Guest',
    role: 'viewer',
    tenantIds: null,
  });
  expect(invited.status, invited.text).toBe(200);
  const { body } = await by.request('GET', '/console/api/me');
  return {
    key: await keyOf(by, tenantId),
    memberId: by.memberId ?? '',
    deadLetterId,
    session: body.session.id,
    request: request.body.id,
    invitation: invited.body.id,
  };
}

/** Every request that names a thing, with what it would do. */
const naming: [string, string, (id: string) => object | undefined, keyof Things][] = [
  ['GET', '/keys/:id', () => undefined, 'key'],
  ['PATCH', '/keys/:id', () => ({ name: 'taken' }), 'key'],
  ['PATCH', '/keys/:id', () => ({ expiresAt: inADay() }), 'key'],
  ['POST', '/keys/:id/revoke', () => ({}), 'key'],
  ['POST', '/members/:id', () => ({ role: 'viewer' }), 'memberId'],
  ['POST', '/members/:id', () => ({ disabled: true }), 'memberId'],
  ['POST', '/members/:id', () => ({ tenantIds: null }), 'memberId'],
  ['POST', '/members/:id/end-sessions', () => ({}), 'memberId'],
  ['POST', '/sessions/:id/end', () => ({}), 'session'],
  ['GET', '/dead-letters/:id', () => undefined, 'deadLetterId'],
  ['GET', '/dead-letters/requests/:id', () => undefined, 'request'],
  ['POST', '/credentials/:id/remove', () => ({}), 'memberId'],
  ['POST', '/invitations/:id/revoke', () => ({}), 'invitation'],
];
/** Requests that name it in their body. */
const inBody: [string, (id: string, own: TestConsole) => object, keyof Things | 'tenant'][] = [
  ['/keys', (id) => ({ name: 'x', tenantId: id, scopes: [], expiresAt: inADay() }), 'tenant'],
  [
    '/keys',
    (id, own) => ({ name: 'x', tenantId: own.tenantIds[0], scopes: [], expiresAt: inADay(), replaces: id }),
    'key',
  ],
  [
    '/keys',
    (id, own) => ({
      name: 'x',
      tenantId: own.tenantIds[0],
      scopes: [],
      expiresAt: inADay(),
      replaces: id,
      oldKeyEndsAt: inADay(),
    }),
    'key',
  ],
  ['/dead-letters/requests', (id) => ({ action: 'dryRun', ids: [id] }), 'deadLetterId'],
  ['/dead-letters/requests', (id) => ({ action: 'replay', ids: [id] }), 'deadLetterId'],
  ['/dead-letters/requests', (id) => ({ action: 'discard', ids: [id], reason: 'mine now' }), 'deadLetterId'],
  [
    '/playground/run',
    (id) => ({ operation: 'ping', tenantId: id, mode: 'rest', parameters: {}, scopesOf: 'me' }),
    'tenant',
  ],
  ['/invitations', (id) => ({ name: 'Guest', role: 'viewer', tenantIds: [id] }), 'tenant'],
  [
    '/playground/run',
    (id, own) => ({ operation: 'ping', tenantId: own.tenantIds[0], mode: 'rest', parameters: {}, scopesOf: id }),
    'key',
  ],
];

const toComparable = ({
  status,
  body,
}: {
  status: number;
  body: { error?: { code: string; message: string; details: unknown } };
}) => ({
  status,
  code: body.error?.code,
  message: body.error?.message,
  details: body.error?.details,
});

/** Everything that may be changed of a thing. */
const readMutableState = async (): Promise<string> => {
  const { rows } = await superuser.query(`
    select (select jsonb_agg(to_jsonb(k) order by id) from control.api_key k)::text || (select jsonb_agg(to_jsonb(p) - 'last_signed_in_at' order by id) from control.member p)::text
        || (select jsonb_agg(to_jsonb(s) - 'seen_at' order by id) from control.console_session s)::text || (select jsonb_agg(to_jsonb(r) order by id) from control.dead_letter_request r)::text
        || (select jsonb_agg(to_jsonb(l) order by id) from models.dead_letter l)::text
        || (select jsonb_agg(to_jsonb(t) order by id) from control.set_up_token t)::text as all`);
  return rows[0].all;
};

test('the cases cover every route with an id', () => {
  const withId = routes.filter(({ path }) => path.includes(':id')).map(({ method, path }) => `${method} ${path}`);
  expect(new Set(naming.map(([method, path]) => `${method} ${path}`))).toEqual(new Set(withId));
});

test('ids of another organization get the same response as unknown ids, and nothing changes', async () => {
  const things = await thingsOf(foreign, theirs);
  // A role that an identity provider gives is a thing to know of member, too.
  await superuser.query(`update control.member set source = 'oidc' where id = $1`, [foreign.memberId]);
  const before = await readMutableState();
  for (const [method, path, body, kind] of naming) {
    const send = (id: string) => whole.request(method, `/console/api${path.replace(':id', id)}`, body(id));
    const [unknown, existing] = [await send(nowhere), await send(things[kind])];
    expect(toComparable(existing), `${method} ${path}`).toEqual(toComparable(unknown));
    expect(unknown.status, `${method} ${path} ${unknown.text}`).toBe(404);
  }
  for (const [path, body, kind] of inBody) {
    const id = kind === 'tenant' ? (theirs.tenantIds[0] ?? '') : things[kind];
    const send = (named: string) => whole.request('POST', `/console/api${path}`, body(named, ours));
    const [unknown, existing] = [await send(nowhere), await send(id)];
    expect(toComparable(existing), `${path} ${kind}`).toEqual(toComparable(unknown));
    expect([400, 404], `${path} ${kind} ${unknown.text}`).toContain(unknown.status);
  }
  expect(await readMutableState()).toBe(before);
});

test('ids of inaccessible tenants of the own organization get the same response as unknown ids', async () => {
  const second = ours.tenantIds[1] ?? '';
  const things = {
    ...(await thingsOf(whole, ours)),
    key: await keyOf(whole, second),
    deadLetterId: await createDeadLetter(second),
  };
  const kinds = new Set(['key', 'deadLetterId', 'session', 'request', 'tenant']);
  const before = await readMutableState();
  for (const [method, path, body, kind] of naming.filter(([, , , kind]) => kinds.has(kind))) {
    const send = (id: string) => some.request(method, `/console/api${path.replace(':id', id)}`, body(id));
    expect(toComparable(await send(things[kind])), `${method} ${path}`).toEqual(toComparable(await send(nowhere)));
  }
  for (const [path, body, kind] of inBody) {
    const id = kind === 'tenant' ? second : things[kind as keyof Things];
    const send = (named: string) => some.request('POST', `/console/api${path}`, body(named, ours));
    expect(toComparable(await send(id)), `${path} ${kind}`).toEqual(toComparable(await send(nowhere)));
  }
  for (const change of [{ role: 'viewer' }, { disabled: true }, { tenantIds: null }])
    expect((await some.request('POST', `/console/api/members/${whole.memberId}`, change)).status).toBe(403);
  expect((await some.request('PATCH', '/console/api/organization', { keyLifetimeDays: 1 })).status).toBe(403);
  expect(await readMutableState()).toBe(before);
});

test('a key does not show a replaced key of an inaccessible tenant', async () => {
  const hidden = await keyOf(whole, null, { name: 'Of the whole organization' });
  const shown = await keyOf(whole, ours.tenantIds[0] ?? '', { replaces: hidden });
  const { body } = await some.request('GET', `/console/api/keys/${shown}`);
  expect(body).toMatchObject({ key: { id: shown, replaces: null }, replaced: null });
  const { body: list } = await some.request('GET', '/console/api/keys');
  expect(JSON.stringify(list)).not.toContain(hidden);
  const { body: of } = await whole.request('GET', `/console/api/keys/${shown}`);
  expect(of.replaced).toMatchObject({ id: hidden });
});

test('dead letters are counted for members with access to their tenant, and those without a tenant for operators only', async () => {
  await superuser.query('delete from models.dead_letter');
  for (const tenantId of [
    ours.tenantIds[0],
    ours.tenantIds[0],
    ours.tenantIds[1],
    theirs.tenantIds[0],
    null,
    randomUUID(),
  ])
    await createDeadLetter(tenantId ?? null);
  const countPending = async (by: ConsoleClient, tenantId?: string) => {
    const query = tenantId === undefined ? '' : `?tenantId=${tenantId}`;
    const [feeds, line, deadLetters] = await Promise.all(
      ['/feeds', '/settled', '/dead-letters'].map((path) => by.request('GET', `/console/api${path}${query}`)),
    );
    return [
      feeds?.body.feeds.reduce((sum: number, feed: { pending: number }) => sum + feed.pending, 0),
      line?.body.pending,
      deadLetters?.body.reasons.reduce((sum: number, reason: { count: number }) => sum + reason.count, 0),
    ];
  };
  expect(await countPending(whole)).toEqual([3, 3, 3]);
  expect(await countPending(some)).toEqual([2, 2, 2]);
  expect(await countPending(foreign)).toEqual([1, 1, 1]);
  expect(await countPending(await ours.signIn('viewer', []))).toEqual([0, 0, 0]);
  // With a tenant chosen every count is of that tenant, and of none that the member may not see.
  expect(await countPending(whole, ours.tenantIds[0])).toEqual([2, 2, 2]);
  expect(await countPending(whole, ours.tenantIds[1])).toEqual([1, 1, 1]);
  expect(await countPending(whole, theirs.tenantIds[0])).toEqual([0, 0, 0]);
  expect(await countPending(some, ours.tenantIds[1])).toEqual([0, 0, 0]);
});

test('a member sees sources of accessible tenants only', async () => {
  for (const tenantId of [...ours.tenantIds, ...theirs.tenantIds])
    await superuser.query(
      `insert into models.source_progress (cluster_id, topic_id, partition, tenant_id, source, last_discovered_at, row_count)
       values ('still', $1, 0, $2, 'm365_management', clock_timestamp(), 1)`,
      [randomUUID(), tenantId],
    );
  const seen = async (by: ConsoleClient) =>
    (await by.request('GET', '/console/api/feeds/activity')).body.sources
      .map(({ tenantId }: { tenantId: string }) => tenantId)
      .sort();
  expect(await seen(whole)).toEqual([...ours.tenantIds].sort());
  expect(await seen(some)).toEqual([ours.tenantIds[0]]);
  expect(await seen(foreign)).toEqual([...theirs.tenantIds].sort());
});

test('a source that a collector reports is listed before it has a row, with its gap, as in "tenantscope source status"', async () => {
  const [tenantId = '', second = ''] = ours.tenantIds;
  const gap = { from: '2026-11-20T00:00:00Z', to: '2026-11-20T01:00:00Z', reason: 'not collected: HTTP 401' };
  const reports = [
    [tenantId, 'refused', { source: 'logs/SystemLog', enabled: true, gaps: [gap] }],
    [tenantId, 'empty', { source: 'group', enabled: true, lastCompleteImportAt: new Date().toISOString(), gaps: [] }],
    [tenantId, 'paused', { source: 'device', enabled: false }],
    [second, 'second', { source: 'logs/login', enabled: true }],
    // An import that claims to be of the future proves nothing.
    [second, 'ahead', { source: 'site', enabled: true, lastCompleteImportAt: inADay() }],
  ] as const;
  for (const [tenant, id, payload] of reports)
    await superuser.query(
      `insert into models.compliance_record (tenant_id, id, record_id, kind, version, digest, updated_at, changed_at, document)
       values ($1, 'sourceStatus/' || $2, $2, 'sourceStatus', 1, '', now(), now(), $3)`,
      [tenant, id, JSON.stringify({ payload })],
    );
  const seen = async (by: ConsoleClient) =>
    (await by.request('GET', '/console/api/feeds/activity')).body.sources.filter(
      ({ rows }: { rows: number }) => rows === 0,
    );
  const missing = { lastOccurredAt: null, lastDiscoveredAt: null, importedAt: null, heardAt: null, state: 'missing' };
  expect(await seen(some)).toMatchObject([
    { tenantId, source: 'devices', isEnabled: false, gaps: null, ...missing },
    { tenantId, source: 'groups', isEnabled: true, gaps: [], state: 'heard', lastDiscoveredAt: null },
    { tenantId, source: 'logs/SystemLog', feed: 'logs', isEnabled: true, gaps: [gap], ...missing },
  ]);
  const ofSecond = (await seen(whole)).filter((one: { tenantId: string }) => one.tenantId === second);
  expect(ofSecond).toMatchObject([
    { source: 'logs/login', isEnabled: true, ...missing },
    { source: 'sites', isEnabled: true, ...missing },
  ]);
  expect(await seen(foreign)).toEqual([]);
});

test('a member sees rejected records of accessible tenants only, with their share of what arrived', async () => {
  await superuser.query('delete from models.dead_letter');
  for (const tenantId of [...ours.tenantIds, ...theirs.tenantIds]) await createDeadLetter(tenantId);
  const { rows } = await superuser.query<{ rows: number }>(
    `select coalesce(sum(row_count), 0)::int as rows from models.source_status where tenant_id = $1 and position('/' in source) = 0`,
    [ours.tenantIds[0]],
  );
  const rejected = async (by: ConsoleClient) =>
    (await by.request('GET', '/console/api/feeds/activity')).body.rejected as { tenantId: string; share: number }[];
  const tenantsOf = async (by: ConsoleClient) => (await rejected(by)).map(({ tenantId }) => tenantId).sort();
  expect(await tenantsOf(whole)).toEqual([...ours.tenantIds].sort());
  expect(await tenantsOf(foreign)).toEqual([...theirs.tenantIds].sort());
  expect(await rejected(some)).toEqual([
    { tenantId: ours.tenantIds[0], format: null, rejected: 1, share: 1 / (1 + (rows[0]?.rows ?? 0)) },
  ]);
});

test('a member sees source bindings of accessible tenants only, with the reason where a topic is not read', async () => {
  const [first, second] = ours.tenantIds;
  const bound = [
    ['own', first, null],
    ['second', second, null],
    ['theirs', theirs.tenantIds[0], null],
    // The topic of several tenants is none's.
    ['shared', null, 'OrganizationId'],
  ] as const;
  for (const [topic, tenantId, tenantPath] of bound)
    await superuser.query(
      `insert into control.source_binding (cluster, topic, format, tenant_id, tenant_path, problem, checked_at)
       values ('partner', $1, 'okta.system-log', $2, $3, 'Kafka at partner.example:9093 does not respond', clock_timestamp())`,
      [topic, tenantId, tenantPath],
    );
  await superuser.query(
    `insert into control.source_binding (cluster, topic, format, tenant_id, removed_at) values ('main', 'own', 'okta.system-log', $1, clock_timestamp())`,
    [first],
  );
  const seen = async (by: ConsoleClient) =>
    (await by.request('GET', '/console/api/feeds/activity')).body.bindings.map(({ topic }: { topic: string }) => topic);
  expect(await seen(whole)).toEqual(['own', 'second']);
  expect(await seen(foreign)).toEqual(['theirs']);
  const { body } = await some.request('GET', '/console/api/feeds/activity');
  expect(body.bindings).toEqual([
    {
      id: expect.any(String),
      cluster: 'partner',
      topic: 'own',
      format: 'okta.system-log',
      tenantId: first,
      createdAt: expect.any(String),
      state: 'not read',
      reason: 'Kafka at partner.example:9093 does not respond',
      lanes: 0,
      unread: 0,
      writtenAt: null,
    },
  ]);
});

test('the audit log of another organization is not visible, and members see own events and those of accessible tenants', async () => {
  const [first = '', second = ''] = ours.tenantIds;
  await keyOf(whole, first, { name: 'seen by both' });
  await keyOf(whole, second, { name: 'of the second' });
  await keyOf(whole, null, { name: 'of all' });
  await keyOf(foreign, theirs.tenantIds[0] ?? '', { name: 'of theirs' });
  await keyOf(some, first, { name: 'made by some' });
  const listed = async (by: ConsoleClient) => (await by.request('GET', '/console/api/audit')).text;
  const exported = (by: ConsoleClient) => by.request('GET', '/console/api/audit/export');
  for (const text of [await listed(whole), (await exported(whole)).text]) {
    for (const name of ['seen by both', 'of the second', 'of all', 'made by some']) expect(text).toContain(name);
    expect(text).not.toContain('of theirs');
    for (const id of [...theirs.tenantIds, theirs.organizationId]) expect(text).not.toContain(id);
  }
  const text = await listed(some);
  for (const name of ['seen by both', 'made by some']) expect(text).toContain(name);
  for (const name of ['of the second', 'of all', 'of theirs']) expect(text).not.toContain(name);
  expect(text).not.toContain(second);
  expect(text).not.toContain(theirs.organizationId);
  expect(await exported(some), 'a chain with gaps proves nothing').toMatchObject({ status: 403 });
  const narrowed = await some.request('GET', `/console/api/audit?actor=member:${foreign.memberId}`);
  expect(narrowed.body.events).toEqual([]);
});

test('members of another organization are not visible, and a member with access to some tenants sees others with access to them', async () => {
  const elsewhere = await ours.signIn('viewer', [ours.tenantIds[1] ?? '']);
  const both = await ours.signIn('viewer', [...ours.tenantIds]);
  const listMembers = async (by: ConsoleClient): Promise<{ id: string; tenantIds: string[] | null }[]> =>
    (await by.request('GET', '/console/api/members')).body.members;
  const all = (await listMembers(whole)).map(({ id }) => id);
  expect(all).toContain(elsewhere.memberId);
  expect(all).not.toContain(foreign.memberId);
  const seen = await listMembers(some);
  expect(seen.map(({ id }) => id)).toContain(whole.memberId);
  expect(seen.map(({ id }) => id)).not.toContain(elsewhere.memberId);
  expect(seen.find(({ id }) => id === both.memberId)?.tenantIds).toEqual([ours.tenantIds[0]]);
});

test('playground runs against a tenant that is no longer accessible are not shown', async () => {
  const runner = await ours.signIn('admin');
  for (const tenantId of ours.tenantIds)
    await superuser.query(
      `insert into control.playground_run (member_id, tenant_id, mode, operation, parameters, status, duration_ms) values ($1, $2, 'rest', 'ping', '{}', 200, 1)`,
      [runner.memberId, tenantId],
    );
  const runs = async () =>
    (await runner.request('GET', '/console/api/playground/history')).body.runs.map(
      ({ tenantId }: { tenantId: string }) => tenantId,
    );
  expect((await runs()).sort()).toEqual([...ours.tenantIds].sort());
  await superuser.query('update control.member set tenant_ids = $2 where id = $1', [
    runner.memberId,
    [ours.tenantIds[0]],
  ]);
  expect(await runs()).toEqual([ours.tenantIds[0]]);
});
