import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeEach } from 'vitest';
import { type TestConsole, testConsole, type Visitor } from '../visitor.ts';

export interface Somebody extends Visitor {
  readonly personId: string;
  readonly sessionId: string;
}
export type Name = 'ann' | 'nina' | 'olga' | 'victor' | 'eve';
type People = Readonly<Record<Name, Somebody>>;

type Thing =
  | 'key'
  | 'second'
  | 'whole'
  | 'revoked'
  | 'expired'
  | 'play'
  | 'foreign'
  | 'proof'
  | 'spent'
  | 'token'
  | 'ended';
type Things = Record<Thing, string>;

export interface Stage {
  /** Two organizations in one database, each with a console. */
  readonly ours: TestConsole;
  readonly theirs: TestConsole;
  /** As the console's own login, and as one that no wall holds. */
  readonly admin: pg.Client;
  readonly superuser: pg.Client;
  readonly people: People;
  /** One of each thing, made anew for every test. */
  readonly things: Readonly<Things>;
  /** Where keys live this long at most. */
  withLifetime(days: number, work: (stage: Stage) => Promise<unknown>): Promise<void>;
}

/** For the tests of one file. */
export async function wallsStage(): Promise<Stage> {
  const stack = new AsyncDisposableStack();
  afterAll(() => stack.disposeAsync());
  const ours = stack.use(await testConsole());
  const theirs = stack.use(await testConsole({}, { lent: ours.database }));
  const admin = new pg.Client(ours.database.roles.admin);
  const superuser = new pg.Client(ours.database.superuser);
  for (const client of [admin, superuser]) {
    await client.connect();
    stack.defer(() => client.end());
  }
  const enter = async (console: TestConsole, ...[role, tenantIds]: Parameters<TestConsole['visitor']>) => {
    const visitor = await console.visitor(role, tenantIds);
    const { body } = await visitor.ask('GET', '/console/api/me');
    return { ...visitor, personId: visitor.personId ?? '', sessionId: body.session.id as string };
  };
  const people = {
    ann: await enter(ours, 'admin'),
    nina: await enter(ours, 'admin', [ours.tenantIds[0] ?? '']),
    olga: await enter(ours, 'officer'),
    victor: await enter(ours, 'viewer'),
    eve: await enter(theirs, 'admin'),
  };
  const things = {} as Things;
  const stage: Stage = {
    ours,
    theirs,
    admin,
    superuser,
    people,
    things,
    async withLifetime(days, work) {
      await superuser.query('update control.organization set key_lifetime_days = $1', [days]);
      try {
        await work(stage);
      } finally {
        await superuser.query('update control.organization set key_lifetime_days = null');
      }
    },
  };
  beforeEach(async () => {
    Object.assign(things, await thingsAnew(stage));
  });
  return stage;
}

async function thingsAnew({ ours, theirs, superuser, people }: Stage): Promise<Things> {
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
  const made = {
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
    ended: await one(
      `insert into control.console_session (id_sha256, person_id, ends_at, ended_at) values ($1, $2, clock_timestamp(), clock_timestamp()) returning id`,
      [randomBytes(32), people.ann.personId],
    ),
  };
  await superuser.query(
    `insert into control.set_up_token (sha256, organization_id, expires_at, used_at) values (decode($1, 'hex'), $2, clock_timestamp() + interval '5 minutes', clock_timestamp())`,
    [made.token, ours.organizationId],
  );
  return made;
}

/** What the console's login tries as somebody, undone in any case; how many rows it touched. */
export async function attempt(
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
