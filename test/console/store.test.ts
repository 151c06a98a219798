import { type ConsoleStore, connectAdmin, connectConsole, hashSecret, makeSecret } from '@tenantscope/store';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type TestDatabase, testDatabase } from '../services/database.ts';

let database: TestDatabase;
let store: ConsoleStore;
let superuser: pg.Client;
let organizationId: string;
const by = { actor: 'cli:tester', sessionId: 'a session', requestId: 'a request' };
const from = { address: '127.0.0.1', agent: 'a browser' };

beforeAll(async () => {
  database = await testDatabase();
  store = await connectConsole({ models: database.roles.admin, control: database.roles.admin });
  superuser = new pg.Client(database.superuser);
  await superuser.connect();
  await using admin = await connectAdmin({ models: database.roles.admin, control: database.roles.admin }, 'test');
  ({ id: organizationId } = await admin.organizations.create({ name: 'Console' }));
  for (const name of ['One', 'Two']) await admin.tenants.create({ name, organizationId, azureTenantId: null });
}, 60_000);
afterAll(async () => {
  await superuser?.end();
  await store?.[Symbol.asyncDispose]();
  await database?.[Symbol.asyncDispose]();
});

const enter = (subject: string, role: 'admin' | 'officer' | 'viewer', tenantIds: string[] | null = null) =>
  store.change(by, (transaction) =>
    store.people.enter(transaction, {
      organizationId,
      name: subject,
      email: null,
      source: 'local',
      subject,
      role,
      tenantIds,
    }),
  );
const begin = (personId: string) =>
  store.change(by, (transaction) => store.sessions.begin(transaction, personId, from));

test('a session is found by its secret alone, names the person, and shows the tenants that person may look at', async () => {
  const person = await enter('Ada', 'admin');
  const { secret } = await begin(person.id);
  expect(await store.sessions.find(secret)).toMatchObject({
    personId: person.id,
    organizationName: 'Console',
    role: 'admin',
    tenants: [{ name: 'One' }, { name: 'Two' }],
  });
  expect(await store.sessions.find(`${secret}x`)).toBeNull();
  const { rows } = await superuser.query('select to_jsonb(s) as row from control.console_session s');
  expect(JSON.stringify(rows)).not.toContain(secret);
});

test('a session ends when it idles, when its time is up, when it is ended, and when its person is disabled', async () => {
  await enter('Beda', 'admin');
  const person = await enter('Cyril', 'viewer');
  const ended: [string, (secret: string) => Promise<unknown>][] = [
    ['idle', () => superuser.query(`update control.console_session set seen_at = seen_at - interval '31 minutes'`)],
    ['over', () => superuser.query(`update control.console_session set ends_at = clock_timestamp()`)],
    [
      'ended',
      async (secret) => {
        const found = await store.sessions.find(secret);
        await store.change(by, (transaction) => store.sessions.end(transaction, person.id, found?.id ?? ''));
      },
    ],
    ['disabled', () => store.people.change(by, { organizationId, id: person.id }, { disabled: true })],
  ];
  for (const [how, end] of ended) {
    const { secret } = await begin(person.id);
    expect(await store.sessions.find(secret), how).not.toBeNull();
    await end(secret);
    expect(await store.sessions.find(secret), how).toBeNull();
  }
});

test('the last administrator of an organization stays one, two at once included', async () => {
  const people = await store.people.list(organizationId);
  const admins = people.filter(({ role, disabledAt }) => role === 'admin' && disabledAt === null);
  const outcomes = await Promise.allSettled(
    admins.map(({ id }) => store.people.change(by, { organizationId, id }, { role: 'viewer' })),
  );
  expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(1);
  const left = await store.people.list(organizationId);
  expect(left.filter(({ role, disabledAt }) => role === 'admin' && disabledAt === null)).toHaveLength(1);
});

test('a person of another organization is nobody here', async () => {
  const [someone] = await store.people.list(organizationId);
  const elsewhere = { organizationId: crypto.randomUUID(), id: someone?.id ?? '' };
  expect(await store.people.change(by, elsewhere, { role: 'viewer' })).toBeNull();
});

test('keys come with their use by day and by hour, and with what took their place', async () => {
  await using admin = await connectAdmin({ models: database.roles.admin, control: database.roles.admin }, 'test');
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
  expect(listed[1]).toMatchObject({ requests: 5, replacedBy: listed[0]?.id, days: [{ requests: 5 }] });
  expect(await store.keys.show(organizationId, old.id)).toMatchObject({
    days: [use],
    hours: [use],
    refusedAfterEnd: 3,
    callers: [{ address: '10.0.0.1', agent: 'poller', lastUsedAt: expect.any(String) }],
  });
  expect(await store.keys.show(crypto.randomUUID(), old.id)).toBeNull();
  expect(JSON.stringify(listed)).not.toContain(old.secret);
});

test('the audit is read in pages, newest first, and its chain is found whole', async () => {
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
  const own = await store.audit.read({ ...query, before: null, limit: 1_000, actor: 'cli:tester' });
  expect(own.length).toBeGreaterThan(0);
  expect(own[0]).toMatchObject({ sessionId: 'a session', requestId: 'a request' });
});

/** What the database holds is changed behind the service's back, and brought back afterwards. */
async function forged(statement: string, look: () => Promise<void>): Promise<void> {
  await superuser.query('create table control.kept as select * from control.admin_event');
  try {
    await superuser.query(statement.replaceAll('$chain', `'${organizationId}'`));
    await look();
  } finally {
    await superuser.query('truncate control.admin_event');
    await superuser.query('insert into control.admin_event select * from control.kept');
    await superuser.query('drop table control.kept');
  }
}

const columns =
  'chain, number, at, actor, session_id, request_id, act, subject_type, subject_id, before, after, previous_sha256, sha256, address';

test.each<[string, string, number, string]>([
  [
    'changed',
    `update control.admin_event set after = after || '{"name": "forged"}' where number = 3 and chain = $chain`,
    3,
    'altered',
  ],
  [
    'made unreadable',
    `update control.admin_event set after = '[1e400]' where number = 3 and chain = $chain`,
    3,
    'altered',
  ],
  [
    'said to come from elsewhere',
    `update control.admin_event set address = '192.0.2.1' where number = 4 and chain = $chain`,
    4,
    'altered',
  ],
  [
    'made earlier',
    `update control.admin_event set at = at - interval '1 day' where number = 5 and chain = $chain`,
    5,
    'altered',
  ],
  ['taken away', 'delete from control.admin_event where number = 2 and chain = $chain', 2, 'missing'],
  [
    'put between others',
    `update control.admin_event set number = -number where chain = $chain and number >= 4;
     update control.admin_event set number = 1 - number where chain = $chain and number < 0;
     insert into control.admin_event (${columns})
       select chain, 4, at, 'cli:nobody', session_id, request_id, act, subject_type, subject_id, before, after, sha256, sha256, address
         from control.admin_event where chain = $chain and number = 3`,
    4,
    'altered',
  ],
  [
    'exchanged with its neighbour',
    `update control.admin_event set number = 1000 where chain = $chain and number = 2;
     update control.admin_event set number = 2 where chain = $chain and number = 3;
     update control.admin_event set number = 3 where chain = $chain and number = 1000`,
    2,
    'altered',
  ],
])('an event that was %s in the database is found, and which', async (_, forgery, number, fault) => {
  await forged(forgery, async () => {
    expect(await store.audit.verify(organizationId)).toMatchObject({ brokenAt: number, fault, through: number - 1 });
  });
});

test('a tail that was cut off is found, and an event that the service never wrote', async () => {
  const { through } = await store.audit.verify(organizationId);
  await forged(`delete from control.admin_event where chain = $chain and number = ${through}`, async () => {
    expect(await store.audit.verify(organizationId)).toMatchObject({ brokenAt: through, fault: 'cut' });
  });
  await superuser.query('update control.admin_event_head set number = number - 1 where chain = $1', [organizationId]);
  expect(await store.audit.verify(organizationId)).toMatchObject({ brokenAt: through, fault: 'added' });
  await superuser.query('update control.admin_event_head set number = number + 1 where chain = $1', [organizationId]);
  expect((await store.audit.verify(organizationId)).brokenAt).toBeNull();
});

test('a chain that grows while it is verified is whole, and its pages hold what was there when the first was read', async () => {
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

test('of a key or a person only what was seen is changed', async () => {
  const { id } = await enter('Dora', 'viewer');
  const seen = { role: 'viewer', tenantIds: null, disabled: false } as const;
  const change = (wanted: object) => store.people.change(by, { organizationId, id }, { ...wanted, was: seen });
  expect(await change({ role: 'officer' })).toMatchObject({ role: 'officer' });
  expect(await change({ disabled: true })).toBeNull();

  await using admin = await connectAdmin({ models: database.roles.admin, control: database.roles.admin }, 'test');
  const key = await admin.keys.create({ name: 'Seen', scopes: [], owner: { organizationId }, expiresAt: null });
  const rename = (name: string) =>
    store.change(by, (transaction) =>
      store.keys.change(transaction, organizationId, key.id, { name, was: { name: 'Seen', expiresAt: null } }),
    );
  expect(await Promise.all([rename('First'), rename('Second')])).toEqual(expect.arrayContaining([true, false]));
});
