import { connectAdmin } from '@tenantscope/store/admin';
import { hashSecret, makeSecret } from '@tenantscope/store/api-key';
import { type ConsoleStore, connectConsole } from '@tenantscope/store/console';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../services/database.ts';

let database: TestDatabase;
let store: ConsoleStore;
let superuser: pg.Client;
let organizationId: string;
const by = { actor: 'sign-in:tester', sessionId: 'a session', requestId: 'a request' };
const from = { address: '127.0.0.1', agent: 'a browser' };

beforeAll(async () => {
  database = await createTestDatabase();
  store = await connectConsole({ models: database.roles.console, control: database.roles.console });
  superuser = new pg.Client(database.superuser);
  await superuser.connect();
  await using admin = await connectAdmin({ models: database.roles.admin, control: database.roles.admin }, 'cli:test');
  ({ id: organizationId } = await admin.organizations.create({ name: 'Console' }));
  for (const name of ['One', 'Two']) await admin.tenants.create({ name, organizationId, azureTenantId: null });
});
afterAll(async () => {
  await superuser?.end();
  await store?.[Symbol.asyncDispose]();
  await database?.[Symbol.asyncDispose]();
});

const enter = (subject: string, role: 'admin' | 'officer' | 'viewer', tenantIds: string[] | null = null) =>
  store.transaction(by, (transaction) =>
    store.members.upsert(transaction, {
      organizationId,
      name: subject,
      email: null,
      source: 'local',
      subject,
      role,
      tenantIds,
    }),
  );
const begin = (memberId: string) =>
  store.transaction(by, (transaction) => store.sessions.begin(transaction, memberId, from));

test('a session is found by its secret only, with its member and accessible tenants', async () => {
  const member = await enter('Ada', 'admin');
  const { secret } = await begin(member.id);
  expect(await store.sessions.find(secret)).toMatchObject({
    memberId: member.id,
    organizationName: 'Console',
    role: 'admin',
    tenants: [{ name: 'One' }, { name: 'Two' }],
  });
  expect(await store.sessions.find(`${secret}x`)).toBeNull();
  const { rows } = await superuser.query('select to_jsonb(s) as row from control.console_session s');
  expect(JSON.stringify(rows)).not.toContain(secret);
});

test('a session has a new secret of 256 random bits and lasts for twelve hours at most', async () => {
  const member = await enter('Ada', 'admin');
  const secrets = [(await begin(member.id)).secret, (await begin(member.id)).secret];
  for (const secret of secrets) expect(Buffer.from(secret, 'base64url')).toHaveLength(32);
  expect(new Set(secrets).size).toBe(2);
  const { rows } = await superuser.query(
    `select distinct extract(epoch from date_trunc('second', ends_at - created_at + interval '0.5 s'))::int as seconds from control.console_session`,
  );
  expect(rows).toEqual([{ seconds: 12 * 3_600 }]);
});

test('a session ends when it is idle, when it expires, when it is ended and when its member is disabled', async () => {
  await enter('Beda', 'admin');
  const member = await enter('Cyril', 'viewer');
  const ended: [string, (secret: string) => Promise<unknown>][] = [
    ['idle', () => superuser.query(`update control.console_session set seen_at = seen_at - interval '31 minutes'`)],
    ['over', () => superuser.query(`update control.console_session set ends_at = clock_timestamp()`)],
    [
      'ended',
      async (secret) => {
        const found = await store.sessions.find(secret);
        await store.transaction(by, (transaction) => store.sessions.end(transaction, member.id, found?.id ?? ''));
      },
    ],
    ['of another role', () => store.members.update(by, { organizationId, id: member.id }, { role: 'officer' })],
    ['disabled', () => store.members.update(by, { organizationId, id: member.id }, { disabled: true })],
  ];
  for (const [how, end] of ended) {
    const { secret } = await begin(member.id);
    expect(await store.sessions.find(secret), how).not.toBeNull();
    await end(secret);
    expect(await store.sessions.find(secret), how).toBeNull();
  }
  // By a statement that ends no session.
  await store.members.update(by, { organizationId, id: member.id }, { disabled: false });
  const { secret } = await begin(member.id);
  await superuser.query('update control.member set disabled_at = clock_timestamp() where id = $1', [member.id]);
  expect(await store.sessions.find(secret)).toBeNull();
});

test('the last administrator of an organization cannot be demoted, also not concurrently', async () => {
  const members = await store.members.list(organizationId);
  const admins = members.filter(({ role, disabledAt }) => role === 'admin' && disabledAt === null);
  const outcomes = await Promise.allSettled(
    admins.map(({ id }) => store.members.update(by, { organizationId, id }, { role: 'viewer' })),
  );
  expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(1);
  const left = await store.members.list(organizationId);
  expect(left.filter(({ role, disabledAt }) => role === 'admin' && disabledAt === null)).toHaveLength(1);
});

test('a member of another organization is not found', async () => {
  const [someone] = await store.members.list(organizationId);
  const elsewhere = { organizationId: crypto.randomUUID(), id: someone?.id ?? '' };
  expect(await store.members.update(by, elsewhere, { role: 'viewer' })).toBeNull();
});

test('keys are read with usage by day and hour and with their replacement', async () => {
  await using admin = await connectAdmin({ models: database.roles.admin, control: database.roles.admin }, 'cli:test');
  const owner = { organizationId };
  const old = await admin.keys.create({ name: 'Old', scopes: ['logs:read'], owner, expiresAt: null });
  await superuser.query(
    `insert into control.api_key (secret_sha256, display, name, scopes, organization_id, replaces) values ($1, 'x', 'New', '{}', $2, $3)`,
    [hashSecret(makeSecret()), organizationId, old.id],
  );
  await superuser.query('select control.add_key_usage($1)', [
    JSON.stringify([
      {
        key_id: old.id,
        requests: 5,
        refused: 2,
        over_limit: 1,
        refused_after_end: 3,
        last_used_at: new Date().toISOString(),
        last_address: '10.0.0.1',
        last_agent: 'poller',
      },
    ]),
  ]);
  const listed = await store.keys.list(organizationId);
  expect(listed.map(({ name }) => name)).toEqual(['New', 'Old']);
  const use = { requests: 5, refused: 2, overLimit: 1, refusedAfterEnd: 3 };
  expect(listed[1]).toMatchObject({ requests: 5 });
  expect(await store.keys.usedDays([old.id])).toEqual(new Map([[old.id, [{ at: expect.any(String), requests: 5 }]]]));
  expect(await store.keys.read(organizationId, old.id)).toMatchObject({
    replacedBy: listed[0]?.id,
    days: [use],
    hours: [use],
    refusedAfterEnd: 3,
    callers: [{ address: '10.0.0.1', agent: 'poller', lastUsedAt: expect.any(String) }],
  });
  expect(await store.keys.read(crypto.randomUUID(), old.id)).toBeNull();
  expect(JSON.stringify(listed)).not.toContain(old.secret);
});

test('the audit log is read in pages, newest first, and its chain is intact', async () => {
  const query = { organizationId, fromMs: Date.now() - 60_000, toMs: Date.now() + 60_000, limit: 3 };
  const numbers: number[] = [];
  for (let before: number | null = null; ; ) {
    const page = await store.audit.read({ ...query, before });
    if (page.length === 0) break;
    numbers.push(...page.map(({ number }) => number));
    before = numbers.at(-1) ?? null;
  }
  const { through, brokenAt } = await store.audit.verify(organizationId);
  expect(brokenAt).toBeNull();
  expect(numbers).toEqual(Array.from({ length: through }, (_, index) => through - index));
  const own = await store.audit.read({ ...query, before: null, limit: 1_000, actor: 'sign-in:tester' });
  expect(own.length).toBeGreaterThan(0);
  expect(own[0]).toMatchObject({ sessionId: 'a session', requestId: 'a request' });
});

/** Runs `verify` on a log that a superuser has changed with this statement, and restores the log. */
async function withForgedLog(statement: string, verify: () => Promise<void>): Promise<void> {
  await superuser.query('create table control.retained as select * from control.admin_event');
  try {
    await superuser.query(statement.replaceAll('$chain', `'${organizationId}'`));
    await verify();
  } finally {
    await superuser.query('truncate control.admin_event');
    await superuser.query('insert into control.admin_event select * from control.retained');
    await superuser.query('drop table control.retained');
  }
}

const columns =
  'chain, number, at, actor, session_id, request_id, action, subject_type, subject_id, before, after, previous_sha256, sha256, address';

test.each<[string, string, number, string]>([
  [
    'changed',
    `update control.admin_event set after = after || '{"name": "forged"}' where number = 3 and chain = $chain`,
    3,
    'altered',
  ],
  [
    'replaced by unreadable content',
    `update control.admin_event set after = '[1e400]' where number = 3 and chain = $chain`,
    3,
    'altered',
  ],
  [
    'given another source address',
    `update control.admin_event set address = '192.0.2.1' where number = 4 and chain = $chain`,
    4,
    'altered',
  ],
  [
    'backdated',
    `update control.admin_event set at = at - interval '1 day' where number = 5 and chain = $chain`,
    5,
    'altered',
  ],
  [
    'changed with its digest',
    `update control.admin_event set after = after || '{"name": "forged"}' where number = 3 and chain = $chain;
     update control.admin_event set sha256 = sha256(previous_sha256 || convert_to(control.canonical_json(jsonb_build_object(
       'chain', chain, 'number', number, 'at', to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'actor', actor, 'sessionId', session_id,
       'requestId', request_id, 'action', action, 'subjectType', subject_type, 'subjectId', subject_id, 'before', before, 'after', after)
       || case when address is null then '{}' else jsonb_build_object('address', address) end), 'UTF8')) where number = 3 and chain = $chain`,
    4,
    'notLinked',
  ],
  ['removed', 'delete from control.admin_event where number = 2 and chain = $chain', 2, 'missing'],
  [
    'inserted between others',
    `update control.admin_event set number = -number where chain = $chain and number >= 4;
     update control.admin_event set number = 1 - number where chain = $chain and number < 0;
     insert into control.admin_event (${columns})
       select chain, 4, at, 'cli:unknown', session_id, request_id, action, subject_type, subject_id, before, after, sha256, sha256, address
         from control.admin_event where chain = $chain and number = 3`,
    4,
    'altered',
  ],
  [
    'swapped with its neighbour',
    `update control.admin_event set number = 1000 where chain = $chain and number = 2;
     update control.admin_event set number = 2 where chain = $chain and number = 3;
     update control.admin_event set number = 3 where chain = $chain and number = 1000`,
    2,
    'altered',
  ],
])('an event that was %s in the database is found and named', async (_, forgery, number, fault) => {
  await withForgedLog(forgery, async () => {
    expect(await store.audit.verify(organizationId)).toMatchObject({ brokenAt: number, fault, through: number - 1 });
  });
});

test('a truncated chain and a foreign event are found', async () => {
  const { through } = await store.audit.verify(organizationId);
  await withForgedLog(`delete from control.admin_event where chain = $chain and number = ${through}`, async () => {
    expect(await store.audit.verify(organizationId)).toMatchObject({ brokenAt: through, fault: 'truncated' });
  });
  await superuser.query('update control.admin_event_head set number = number - 1 where chain = $1', [organizationId]);
  expect(await store.audit.verify(organizationId)).toMatchObject({ brokenAt: through, fault: 'added' });
  await superuser.query('update control.admin_event_head set number = number + 1 where chain = $1', [organizationId]);
  expect((await store.audit.verify(organizationId)).brokenAt).toBeNull();
});

test('a chain that grows during verification is intact, and its pages contain what existed at the first one', async () => {
  const query = { organizationId, fromMs: 0, toMs: Date.now() + 3_600_000, limit: 5 };
  const writing = Promise.all(Array.from({ length: 30 }, (_, index) => enter(`meanwhile ${index}`, 'viewer')));
  const [first] = await store.audit.read({ ...query, before: null });
  const numbers: number[] = [];
  for (let before: number | null = (first?.number ?? 0) + 1; before !== null; ) {
    const page = await store.audit.read({ ...query, before });
    numbers.push(...page.map(({ number }) => number));
    before = page.at(-1)?.number ?? null;
    expect(await store.audit.verify(organizationId)).toMatchObject({ brokenAt: null });
  }
  await writing;
  expect(numbers).toEqual(Array.from({ length: first?.number ?? 0 }, (_, index) => (first?.number ?? 0) - index));
});

test('a stale change of a key or a member is refused', async () => {
  const { id } = await enter('Dora', 'viewer');
  const seen = { role: 'viewer', tenantIds: null, disabled: false } as const;
  const change = (request: object) => store.members.update(by, { organizationId, id }, { ...request, expected: seen });
  expect(await change({ role: 'officer' })).toMatchObject({ role: 'officer' });
  expect(await change({ disabled: true })).toBeNull();

  await using admin = await connectAdmin({ models: database.roles.admin, control: database.roles.admin }, 'cli:test');
  const key = await admin.keys.create({ name: 'Seen', scopes: [], owner: { organizationId }, expiresAt: null });
  const administrator = await enter('Edna', 'admin');
  const session = await store.sessions.find((await begin(administrator.id)).secret);
  const byMember = { actor: `member:${administrator.id}`, sessionId: session?.id ?? '', requestId: null };
  const rename = (name: string) =>
    store.transaction(byMember, (transaction) =>
      store.keys.update(transaction, organizationId, key.id, { name, expected: { name: 'Seen', expiresAt: null } }),
    );
  expect(await Promise.all([rename('First'), rename('Second')])).toEqual(expect.arrayContaining([true, false]));
});
