import { randomBytes, randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { type TestConsole, testConsole, type Visitor } from './visitor.ts';

// Every refusal of what an administrator may not do is tried twice: by the console's own login, speaking SQL without the console's routes and
// statements before it; and by a request, with the database's wall taken away. That the wall which is taken away is the one that refused shows in
// that the same statement then succeeds.

let ours: TestConsole;
let theirs: TestConsole;
let admin: pg.Client;
let superuser: pg.Client;

interface Somebody extends Visitor {
  readonly personId: string;
  readonly sessionId: string;
}
const people = {} as Record<'ann' | 'nina' | 'olga' | 'victor' | 'eve', Somebody>;
type Name = keyof typeof people;

beforeAll(async () => {
  ours = await testConsole();
  theirs = await testConsole({}, { lent: ours.database });
  admin = new pg.Client(ours.database.roles.admin);
  superuser = new pg.Client(ours.database.superuser);
  await Promise.all([admin.connect(), superuser.connect()]);
  const enter = async (console: TestConsole, ...[role, tenantIds]: Parameters<TestConsole['visitor']>) => {
    const visitor = await console.visitor(role, tenantIds);
    const { body } = await visitor.ask('GET', '/console/api/me');
    return { ...visitor, personId: visitor.personId ?? '', sessionId: body.session.id as string };
  };
  people.ann = await enter(ours, 'admin');
  people.nina = await enter(ours, 'admin', [ours.tenantIds[0] ?? '']);
  people.olga = await enter(ours, 'officer');
  people.victor = await enter(ours, 'viewer');
  people.eve = await enter(theirs, 'admin');
}, 60_000);
afterAll(async () => {
  await Promise.all([admin?.end(), superuser?.end()]);
  await theirs?.[Symbol.asyncDispose]();
  await ours?.[Symbol.asyncDispose]();
});

/** One of each thing, made anew for every refusal. */
let things: Record<
  'key' | 'second' | 'whole' | 'revoked' | 'expired' | 'play' | 'foreign' | 'proof' | 'spent' | 'token',
  string
>;

beforeEach(async () => {
  const one = async (statement: string, values: unknown[] = []): Promise<string> => {
    const { rows } = await superuser.query<{ id: string }>(statement, values);
    return rows[0]?.id ?? '';
  };
  const key = (tenantId: string | null | undefined, more = '') =>
    one(
      `insert into control.api_key (secret_sha256, display, name, scopes, tenant_id, organization_id, expires_at, revoked_at, kind)
       select $1, 'abcdefgh', 'Poller', '{logs:read}', $2, case when $2::uuid is null then $3::uuid end, coalesce(n.expires_at, clock_timestamp() + interval '10 minutes'), n.revoked_at, coalesce(n.kind, 'api')
         from jsonb_to_record($4) as n (expires_at timestamptz, revoked_at timestamptz, kind text) returning id`,
      [randomBytes(32), tenantId ?? null, ours.organizationId, more || '{}'],
    );
  const [first, second] = ours.tenantIds;
  const proof = (personId: string, spent: boolean) =>
    one(
      `insert into control.person_credential (person_id, kind, secret, spent_at) values ($1, 'recovery', 'x', case when $2 then clock_timestamp() end) returning id`,
      [personId, spent],
    );
  things = {
    key: await key(first),
    second: await key(second),
    whole: await key(null),
    revoked: await key(first, JSON.stringify({ revoked_at: new Date() })),
    expired: await key(first, JSON.stringify({ expires_at: new Date(Date.now() - 60_000) })),
    play: await key(first, JSON.stringify({ kind: 'playground' })),
    foreign: await key(theirs.tenantIds[0]),
    proof: await proof(people.eve.personId, false),
    spent: await proof(people.ann.personId, true),
    token: randomBytes(32).toString('hex'),
  };
  await superuser.query(
    `insert into control.set_up_token (sha256, organization_id, expires_at, used_at) values (decode($1, 'hex'), $2, clock_timestamp() + interval '5 minutes', clock_timestamp())`,
    [things.token, ours.organizationId],
  );
});

/** What the console's login tries as somebody, undone in any case; how many rows it touched. */
async function attempt(
  client: pg.Client,
  by: Partial<Somebody> | null,
  statement: string,
  before = '',
): Promise<number> {
  await client.query('begin');
  try {
    if (before !== '') {
      await client.query(before);
      // As if it had logged in: what is taken away is so within this transaction only.
      await client.query('set local session authorization tenantscope_admin');
    }
    const actor = by === null ? '' : ((by as { actor?: string }).actor ?? `person:${by.personId}`);
    await client.query(
      `select set_config('tenantscope.actor', $1, true), set_config('tenantscope.session', $2, true)`,
      [actor, by?.sessionId ?? ''],
    );
    const { rowCount } = await client.query(statement);
    return rowCount ?? 0;
  } finally {
    await client.query('rollback');
  }
}

interface Refused {
  readonly by?: Name | null;
  /** Instead of the session of whoever acts. */
  readonly in?: () => string;
  readonly says: RegExp;
  readonly sql: () => string;
  /** What takes the database's wall away, and what puts it up again. */
  readonly down: string;
  readonly up: string;
  /** The same by the console's front door. */
  readonly asked?: () => Promise<unknown>;
}

const denied = /permission denied/;
const trigger = (table: string, name: string) => ({
  down: `alter table control.${table} disable trigger ${name}`,
  up: `alter table control.${table} enable trigger ${name}`,
});
const grant = (right: string, table: string) => ({
  down: `grant ${right} on ${table} to tenantscope_admin`,
  up: `revoke ${right} on ${table} from tenantscope_admin`,
});
const reach = trigger('admin_event', 'guard_admin_event');
const digest = () => `decode('${randomBytes(32).toString('hex')}', 'hex')`;
const newKey = (tenantId: string | null | undefined, more: Record<string, string> = {}) => {
  const columns = {
    secret_sha256: digest(),
    display: `'abcdefgh'`,
    name: `'New'`,
    scopes: `'{logs:read}'`,
    tenant_id: tenantId ? `'${tenantId}'` : 'null',
    organization_id: tenantId ? 'null' : `'${ours.organizationId}'`,
    expires_at: `clock_timestamp() + interval '10 minutes'`,
    ...more,
  };
  return `insert into control.api_key (${Object.keys(columns).join()}) values (${Object.values(columns).join()})`;
};
const inADay = () => new Date(Date.now() + 86_400_000).toISOString();
const creation = (more: object = {}) => ({
  name: 'New',
  tenantId: ours.tenantIds[0],
  scopes: ['logs:read'],
  expiresAt: inADay(),
  ...more,
});

/** Asks as somebody; the answer has to be one of these. */
const refuses =
  (who: Name, method: string, path: () => string, body: () => object | undefined, ...statuses: number[]) =>
  async () => {
    const answer = await people[who].ask(method, `/console/api${path()}`, body());
    expect(statuses, `${method} ${path()} ${answer.text}`).toContain(answer.status);
  };
const nothing = () => ({});

const columnsOfKey = [
  'id',
  'secret_sha256',
  'display',
  'scopes',
  'tenant_id',
  'organization_id',
  'created_at',
  'kind',
  'created_by',
  'replaces',
];
const auditTables = ['admin_event', 'admin_event_head'];
const auditActs: [string, (table: string) => string][] = [
  ['insert', (table) => `insert into control.${table} select * from control.${table} limit 0`],
  ['update', (table) => `update control.${table} set number = number`],
  ['delete', (table) => `delete from control.${table}`],
  ['truncate', (table) => `truncate control.${table}`],
];
const columnsNobodyMoves: [string, string[]][] = [
  ['person', ['id', 'organization_id', 'source', 'subject', 'created_at']],
  ['person_credential', ['id', 'person_id', 'kind', 'secret', 'created_at']],
  ['console_session', ['id', 'id_sha256', 'person_id', 'created_at', 'ends_at', 'address']],
  ['set_up_token', ['sha256', 'organization_id', 'expires_at']],
];

const ofAnn = () => `where id = '${people.ann.sessionId}'`;

const refusals: Record<string, Refused> = {
  'a change that nobody makes': {
    by: null,
    says: /names who makes it/,
    sql: () => `update control.api_key set name = 'x' where id = '${things.key}'`,
    ...trigger('api_key', 'record_admin_event'),
    asked: async () => {
      const nobody = await ours.visitor(null);
      expect((await nobody.ask('PATCH', `/console/api/keys/${things.key}`, { name: 'x' })).status).toBe(401);
    },
  },
  'a set-up token that nobody makes': {
    by: null,
    says: /names who makes it/,
    sql: () =>
      `insert into control.set_up_token (sha256, organization_id, expires_at) values (${digest()}, '${ours.organizationId}', clock_timestamp())`,
    ...trigger('set_up_token', 'record_request'),
  },
  'a request about dead letters that nobody makes': {
    by: null,
    says: /names who makes it/,
    sql: () => letterRequest(ours.organizationId, 'ann'),
    ...trigger('letter_request', 'record_request'),
  },
  'a request about dead letters in the name of another': {
    says: /of whom it says it is/,
    sql: () => letterRequest(ours.organizationId, 'nina'),
    ...trigger('letter_request', 'record_request'),
  },
  'reading the digests of secrets': {
    says: denied,
    sql: () => 'select secret_sha256 from control.api_key',
    ...grant('select (secret_sha256)', 'control.api_key'),
    asked: async () => {
      const { rows } = await superuser.query<{ secret_sha256: Buffer }>('select secret_sha256 from control.api_key');
      for (const path of [
        '/keys',
        `/keys/${things.key}`,
        '/keys?view=playground',
        '/audit',
        '/audit/export',
        '/people',
        '/me',
      ]) {
        const { text } = await people.ann.ask('GET', `/console/api${path}`);
        expect(text).not.toContain('secret_sha256');
        for (const { secret_sha256: hash } of rows)
          for (const encoding of ['hex', 'base64', 'base64url'] as const)
            expect(text, path).not.toContain(hash.toString(encoding));
      }
    },
  },
  'reading rows of a feed': {
    says: denied,
    sql: () => 'select count(*) from models.audit_log',
    ...grant('select', 'models.audit_log'),
  },
  ...Object.fromEntries(
    columnsOfKey.map((column): [string, Refused] => [
      `changing ${column} of a key`,
      {
        says: denied,
        sql: () => `update control.api_key set ${column} = ${column} where id = '${things.key}'`,
        down: `grant select (${column}), update (${column}) on control.api_key to tenantscope_admin`,
        up: `revoke update (${column}) on control.api_key from tenantscope_admin; ${column === 'secret_sha256' ? 'revoke select (secret_sha256) on control.api_key from tenantscope_admin' : ''}`,
        asked: refuses(
          'ann',
          'PATCH',
          () => `/keys/${things.key}`,
          () => ({
            [column.replace(/_(.)/g, (_, letter) => letter.toUpperCase())]: ['users:read'],
            [column]: ['users:read'],
          }),
          400,
        ),
      },
    ]),
  ),
  ...Object.fromEntries(
    columnsNobodyMoves.flatMap(([table, columns]) =>
      columns.map((column): [string, Refused] => [
        `changing ${column} of a ${table}`,
        {
          says: denied,
          sql: () => `update control.${table} set ${column} = ${column} ${table === 'console_session' ? ofAnn() : ''}`,
          ...grant(`update (${column})`, `control.${table}`),
        },
      ]),
    ),
  ),
  'deleting a key': {
    says: denied,
    sql: () => `delete from control.api_key where id = '${things.key}'`,
    ...grant('delete', 'control.api_key'),
    asked: refuses('ann', 'DELETE', () => `/keys/${things.key}`, nothing, 404),
  },
  'deleting a person': {
    says: denied,
    sql: () => `delete from control.person where id = '${people.nina.personId}'`,
    ...grant('delete', 'control.person'),
    asked: refuses('ann', 'DELETE', () => `/people/${people.nina.personId}`, nothing, 404),
  },
  ...Object.fromEntries(
    auditTables.flatMap((table) =>
      auditActs.map(([act, sql]): [string, Refused] => [
        `${act} of ${table}`,
        {
          says: denied,
          sql: () => sql(table),
          ...grant(act === 'truncate' ? 'truncate' : `select, ${act}`, `control.${table}`),
          up: `revoke ${act} on control.${table} from tenantscope_admin`,
          asked: async () => {
            for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
              for (const path of ['/audit', '/audit/1', '/audit/verify', '/audit/export'])
                expect((await people.ann.ask(method, `/console/api${path}`)).status, `${method} ${path}`).toBe(404);
          },
        },
      ]),
    ),
  ),
  'bringing a revoked key back': {
    says: /stays revoked/,
    sql: () => `update control.api_key set revoked_at = null where id = '${things.revoked}'`,
    ...trigger('api_key', 'guard_api_key'),
    asked: refuses(
      'ann',
      'PATCH',
      () => `/keys/${things.revoked}`,
      () => ({ revokedAt: null }),
      400,
    ),
  },
  'giving a revoked key another end': {
    says: /does not come back/,
    sql: () => `update control.api_key set expires_at = null where id = '${things.revoked}'`,
    ...trigger('api_key', 'guard_api_key'),
    asked: refuses(
      'ann',
      'PATCH',
      () => `/keys/${things.revoked}`,
      () => ({ expiresAt: inADay() }),
      409,
    ),
  },
  'giving an expired key another end': {
    says: /does not come back/,
    sql: () => `update control.api_key set expires_at = null where id = '${things.expired}'`,
    ...trigger('api_key', 'guard_api_key'),
    asked: refuses(
      'ann',
      'PATCH',
      () => `/keys/${things.expired}`,
      () => ({ expiresAt: null }),
      409,
    ),
  },
  'a key that lives longer than the organization allows': {
    says: /at most 2 days/,
    sql: () => newKey(ours.tenantIds[0], { expires_at: `clock_timestamp() + interval '3 days'` }),
    ...trigger('api_key', 'guard_api_key'),
    asked: () =>
      withLifetime(
        2,
        refuses(
          'ann',
          'POST',
          () => '/keys',
          () => creation({ expiresAt: new Date(Date.now() + 3 * 86_400_000) }),
          409,
        ),
      ),
  },
  'a key without end where the organization allows none': {
    says: /at most 2 days/,
    sql: () => newKey(null, { expires_at: 'null' }),
    ...trigger('api_key', 'guard_api_key'),
    asked: () =>
      withLifetime(
        2,
        refuses(
          'ann',
          'POST',
          () => '/keys',
          () => creation({ expiresAt: null }),
          409,
        ),
      ),
  },
  'prolonging a key beyond what the organization allows': {
    says: /at most 2 days/,
    sql: () =>
      `update control.api_key set expires_at = clock_timestamp() + interval '3 days' where id = '${things.key}'`,
    ...trigger('api_key', 'guard_api_key'),
    asked: () =>
      withLifetime(
        2,
        refuses(
          'ann',
          'PATCH',
          () => `/keys/${things.key}`,
          () => ({ expiresAt: null }),
          409,
        ),
      ),
  },
  'a key of the playground that stays': {
    says: /no longer than an hour/,
    sql: () => newKey(ours.tenantIds[0], { kind: `'playground'`, expires_at: `clock_timestamp() + interval '1 day'` }),
    ...trigger('api_key', 'guard_key_kin'),
    asked: refuses(
      'ann',
      'POST',
      () => '/keys',
      () => creation({ kind: 'playground' }),
      400,
    ),
  },
  'a key of the playground for the whole organization': {
    says: /reads one tenant/,
    sql: () => newKey(null, { kind: `'playground'` }),
    ...trigger('api_key', 'guard_key_kin'),
    asked: refuses(
      'ann',
      'POST',
      () => '/keys',
      () => creation({ kind: 'playground', tenantId: null }),
      400,
    ),
  },
  'prolonging a key of the playground': {
    says: /no longer than an hour/,
    sql: () =>
      `update control.api_key set expires_at = clock_timestamp() + interval '1 day' where id = '${things.play}'`,
    ...trigger('api_key', 'guard_key_kin'),
    asked: refuses(
      'ann',
      'PATCH',
      () => `/keys/${things.play}`,
      () => ({ expiresAt: inADay() }),
      409,
    ),
  },
  'taking the place of a key of another organization': {
    says: /one of its own organization/,
    sql: () => newKey(ours.tenantIds[0], { replaces: `'${things.foreign}'` }),
    ...trigger('api_key', 'guard_key_kin'),
    asked: refuses(
      'ann',
      'POST',
      () => '/keys',
      () => creation({ replaces: things.foreign }),
      404,
    ),
  },
  'the last administrator becoming something else': {
    by: 'eve',
    says: /last administrator/,
    sql: () => `update control.person set role = 'viewer' where id = '${people.eve.personId}'`,
    ...trigger('person', 'keep_an_admin'),
    asked: refuses(
      'eve',
      'POST',
      () => `/people/${people.eve.personId}`,
      () => ({ role: 'officer' }),
      409,
    ),
  },
  'closing the account of the last administrator': {
    by: 'eve',
    says: /last administrator/,
    sql: () => `update control.person set disabled_at = clock_timestamp() where id = '${people.eve.personId}'`,
    ...trigger('person', 'keep_an_admin'),
    asked: refuses(
      'eve',
      'POST',
      () => `/people/${people.eve.personId}`,
      () => ({ disabled: true }),
      409,
    ),
  },
  'the session of another in the name of somebody': {
    in: () => people.nina.sessionId,
    says: /session of its own/,
    sql: () => `update control.api_key set name = 'x' where id = '${things.key}'`,
    ...reach,
  },
  'acting in no session': {
    in: () => '',
    says: /session of its own/,
    sql: () => `update control.api_key set name = 'x' where id = '${things.key}'`,
    ...reach,
  },
  'bringing a session back': {
    says: /stays so/,
    sql: () => `update control.console_session set ended_at = null where id = '${things.token && endedSession}'`,
    ...trigger('console_session', 'stay_ended'),
  },
  'a session that lasts longer': {
    says: /12 hours/,
    sql: () => session('ann', '13 hours'),
    ...trigger('console_session', 'guard_session'),
  },
  'a session in the name of another': {
    says: /begun by whose it is/,
    sql: () => session('nina', '1 hour'),
    ...trigger('console_session', 'guard_session'),
  },
  'ending the session of another organization': {
    says: /administrator of its organization/,
    sql: () => `update control.console_session set ended_at = clock_timestamp() where id = '${people.eve.sessionId}'`,
    ...trigger('console_session', 'guard_session'),
    asked: refuses('ann', 'POST', () => `/sessions/${people.eve.sessionId}/end`, nothing, 404),
  },
  'a recovery code used up, good again': {
    says: /stays so/,
    sql: () => `update control.person_credential set spent_at = null where id = '${things.spent}'`,
    ...trigger('person_credential', 'stay_ended'),
  },
  'a set-up token used up, good again': {
    says: /stays so/,
    sql: () => `update control.set_up_token set used_at = null where sha256 = decode('${things.token}', 'hex')`,
    ...trigger('set_up_token', 'stay_ended'),
  },
  'a set-up token that is good for long': {
    says: /an hour at most/,
    sql: () =>
      `insert into control.set_up_token (sha256, organization_id, expires_at) values (${digest()}, '${ours.organizationId}', clock_timestamp() + interval '2 hours')`,
    ...trigger('set_up_token', 'record_request'),
  },
  'a proof of a person of another organization': {
    says: /own organization/,
    sql: () => `delete from control.person_credential where id = '${things.proof}'`,
    ...reach,
    asked: refuses('ann', 'POST', () => `/credentials/${things.proof}/remove`, nothing, 404),
  },
  'a proof in the name of another': {
    says: /by whose it is/,
    sql: () =>
      `insert into control.person_credential (person_id, kind, secret) values ('${people.nina.personId}', 'password', 'x')`,
    ...reach,
  },
  'naming a key of another organization': {
    says: /own organization/,
    sql: () => `update control.api_key set name = 'taken' where id = '${things.foreign}'`,
    ...reach,
    asked: refuses(
      'ann',
      'PATCH',
      () => `/keys/${things.foreign}`,
      () => ({ name: 'taken' }),
      404,
    ),
  },
  'ending a key of another organization': {
    says: /own organization/,
    sql: () => `update control.api_key set revoked_at = clock_timestamp() where id = '${things.foreign}'`,
    ...reach,
    asked: refuses('ann', 'POST', () => `/keys/${things.foreign}/revoke`, nothing, 404),
  },
  'a key of a tenant of another organization': {
    says: /own organization/,
    sql: () => newKey(theirs.tenantIds[0]),
    ...reach,
    asked: refuses(
      'ann',
      'POST',
      () => '/keys',
      () => creation({ tenantId: theirs.tenantIds[0] }),
      400,
    ),
  },
  'a person of another organization': {
    says: /own organization/,
    sql: () => `update control.person set name = 'x' where id = '${people.eve.personId}'`,
    ...reach,
    asked: refuses(
      'ann',
      'POST',
      () => `/people/${people.eve.personId}`,
      () => ({ tenantIds: [] }),
      404,
    ),
  },
  'making a person of another organization': {
    says: /own organization/,
    sql: () =>
      `insert into control.person (organization_id, name, source, subject, role) values ('${theirs.organizationId}', 'x', 'local', 'x', 'admin')`,
    ...reach,
  },
  'how long keys of another organization live': {
    says: /own organization/,
    sql: () => `update control.organization set key_lifetime_days = 1 where id = '${theirs.organizationId}'`,
    ...reach,
  },
  'dead letters in the name of another organization': {
    says: /own organization/,
    sql: () => letterRequest(theirs.organizationId, 'ann'),
    ...reach,
  },
  'a set-up token of another organization': {
    says: /own organization/,
    sql: () =>
      `insert into control.set_up_token (sha256, organization_id, expires_at) values (${digest()}, '${theirs.organizationId}', clock_timestamp())`,
    ...reach,
  },
  'a note in the audit of another organization': {
    says: /own organization/,
    sql: () =>
      `select control.note_admin_event('${theirs.organizationId}', 'exported', 'person', '${people.ann.personId}', null)`,
    ...reach,
  },
  'a note in the audit of the installation': {
    says: /own organization/,
    sql: () => `select control.note_admin_event(null, 'exported', 'person', '${people.ann.personId}', null)`,
    ...reach,
  },
  'a tenant, which no person changes': {
    says: /no person changes this/,
    sql: () => `update control.tenant set name = 'x' where id = '${ours.tenantIds[0]}'`,
    ...reach,
  },
  'a key of a tenant that one does not look at': {
    by: 'nina',
    says: /may look at/,
    sql: () => newKey(ours.tenantIds[1]),
    ...reach,
    asked: refuses(
      'nina',
      'POST',
      () => '/keys',
      () => creation({ tenantId: ours.tenantIds[1] }),
      400,
    ),
  },
  'a key of the whole organization by somebody of some tenants': {
    by: 'nina',
    says: /may look at/,
    sql: () => newKey(null),
    ...reach,
    asked: refuses(
      'nina',
      'POST',
      () => '/keys',
      () => creation({ tenantId: null }),
      400,
    ),
  },
  'ending a key of a tenant that one does not look at': {
    by: 'nina',
    says: /may look at/,
    sql: () => `update control.api_key set revoked_at = clock_timestamp() where id = '${things.second}'`,
    ...reach,
    asked: refuses('nina', 'POST', () => `/keys/${things.second}/revoke`, nothing, 404),
  },
  'naming a key of the whole organization by somebody of some tenants': {
    by: 'nina',
    says: /may look at/,
    sql: () => `update control.api_key set name = 'x' where id = '${things.whole}'`,
    ...reach,
    asked: refuses(
      'nina',
      'PATCH',
      () => `/keys/${things.whole}`,
      () => ({ name: 'x' }),
      404,
    ),
  },
  'a run against a tenant that one does not look at': {
    by: 'nina',
    says: /may look at/,
    sql: () =>
      `select control.note_admin_event('${ours.organizationId}', 'ran', 'operation', 'ping', '{"tenantId":"${ours.tenantIds[1]}"}')`,
    ...reach,
    asked: refuses(
      'nina',
      'POST',
      () => '/playground/run',
      () => ({ operation: 'ping', tenantId: ours.tenantIds[1], mode: 'rest', parameters: {}, scopesOf: 'me' }),
      400,
    ),
  },
  'widening oneself to the whole organization': {
    by: 'nina',
    says: /whole organization/,
    sql: () => `update control.person set tenant_ids = null where id = '${people.nina.personId}'`,
    ...reach,
    asked: refuses(
      'nina',
      'POST',
      () => `/people/${people.nina.personId}`,
      () => ({ tenantIds: null }),
      403,
    ),
  },
  'how long keys live, by somebody of some tenants': {
    by: 'nina',
    says: /whole organization/,
    sql: () => `update control.organization set key_lifetime_days = 1 where id = '${ours.organizationId}'`,
    ...reach,
    asked: refuses(
      'nina',
      'PATCH',
      () => '/organization',
      () => ({ keyLifetimeDays: 1 }),
      403,
    ),
  },
  'an officer making a key': {
    by: 'olga',
    says: /not for the role officer/,
    sql: () => newKey(ours.tenantIds[0]),
    ...reach,
    asked: refuses('olga', 'POST', () => '/keys', creation, 403),
  },
  'a viewer in the playground': {
    by: 'victor',
    says: /not for the role viewer/,
    sql: () => newKey(ours.tenantIds[0], { kind: `'playground'` }),
    ...reach,
    asked: refuses('victor', 'POST', () => '/playground/run', nothing, 403),
  },
  'a viewer becoming an administrator': {
    by: 'victor',
    says: /not for the role viewer/,
    sql: () => `update control.person set role = 'admin' where id = '${people.victor.personId}'`,
    ...reach,
    asked: refuses(
      'victor',
      'POST',
      () => `/people/${people.victor.personId}`,
      () => ({ role: 'admin' }),
      403,
    ),
  },
  'an officer and dead letters': {
    by: 'olga',
    says: /not for the role officer/,
    sql: () => letterRequest(ours.organizationId, 'olga'),
    ...reach,
    asked: refuses(
      'olga',
      'POST',
      () => '/dead-letters/requests',
      () => ({ act: 'dryRun', ids: [randomUUID()] }),
      403,
    ),
  },
};

let endedSession = '';
beforeEach(async () => {
  const { rows } = await superuser.query<{ id: string }>(
    `insert into control.console_session (id_sha256, person_id, ends_at, ended_at) values ($1, $2, clock_timestamp(), clock_timestamp()) returning id`,
    [randomBytes(32), people.ann.personId],
  );
  endedSession = rows[0]?.id ?? '';
});

const letterRequest = (organizationId: string, by: Name) =>
  `insert into control.letter_request (organization_id, act, letter_ids, requested_by) values ('${organizationId}', 'replay', array[gen_random_uuid()], '${people[by].personId}')`;
const session = (of: Name, long: string) =>
  `insert into control.console_session (id_sha256, person_id, ends_at) values (${digest()}, '${people[of].personId}', clock_timestamp() + interval '${long}')`;

async function withLifetime(days: number, work: () => Promise<unknown>): Promise<void> {
  await superuser.query('update control.organization set key_lifetime_days = $1', [days]);
  try {
    await work();
  } finally {
    await superuser.query('update control.organization set key_lifetime_days = null');
  }
}

/** Of the laws about lifetimes: where one holds at all. */
const inItsPlace = (name: string, work: () => Promise<void>): Promise<void> =>
  /organization allows/.test(name) ? withLifetime(2, work) : work();

const cases = Object.entries(refusals);
const actorOf = ({ by = 'ann', in: other }: Refused): Somebody | null =>
  by === null ? null : { ...people[by], ...(other === undefined ? {} : { sessionId: other() }) };

describe('the console’s login, without the console before it, is refused', () => {
  test.each(cases)('%s', (name, refused) =>
    inItsPlace(name, async () => {
      await expect(attempt(admin, actorOf(refused), refused.sql())).rejects.toThrow(refused.says);
    }),
  );
});

describe('and by this wall: without it the same is done', () => {
  test.each(cases)('%s', (name, refused) =>
    inItsPlace(name, async () => {
      await attempt(superuser, actorOf(refused), refused.sql(), refused.down);
    }),
  );
});

describe('with the database’s wall taken away the console refuses', () => {
  test.each(cases.filter(([, { asked }]) => asked !== undefined))('%s', async (_, refused) => {
    await superuser.query(refused.down);
    try {
      await refused.asked?.();
    } finally {
      await superuser.query(refused.up);
    }
  });
});

describe('the console’s statements by themselves, without its routes before and the database’s walls behind them', () => {
  let letter = '';
  const walls = [reach, trigger('console_session', 'guard_session'), trigger('api_key', 'guard_key_kin')];
  beforeAll(async () => {
    for (const { down } of walls) await superuser.query(down);
    const { rows } = await superuser.query<{ id: string }>(
      `with message as (
         insert into models.dead_letter_message (id, topic, partition, "offset", headers) values (gen_random_uuid(), 'x', 0, 0, '[]') returning id)
       insert into models.dead_letter (id, message_id, element, tenant_id, reason, stage, detail, worker_version)
       select gen_random_uuid(), id, 0, $1, 'MALFORMED_JSON', 'decode', 'torn', '1' from message returning id`,
      [theirs.tenantIds[0]],
    );
    letter = rows[0]?.id ?? '';
  });
  afterAll(async () => {
    for (const { up } of walls) await superuser.query(up);
  });
  const by = () => ({ actor: `person:${people.ann.personId}`, sessionId: people.ann.sessionId, requestId: null });
  type Transaction = Parameters<Parameters<TestConsole['store']['change']>[1]>[0];
  const change = <Value>(work: (transaction: Transaction) => Promise<Value>) => ours.store.change(by(), work);
  const wanted = (more: object) => ({
    name: 'New',
    scopes: [],
    tenantId: ours.tenantIds[0] ?? '',
    organizationId: ours.organizationId,
    expiresAt: null,
    createdBy: by().actor,
    replaces: null,
    kind: 'api' as const,
    ...more,
  });
  const own = () => ({ organizationId: ours.organizationId });
  const sight = () => ({ tenantIds: ours.tenantIds, hasEveryTenant: true });

  test.each<[string, () => Promise<unknown>, unknown]>([
    ['ending a key', () => change((t) => ours.store.keys.end(t, ours.organizationId, things.foreign)), false],
    [
      'naming a key',
      () => change((t) => ours.store.keys.change(t, ours.organizationId, things.foreign, { name: 'x' })),
      false,
    ],
    [
      'a key’s end',
      () => change((t) => ours.store.keys.endBy(t, ours.organizationId, things.foreign, new Date())),
      false,
    ],
    ['looking at a key', () => ours.store.keys.show(ours.organizationId, things.foreign), null],
    [
      'a key of a tenant',
      () => change((t) => ours.store.keys.make(t, wanted({ tenantId: theirs.tenantIds[0] }))),
      null,
    ],
    ['taking a key’s place', () => change((t) => ours.store.keys.make(t, wanted({ replaces: things.foreign }))), null],
    ['a person', () => ours.store.people.change(by(), { ...own(), id: people.eve.personId }, { role: 'viewer' }), null],
    ['a session', () => change((t) => ours.store.sessions.end(t, people.ann.personId, people.eve.sessionId)), false],
    ['a proof', () => change((t) => ours.store.credentials.remove(t, people.ann.personId, things.proof)), 'missing'],
    ['dead letters', () => ours.store.letters.seen(sight(), [letter]), []],
    ['a dead letter', () => ours.store.letters.open(sight(), letter), null],
    [
      'giving an ended key another end',
      () =>
        change((t) =>
          ours.store.keys.change(t, ours.organizationId, things.expired, { expiresAt: new Date(Date.now() + 60_000) }),
        ),
      false,
    ],
  ])('%s', async (_, work, nothing) => {
    await superuser.query('alter table control.api_key disable trigger guard_api_key');
    try {
      expect(await work()).toEqual(nothing);
    } finally {
      await superuser.query('alter table control.api_key enable trigger guard_api_key');
    }
  });
});

describe('what people do every day is not in the way of any wall', () => {
  test.each<[string, Name, () => string]>([
    ['naming a key', 'nina', () => `update control.api_key set name = 'x' where id = '${things.key}'`],
    [
      'ending a key of the whole organization',
      'ann',
      () => `update control.api_key set revoked_at = clock_timestamp() where id = '${things.whole}'`,
    ],
    ['making a key', 'nina', () => newKey(ours.tenantIds[0], { replaces: `'${things.second}'` })],
    ['a run of an officer', 'olga', () => newKey(ours.tenantIds[1], { kind: `'playground'` })],
    ['asking for dead letters', 'nina', () => letterRequest(ours.organizationId, 'nina')],
    [
      'making somebody an administrator',
      'ann',
      () => `update control.person set role = 'admin' where id = '${people.victor.personId}'`,
    ],
    [
      'stepping back where there is another',
      'ann',
      () => `update control.person set role = 'viewer' where id = '${people.ann.personId}'`,
    ],
    ['removing an own proof', 'ann', () => `delete from control.person_credential where id = '${things.spent}'`],
    [
      'ending the session of a colleague',
      'ann',
      () => `update control.console_session set ended_at = clock_timestamp() where id = '${people.olga.sessionId}'`,
    ],
  ])('%s', async (_, who, sql) => {
    expect(await attempt(admin, people[who], sql())).toBe(1);
  });
});

/** The audit's chain puts writers of an organization in a row, which would hide whether the law holds by itself. */
const levels = ['read committed', 'repeatable read', 'serializable'].flatMap((level) => [
  [level, 'with its audit', ''],
  [level, 'without', 'alter table control.person disable trigger record_admin_event'],
]);
test.each(levels)(
  'two administrators who make each other something else at once, %s, %s: one stays',
  async (level, _, down) => {
    if (down) await superuser.query(down);
    onTestFinished(async () => {
      await superuser.query('alter table control.person enable trigger record_admin_event');
    });

    const { rows } = await superuser.query<{ id: string }>(
      `with o as (insert into control.organization (id, name, digest) values (gen_random_uuid(), 'Two', sha256('two')) returning id)
     insert into control.person (organization_id, name, source, subject, role) select o.id, n, 'local', n || $1, 'admin' from o, unnest(array['a', 'b']) n returning id`,
      [randomUUID()],
    );
    const clients = await Promise.all(
      rows.map(async () => {
        const client = new pg.Client(ours.database.roles.admin);
        await client.connect();
        await client.query(`begin isolation level ${level}`);
        await client.query(`select set_config('tenantscope.actor', 'cli:test', true)`);
        await client.query('select count(*) from control.person');
        return client;
      }),
    );
    try {
      const done = await Promise.allSettled(
        clients.map(async (client, index) => {
          await client.query(`update control.person set role = 'viewer' where id = $1`, [rows[1 - index]?.id]);
          await client.query('commit');
        }),
      );
      expect(done.filter(({ status }) => status === 'fulfilled').length).toBeLessThan(2);
    } finally {
      await Promise.all(clients.map((client) => client.end()));
    }
    const { rows: left } = await superuser.query(`select 1 from control.person where id = any($1) and role = 'admin'`, [
      rows.map(({ id }) => id),
    ]);
    expect(left.length).toBeGreaterThan(0);
  },
);

describe('the walls are not the login’s to take down', () => {
  test.each([
    ['alter table control.api_key disable trigger guard_api_key', /must be owner/],
    ['alter table control.api_key disable trigger all', /must be owner/],
    ['drop trigger record_admin_event on control.api_key', /must be owner/],
    [
      'create or replace function control.guard_admin_event() returns trigger language plpgsql as $$ begin return new; end $$',
      /permission denied|must be owner/,
    ],
    ['set session_replication_role = replica', denied],
    ['set role tenantscope_owner', denied],
    ['set session authorization tenantscope_owner', denied],
    ['alter table control.admin_event no force row level security', /must be owner/],
    ['create table control.mine ()', denied],
    ['create table public.mine ()', denied],
    [`copy control.admin_event from program 'true'`, denied],
    [`select pg_read_file('/etc/hostname')`, denied],
    [`select control.append_admin_event(null, 'created', 'x', 'x', null, null)`, denied],
    [`select * from control.look_up_key(sha256('x'), null, false)`, denied],
    [`select control.add_key_usage('[]')`, denied],
  ])('%s', async (statement, words) => {
    await expect(attempt(admin, people.ann, statement)).rejects.toThrow(words);
  });
});

const consoleTables = [
  'admin_event',
  'admin_event_head',
  'api_key',
  'api_key_usage',
  'api_key_usage_hour',
  'api_key_usage_day',
  'person',
  'person_credential',
  'console_session',
  'sign_in_failure',
  'set_up_token',
  'playground_run',
  'spent_challenge',
];

describe('other logins touch nothing of the console', () => {
  test.each(['api', 'keys', 'ingest', 'jobs'] as const)('%s', async (login) => {
    const client = new pg.Client(ours.database.roles[login]);
    await client.connect();
    try {
      // What a login may not write by default it could be told to.
      await client.query('set default_transaction_read_only = off');
      await client.query(
        `select set_config('tenantscope.actor', $1, false), set_config('tenantscope.session', $2, false)`,
        [`person:${people.ann.personId}`, people.ann.sessionId],
      );
      const requests = login === 'ingest' ? [] : ['letter_request'];
      for (const table of [...consoleTables, ...requests])
        for (const statement of [
          `select count(*) from control.${table}`,
          `select 1 from control.${table} limit 1`,
          `insert into control.${table} default values`,
          `delete from control.${table}`,
          `truncate control.${table}`,
        ])
          await expect(client.query(statement), statement).rejects.toThrow(denied);
      const { rows } = await superuser.query<{ name: string }>(
        `select format('control.%I.%I', c.relname, a.attname) as name from pg_class c join pg_attribute a on a.attrelid = c.oid
          where c.relnamespace = 'control'::regnamespace and c.relname = any($1) and attnum > 0 and not attisdropped
            and has_column_privilege($2, c.oid, attnum, 'select, insert, update, references')`,
        [[...consoleTables, ...requests], `tenantscope_${login}`],
      );
      expect(rows).toEqual([]);
      for (const call of [
        `control.append_admin_event(null, 'created', 'x', 'x', null, null)`,
        `control.note_admin_event(null, 'ran', 'x', 'x', null)`,
        ...(login === 'keys' ? [] : [`control.look_up_key(sha256('x'), null, false)`, `control.add_key_usage('[]')`]),
      ])
        await expect(client.query(`select ${call}`), call).rejects.toThrow(denied);
    } finally {
      await client.end();
    }
  });

  test('ingestion answers requests about dead letters and makes or changes none', async () => {
    const client = new pg.Client(ours.database.roles.ingest);
    await client.connect();
    try {
      for (const statement of [
        'insert into control.letter_request default values',
        'delete from control.letter_request',
        ...['letter_ids', 'act', 'organization_id', 'requested_by', 'reason'].map(
          (column) => `update control.letter_request set ${column} = ${column}`,
        ),
      ])
        await expect(client.query(statement), statement).rejects.toThrow(denied);
    } finally {
      await client.end();
    }
  });
});

test('what a person proves itself by stands in the audit of its organization, without its secret', async () => {
  await admin.query('begin');
  await admin.query(`select set_config('tenantscope.actor', $1, true), set_config('tenantscope.session', $2, true)`, [
    `person:${people.ann.personId}`,
    people.ann.sessionId,
  ]);
  await admin.query(
    `insert into control.person_credential (person_id, kind, name, secret) values ($1, 'passkey', 'A key', 'what nobody reads')`,
    [people.ann.personId],
  );
  await admin.query('commit');
  const { body } = await people.ann.ask('GET', '/console/api/audit?subjectType=person_credential');
  expect(body.events[0]).toMatchObject({ act: 'created', after: { kind: 'passkey', name: 'A key' } });
  expect(JSON.stringify(body)).not.toContain('what nobody reads');
});
