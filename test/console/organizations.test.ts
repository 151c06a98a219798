import { randomUUID } from 'node:crypto';
import { routes } from '@tenantscope/console';
import { topics } from '@tenantscope/contract';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type TestConsole, testConsole, type Visitor } from './visitor.ts';

// Two organizations on one installation, and in the first somebody who looks at one of its two tenants.
let ours: TestConsole;
let theirs: TestConsole;
let superuser: pg.Client;
let whole: Visitor;
let some: Visitor;
let foreign: Visitor;

const nowhere = '00000000-0000-4000-8000-000000000000';

beforeAll(async () => {
  ours = await testConsole();
  theirs = await testConsole({}, { lent: ours.database });
  superuser = new pg.Client(ours.database.superuser);
  await superuser.connect();
  whole = await ours.visitor('admin');
  some = await ours.visitor('admin', [ours.tenantIds[0] ?? '']);
  foreign = await theirs.visitor('admin');
  await theirs.visitor('admin');
  for (const { suffix } of Object.values(topics))
    await superuser.query(
      `insert into models.ingest_lane (cluster_id, topic_id, partition, topic, source, settled_at, opened)
       values ('still', $1, 0, $2, $3, clock_timestamp(), true)`,
      [randomUUID(), `still.${suffix}`, suffix],
    );
}, 60_000);
afterAll(async () => {
  await superuser?.end();
  await theirs?.[Symbol.asyncDispose]();
  await ours?.[Symbol.asyncDispose]();
});

const inADay = () => new Date(Date.now() + 86_400_000).toISOString();

async function keyOf(by: Visitor, tenantId: string | null, more: object = {}): Promise<string> {
  const body = { name: 'Poller', tenantId, scopes: ['logs:read'], expiresAt: inADay(), ...more };
  const made = await by.ask('POST', '/console/api/keys', body);
  expect(made.status, made.text).toBe(200);
  return made.body.key.id;
}

async function letterOf(tenantId: string | null): Promise<string> {
  const { rows } = await superuser.query<{ id: string }>(
    `with message as (
       insert into models.dead_letter_message (id, topic, partition, "offset", value, headers)
       values (gen_random_uuid(), $2, 0, 0, 'what nobody may read'::bytea, '[]') returning id)
     insert into models.dead_letter (id, message_id, element, tenant_id, reason, stage, detail, worker_version)
     select gen_random_uuid(), id, 0, $1, 'MALFORMED_JSON', 'decode', 'torn', '1' from message returning id`,
    [tenantId, `still.${topics.activity.suffix}`],
  );
  return rows[0]?.id ?? '';
}

interface Things {
  readonly key: string;
  readonly person: string;
  readonly letter: string;
  readonly session: string;
  readonly request: string;
}

/** One of each thing that has an id, of the other organization. */
async function thingsOf(by: Visitor, of: TestConsole): Promise<Things> {
  const [tenantId = ''] = of.tenantIds;
  const letter = await letterOf(tenantId);
  const request = await by.ask('POST', '/console/api/dead-letters/requests', { act: 'dryRun', ids: [letter] });
  expect(request.status, request.text).toBe(200);
  const { body } = await by.ask('GET', '/console/api/me');
  return {
    key: await keyOf(by, tenantId),
    person: by.personId ?? '',
    letter,
    session: body.session.id,
    request: request.body.id,
  };
}

/** Every request that names a thing, with what it would do. */
const naming: [string, string, (id: string) => object | undefined, keyof Things][] = [
  ['GET', '/keys/:id', () => undefined, 'key'],
  ['PATCH', '/keys/:id', () => ({ name: 'taken' }), 'key'],
  ['PATCH', '/keys/:id', () => ({ expiresAt: inADay() }), 'key'],
  ['POST', '/keys/:id/revoke', () => ({}), 'key'],
  ['POST', '/people/:id', () => ({ role: 'viewer' }), 'person'],
  ['POST', '/people/:id', () => ({ disabled: true }), 'person'],
  ['POST', '/people/:id', () => ({ tenantIds: [] }), 'person'],
  ['POST', '/people/:id/end-sessions', () => ({}), 'person'],
  ['POST', '/sessions/:id/end', () => ({}), 'session'],
  ['GET', '/dead-letters/:id', () => undefined, 'letter'],
  ['GET', '/dead-letters/requests/:id', () => undefined, 'request'],
  ['POST', '/credentials/:id/remove', () => ({}), 'person'],
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
  ['/dead-letters/requests', (id) => ({ act: 'dryRun', ids: [id] }), 'letter'],
  ['/dead-letters/requests', (id) => ({ act: 'replay', ids: [id] }), 'letter'],
  ['/dead-letters/requests', (id) => ({ act: 'discard', ids: [id], reason: 'mine now' }), 'letter'],
  [
    '/playground/run',
    (id) => ({ operation: 'ping', tenantId: id, mode: 'rest', parameters: {}, scopesOf: 'me' }),
    'tenant',
  ],
  [
    '/playground/run',
    (id, own) => ({ operation: 'ping', tenantId: own.tenantIds[0], mode: 'rest', parameters: {}, scopesOf: id }),
    'key',
  ],
];

const told = ({
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
const standing = async (): Promise<string> => {
  const { rows } = await superuser.query(`
    select (select jsonb_agg(to_jsonb(k) order by id) from control.api_key k)::text || (select jsonb_agg(to_jsonb(p) - 'last_signed_in_at' order by id) from control.person p)::text
        || (select jsonb_agg(to_jsonb(s) - 'seen_at' order by id) from control.console_session s)::text || (select jsonb_agg(to_jsonb(r) order by id) from control.letter_request r)::text
        || (select jsonb_agg(to_jsonb(l) order by id) from models.dead_letter l)::text as all`);
  return rows[0].all;
};

test('every route with an id is tried', () => {
  const withId = routes.filter(({ path }) => path.includes(':id')).map(({ method, path }) => `${method} ${path}`);
  expect(new Set(naming.map(([method, path]) => `${method} ${path}`))).toEqual(new Set(withId));
});

test('what another organization has answers like what there is not, and stays as it is', async () => {
  const things = await thingsOf(foreign, theirs);
  // A role that an identity provider gives is a thing to know of somebody, too.
  await superuser.query(`update control.person set source = 'oidc' where id = $1`, [foreign.personId]);
  const before = await standing();
  for (const [method, path, body, kind] of naming) {
    const ask = (id: string) => whole.ask(method, `/console/api${path.replace(':id', id)}`, body(id));
    const [unknown, known] = [await ask(nowhere), await ask(things[kind])];
    expect(told(known), `${method} ${path}`).toEqual(told(unknown));
    expect(unknown.status, `${method} ${path} ${unknown.text}`).toBe(404);
  }
  for (const [path, body, kind] of inBody) {
    const id = kind === 'tenant' ? (theirs.tenantIds[0] ?? '') : things[kind];
    const ask = (named: string) => whole.ask('POST', `/console/api${path}`, body(named, ours));
    const [unknown, known] = [await ask(nowhere), await ask(id)];
    expect(told(known), `${path} ${kind}`).toEqual(told(unknown));
    expect([400, 404], `${path} ${kind} ${unknown.text}`).toContain(unknown.status);
  }
  expect(await standing()).toBe(before);
});

test('what a person does not look at within the own organization answers like what there is not, too', async () => {
  const second = ours.tenantIds[1] ?? '';
  const things = { ...(await thingsOf(whole, ours)), key: await keyOf(whole, second), letter: await letterOf(second) };
  const kinds = new Set(['key', 'letter', 'session', 'request', 'tenant']);
  const before = await standing();
  for (const [method, path, body, kind] of naming.filter(([, , , kind]) => kinds.has(kind))) {
    const ask = (id: string) => some.ask(method, `/console/api${path.replace(':id', id)}`, body(id));
    expect(told(await ask(things[kind])), `${method} ${path}`).toEqual(told(await ask(nowhere)));
  }
  for (const [path, body, kind] of inBody) {
    const id = kind === 'tenant' ? second : things[kind as keyof Things];
    const ask = (named: string) => some.ask('POST', `/console/api${path}`, body(named, ours));
    expect(told(await ask(id)), `${path} ${kind}`).toEqual(told(await ask(nowhere)));
  }
  for (const change of [{ role: 'viewer' }, { disabled: true }, { tenantIds: null }])
    expect((await some.ask('POST', `/console/api/people/${whole.personId}`, change)).status).toBe(403);
  expect((await some.ask('PATCH', '/console/api/organization', { keyLifetimeDays: 1 })).status).toBe(403);
  expect(await standing()).toBe(before);
});

test('a key that took the place of one that a person does not look at does not show it', async () => {
  const hidden = await keyOf(whole, null, { name: 'Of the whole organization' });
  const shown = await keyOf(whole, ours.tenantIds[0] ?? '', { replaces: hidden });
  const { body } = await some.ask('GET', `/console/api/keys/${shown}`);
  expect(body).toMatchObject({ key: { id: shown, replaces: null }, replaced: null });
  const { body: list } = await some.ask('GET', '/console/api/keys');
  expect(JSON.stringify(list)).not.toContain(hidden);
  const { body: of } = await whole.ask('GET', `/console/api/keys/${shown}`);
  expect(of.replaced).toMatchObject({ id: hidden });
});

test('dead letters are counted for whom they concern; those of no tenant are the operator’s', async () => {
  await superuser.query('delete from models.dead_letter');
  for (const tenantId of [
    ours.tenantIds[0],
    ours.tenantIds[0],
    ours.tenantIds[1],
    theirs.tenantIds[0],
    null,
    randomUUID(),
  ])
    await letterOf(tenantId ?? null);
  const parked = async (by: Visitor) => {
    const [feeds, line, letters] = await Promise.all(
      ['/feeds', '/settled', '/dead-letters'].map((path) => by.ask('GET', `/console/api${path}`)),
    );
    return [
      feeds?.body.feeds.reduce((sum: number, feed: { parked: number }) => sum + feed.parked, 0),
      line?.body.parked,
      letters?.body.reasons.reduce((sum: number, reason: { count: number }) => sum + reason.count, 0),
    ];
  };
  expect(await parked(whole)).toEqual([3, 3, 3]);
  expect(await parked(some)).toEqual([2, 2, 2]);
  expect(await parked(foreign)).toEqual([1, 1, 1]);
  expect(await parked(await ours.visitor('viewer', []))).toEqual([0, 0, 0]);
});

test('sources are those of the tenants that a person looks at', async () => {
  for (const tenantId of [...ours.tenantIds, ...theirs.tenantIds])
    await superuser.query(
      `insert into models.source_progress (cluster_id, topic_id, partition, tenant_id, source, last_discovered_at, row_count)
       values ('still', $1, 0, $2, 'm365_management', clock_timestamp(), 1)`,
      [randomUUID(), tenantId],
    );
  const seen = async (by: Visitor) =>
    (await by.ask('GET', '/console/api/feeds')).body.sources
      .map(({ tenantId }: { tenantId: string }) => tenantId)
      .sort();
  expect(await seen(whole)).toEqual([...ours.tenantIds].sort());
  expect(await seen(some)).toEqual([ours.tenantIds[0]]);
  expect(await seen(foreign)).toEqual([...theirs.tenantIds].sort());
});

test('the audit of another organization is nobody’s, and of the own one a person sees its acts and its tenants', async () => {
  const [first = '', second = ''] = ours.tenantIds;
  await keyOf(whole, first, { name: 'seen by both' });
  await keyOf(whole, second, { name: 'of the second' });
  await keyOf(whole, null, { name: 'of all' });
  await keyOf(foreign, theirs.tenantIds[0] ?? '', { name: 'of theirs' });
  await keyOf(some, first, { name: 'made by some' });
  const listed = async (by: Visitor) => (await by.ask('GET', '/console/api/audit')).text;
  const exported = (by: Visitor) => by.ask('GET', '/console/api/audit/export');
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
  const narrowed = await some.ask('GET', `/console/api/audit?actor=person:${foreign.personId}`);
  expect(narrowed.body.events).toEqual([]);
});

test('people of another organization are nobody’s; who looks at some tenants sees who else does, and which of the own ones', async () => {
  const elsewhere = await ours.visitor('viewer', [ours.tenantIds[1] ?? '']);
  const both = await ours.visitor('viewer', [...ours.tenantIds]);
  const people = async (by: Visitor): Promise<{ id: string; tenantIds: string[] | null }[]> =>
    (await by.ask('GET', '/console/api/people')).body.people;
  const all = (await people(whole)).map(({ id }) => id);
  expect(all).toContain(elsewhere.personId);
  expect(all).not.toContain(foreign.personId);
  const seen = await people(some);
  expect(seen.map(({ id }) => id)).toContain(whole.personId);
  expect(seen.map(({ id }) => id)).not.toContain(elsewhere.personId);
  expect(seen.find(({ id }) => id === both.personId)?.tenantIds).toEqual([ours.tenantIds[0]]);
});

test('runs of a tenant that a person does not look at any more are not shown', async () => {
  const runner = await ours.visitor('admin');
  for (const tenantId of ours.tenantIds)
    await superuser.query(
      `insert into control.playground_run (person_id, tenant_id, mode, operation, parameters, status, duration_ms) values ($1, $2, 'rest', 'ping', '{}', 200, 1)`,
      [runner.personId, tenantId],
    );
  const runs = async () =>
    (await runner.ask('GET', '/console/api/playground/history')).body.runs.map(
      ({ tenantId }: { tenantId: string }) => tenantId,
    );
  expect((await runs()).sort()).toEqual([...ours.tenantIds].sort());
  await superuser.query('update control.person set tenant_ids = $2 where id = $1', [
    runner.personId,
    [ours.tenantIds[0]],
  ]);
  expect(await runs()).toEqual([ours.tenantIds[0]]);
});
