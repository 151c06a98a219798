import { createHash } from 'node:crypto';
import { connectAdmin, type Organization } from '@tenantscope/store/admin';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../services/database.ts';

let database: TestDatabase;
let admin: pg.Client;
let superuser: pg.Client;
let organization: Organization;

beforeAll(async () => {
  database = await createTestDatabase();
  admin = new pg.Client(database.roles.admin);
  superuser = new pg.Client(database.superuser);
  await Promise.all([admin.connect(), superuser.connect()]);
  organization = await operator().then(async (connection) => {
    await using by = connection;
    return by.organizations.create({ name: 'Audited' });
  });
});
afterAll(async () => {
  await Promise.all([admin?.end(), superuser?.end()]);
  await database?.[Symbol.asyncDispose]();
});

const operator = (actor = 'cli:an operator') =>
  connectAdmin({ models: database.roles.admin, control: database.roles.admin }, actor);

interface AdminEvent {
  chain: string;
  number: string;
  at: Date;
  actor: string;
  session_id: string | null;
  request_id: string | null;
  action: string;
  subject_type: string;
  subject_id: string;
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
  previous_sha256: Buffer | null;
  sha256: Buffer;
}

async function events(): Promise<AdminEvent[]> {
  const { rows } = await admin.query<AdminEvent>('select * from control.admin_event where chain = $1 order by number', [
    organization.id,
  ]);
  return rows;
}

/** Runs a statement as the admin login in its own transaction, with an actor. */
async function attempt(statement: string, values: unknown[] = [], actor = 'cli:operator'): Promise<pg.QueryResult> {
  await admin.query('begin');
  try {
    await admin.query(`select set_config('tenantscope.actor', $1, true)`, [actor]);
    const result = await admin.query(statement, values);
    await admin.query('commit');
    return result;
  } catch (error) {
    await admin.query('rollback');
    throw error;
  }
}

const newKey = (more: { scopes?: string[]; expiresAt?: string | null } = {}) =>
  attempt(
    `insert into control.api_key (secret_sha256, display, name, scopes, organization_id, expires_at)
     values (sha256(gen_random_uuid()::text::bytea), 'abcdefgh', 'a key', $2, $1, $3) returning id`,
    [organization.id, more.scopes ?? ['logs:read'], more.expiresAt ?? null],
  ).then(({ rows }) => rows[0].id as string);

test("each change writes one audit event with actor, old and new state, and never a secret's hash", async () => {
  await using by = await operator('cli:żółw with spaces \\ and more');
  const before = await events();
  const key = await by.keys.create({
    name: 'Poller',
    scopes: ['logs:read'],
    owner: { organizationId: organization.id },
    expiresAt: null,
  });
  await by.keys.revoke(key.id);
  await by.keys.revoke(key.id);
  const created = (await events()).slice(before.length);
  expect(
    created.map(({ actor, action, subject_type, subject_id }) => [actor, action, subject_type, subject_id]),
  ).toEqual([
    ['cli:żółw with spaces \\ and more', 'created', 'api_key', key.id],
    ['cli:żółw with spaces \\ and more', 'changed', 'api_key', key.id],
  ]);
  expect(created[0]?.after).toMatchObject({ name: 'Poller', scopes: ['logs:read'], revoked_at: null });
  expect(created[1]?.before).toMatchObject({ revoked_at: null });
  expect(created[1]?.after?.revoked_at).toBeTypeOf('string');
  expect(JSON.stringify(created)).not.toMatch(/secret_sha256/);
});

test('audit events are numbered without gaps and each one hashes its predecessor', async () => {
  await Promise.all(
    Array.from({ length: 8 }, async (_, writer) => {
      await using by = await operator(`cli:writer ${writer}`);
      for (let each = 0; each < 5; each++)
        await by.keys.create({
          name: `key ${each} «é» \u{1f600} \t"\\`,
          scopes: [],
          owner: { organizationId: organization.id },
          expiresAt: null,
        });
    }),
  );
  const all = await events();
  expect(all.length).toBeGreaterThanOrEqual(41);
  let previous: Buffer | null = null;
  all.forEach((event, index) => {
    expect(Number(event.number)).toBe(index + 1);
    expect(event.previous_sha256).toEqual(previous);
    expect(event.sha256).toEqual(digestOf(event));
    previous = event.sha256;
  });
});

/** The canonical form that anyone can compute: sorted names, no spaces, whole numbers. */
function digestOf(event: AdminEvent): Buffer {
  const members = {
    chain: event.chain,
    number: Number(event.number),
    at: event.at.toISOString(),
    actor: event.actor,
    sessionId: event.session_id,
    requestId: event.request_id,
    action: event.action,
    subjectType: event.subject_type,
    subjectId: event.subject_id,
    before: event.before,
    after: event.after,
  };
  return createHash('sha256')
    .update(event.previous_sha256 ?? Buffer.alloc(0))
    .update(sorted(members))
    .digest();
}

function sorted(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(sorted).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const names = Object.keys(value).sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${sorted((value as Record<string, unknown>)[name])}`).join()}}`;
}

test.each<[string, () => Promise<unknown>, RegExp]>([
  [
    'an update without an actor',
    () => attempt(`update control.organization set name = 'x'`, [], ''),
    /tenantscope\.actor/,
  ],
  ['reading the hashes of keys', () => attempt('select secret_sha256 from control.api_key'), /permission denied/],
  ['reading whole rows of keys', () => attempt('select * from control.api_key'), /permission denied/],
  ['reading a feed', () => attempt('select count(*) from models.audit_log'), /permission denied/],
  [
    'adding scopes to a key',
    () => attempt(`update control.api_key set scopes = '{logs:read,users:read}'`),
    /permission denied/,
  ],
  ['moving a key', () => attempt('update control.api_key set organization_id = null'), /permission denied/],
  ['deleting a key', () => attempt('delete from control.api_key'), /permission denied/],
  [
    'writing an event',
    () => attempt(`insert into control.admin_event (chain, number) values (gen_random_uuid(), 1)`),
    /permission denied/,
  ],
  ['changing an event', () => attempt(`update control.admin_event set actor = 'x'`), /permission denied/],
  ['deleting an event', () => attempt('delete from control.admin_event'), /permission denied/],
  [
    'appending an event',
    () => attempt(`select control.append_admin_event(null, 'created', 'x', 'x', null, null)`),
    /permission denied/,
  ],
  [
    'recording an action of the console',
    () => attempt(`select control.record_admin_action(null, 'signed in', 'x', 'x', null)`),
    /permission denied/,
  ],
])('the admin login fails at %s', async (_, attempt, message) => {
  const before = await events();
  await expect(attempt()).rejects.toThrow(message);
  expect(await events()).toEqual(before);
});

test('a revoked or expired key cannot be reactivated and can still be renamed', async () => {
  const revoked = await newKey();
  await attempt('update control.api_key set revoked_at = clock_timestamp() where id = $1', [revoked]);
  await expect(attempt('update control.api_key set revoked_at = null where id = $1', [revoked])).rejects.toThrow(
    /stays revoked/,
  );
  const expired = await newKey({ expiresAt: new Date(Date.now() - 1_000).toISOString() });
  await expect(attempt('update control.api_key set expires_at = null where id = $1', [expired])).rejects.toThrow(
    /cannot be reactivated/,
  );
  await attempt(`update control.api_key set name = 'was a poller' where id = any($1)`, [[revoked, expired]]);
});

test('an organization can limit the lifetime of its keys', async () => {
  await superuser.query('update control.organization set key_lifetime_days = 30 where id = $1', [organization.id]);
  try {
    await expect(newKey()).rejects.toThrow(/limits key lifetime to 30 days/);
    await expect(newKey({ expiresAt: new Date(Date.now() + 31 * 86_400_000).toISOString() })).rejects.toThrow(
      /limits key lifetime to 30 days/,
    );
    await newKey({ expiresAt: new Date(Date.now() + 29 * 86_400_000).toISOString() });
  } finally {
    await superuser.query('update control.organization set key_lifetime_days = null where id = $1', [organization.id]);
  }
});

test('no login shortens the retention of the log below the half year that evidence reads', async () => {
  const retain = (days: number) =>
    attempt('update models.retention set retention_days = $1 where feed = $2', [days, 'logs']);
  await expect(retain(182)).rejects.toThrow(/retention_floor/);
  await expect(attempt('alter table models.retention drop constraint retention_floor')).rejects.toThrow(
    /must be owner/,
  );
  expect((await retain(183)).rowCount).toBe(1);
  await retain(400);
});

test('the API login can neither create keys nor read the audit log', async () => {
  const keys = new pg.Client(database.roles.keys);
  await keys.connect();
  try {
    await expect(keys.query('select 1 from control.admin_event')).rejects.toThrow(/permission denied/);
    await expect(keys.query(`insert into control.api_key (name) values ('x')`)).rejects.toThrow(/permission denied/);
  } finally {
    await keys.end();
  }
});

test('the console cannot record an action that only a trigger records', async () => {
  const console = new pg.Client(database.roles.console);
  await console.connect();
  try {
    await console.query(`select set_config('tenantscope.actor', 'sign-in:local', false)`);
    const record = `select control.record_admin_action(null, 'created', 'member', 'x', null)`;
    await expect(console.query(record)).rejects.toThrow(/unknown action/);
  } finally {
    await console.end();
  }
});

test('signing in and setting up change accounts and sessions only', async () => {
  const console = new pg.Client(database.roles.console);
  await console.connect();
  try {
    for (const actor of ['set-up', 'sign-in:local']) {
      await console.query(`select set_config('tenantscope.actor', $1, false)`, [actor]);
      const change = console.query('update control.organization set key_lifetime_days = 7');
      await expect(change, actor).rejects.toThrow(/accounts and sessions only/);
    }
  } finally {
    await console.end();
  }
});

test('the login decides which kinds of actor an event can name', async () => {
  const tenant = `insert into control.tenant (id, name, plan, digest) values (gen_random_uuid(), 'Acted', 'none', '\\x00')`;
  const lifetime = 'update control.organization set key_lifetime_days = coalesce(key_lifetime_days, 9) + 1';
  const actorOf = async (url: string, actor: string, change = tenant): Promise<string> => {
    const client = new pg.Client(url);
    await client.connect();
    try {
      await client.query('begin');
      await client.query(`select set_config('tenantscope.actor', $1, true)`, [actor]);
      await client.query(change);
      await client.query('commit');
    } finally {
      await client.end();
    }
    const { rows } = await superuser.query<{ actor: string }>(
      `select actor from control.admin_event where chain = '00000000-0000-0000-0000-000000000000' order by number desc limit 1`,
    );
    return rows[0]?.actor ?? '';
  };
  const { roles, superuser: owner } = database;
  const member = `member:${organization.id}`;
  expect(await actorOf(roles.ingest, 'ingest:host/1')).toBe('ingest:host/1');
  expect(await actorOf(roles.ingest, '')).toMatch(/^ingest:./);
  for (const forged of [member, 'cli:maria', 'sign-in:local', 'set-up', 'database:postgres', 'ingest', 'x ingest:1'])
    await expect(actorOf(roles.ingest, forged), forged).rejects.toThrow(
      /not permitted for the login tenantscope_ingest/,
    );
  const invented = ['ingest:host/1', 'jobs:1', 'database:postgres', 'anyone', 'set-up:1'];
  for (const forged of [...invented, member, 'sign-in:local', 'set-up'])
    await expect(actorOf(roles.admin, forged), forged).rejects.toThrow(/not permitted for the login tenantscope_admin/);
  for (const forged of [...invented, 'cli:maria'])
    await expect(actorOf(roles.console, forged, lifetime), forged).rejects.toThrow(
      /not permitted for the login tenantscope_console/,
    );
  expect(await actorOf(owner, 'cli:maria')).toBe(`database:${new URL(owner).username}`);
});
