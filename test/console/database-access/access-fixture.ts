import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeEach } from 'vitest';
import { type ConsoleClient, createTestConsole, type TestConsole } from '../test-console.ts';

export interface SignedInMember extends ConsoleClient {
  readonly memberId: string;
  readonly sessionId: string;
}
export type MemberName = 'ann' | 'nina' | 'olga' | 'victor' | 'eve';
type MembersByName = Readonly<Record<MemberName, SignedInMember>>;

type FixtureRow =
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
  | 'tokenId'
  | 'ended';
type FixtureIds = Record<FixtureRow, string>;

export interface AccessFixture {
  /** Two organizations in one database, each with a console. */
  readonly ours: TestConsole;
  readonly theirs: TestConsole;
  /** Connected with the console's role, and as a superuser. */
  readonly admin: pg.Client;
  readonly superuser: pg.Client;
  readonly members: MembersByName;
  /** One row of each kind, created before every test. */
  readonly ids: Readonly<FixtureIds>;
  /** Limits the lifetime of keys while `work` runs. */
  withLifetime(days: number, work: (stage: AccessFixture) => Promise<unknown>): Promise<void>;
}

/** Created once for the tests of a file. */
export async function createAccessFixture(): Promise<AccessFixture> {
  const stack = new AsyncDisposableStack();
  afterAll(() => stack.disposeAsync());
  const ours = stack.use(await createTestConsole());
  const theirs = stack.use(await createTestConsole({}, { lent: ours.database }));
  const admin = new pg.Client(ours.database.roles.console);
  const superuser = new pg.Client(ours.database.superuser);
  for (const client of [admin, superuser]) {
    await client.connect();
    stack.defer(() => client.end());
  }
  const enter = async (console: TestConsole, ...[role, tenantIds]: Parameters<TestConsole['signIn']>) => {
    const visitor = await console.signIn(role, tenantIds);
    const { body } = await visitor.request('GET', '/console/api/me');
    return { ...visitor, memberId: visitor.memberId ?? '', sessionId: body.session.id as string };
  };
  const members = {
    ann: await enter(ours, 'admin'),
    nina: await enter(ours, 'admin', [ours.tenantIds[0] ?? '']),
    olga: await enter(ours, 'officer'),
    victor: await enter(ours, 'viewer'),
    eve: await enter(theirs, 'admin'),
  };
  const ids = {} as FixtureIds;
  const stage: AccessFixture = {
    ours,
    theirs,
    admin,
    superuser,
    members,
    ids,
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
    Object.assign(ids, await createRows(stage));
  });
  return stage;
}

async function createRows({ ours, theirs, superuser, members }: AccessFixture): Promise<FixtureIds> {
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
  const proof = (memberId: string, spent: boolean) =>
    one(
      `insert into control.member_credential (member_id, kind, secret, consumed_at) values ($1, 'recovery', 'x', case when $2 then clock_timestamp() end) returning id`,
      [memberId, spent],
    );
  const token = randomBytes(32).toString('hex');
  const created = {
    key: await key(first),
    second: await key(second),
    whole: await key(null),
    revoked: await key(first, JSON.stringify({ revoked_at: new Date() })),
    expired: await key(first, JSON.stringify({ expires_at: new Date(Date.now() - 60_000) })),
    play: await key(first, JSON.stringify({ kind: 'playground' })),
    foreign: await key(theirs.tenantIds[0]),
    proof: await proof(members.eve.memberId, false),
    spent: await proof(members.ann.memberId, true),
    token,
    tokenId: await one(
      `insert into control.set_up_token (sha256, organization_id, role, expires_at, used_at, revoked_at)
       values (decode($1, 'hex'), $2, 'viewer', clock_timestamp() + interval '5 minutes', clock_timestamp(), clock_timestamp()) returning id`,
      [token, ours.organizationId],
    ),
    ended: await one(
      `insert into control.console_session (id_sha256, member_id, ends_at, ended_at) values ($1, $2, clock_timestamp(), clock_timestamp()) returning id`,
      [randomBytes(32), members.ann.memberId],
    ),
  };
  return created;
}

/** Executes a statement as a member in a transaction that is rolled back; returns the number of rows it changed. */
export async function attemptAs(
  client: pg.Client,
  by: Partial<SignedInMember> | null,
  statement: string,
  before = '',
): Promise<number> {
  await client.query('begin');
  try {
    if (before !== '') {
      await client.query(before);
      // As if it had logged in: the change above lasts for this transaction only.
      await client.query('set local session authorization tenantscope_console');
    }
    const actor = by === null ? '' : ((by as { actor?: string }).actor ?? `member:${by.memberId}`);
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
