import { randomBytes, randomUUID } from 'node:crypto';
import { withConnection } from '@tenantscope/store/connection';
import { backfillLogTally, type EntityChange, writeEntityChanges } from '@tenantscope/store/ingest';
import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { deletionMessage, entityMessage } from '../installation/entity-messages.ts';
import { mergeParts } from '../installation/log-merging.ts';
import { createTestDatabase, type TestDatabase } from '../services/database.ts';
import { openTestPool } from '../services/pool.ts';
import { isLong } from '../torture/random.ts';
import { readChange } from './read-change.ts';

let database: TestDatabase;
let pool: pg.Pool;
let superuser: pg.Client;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = openTestPool(database.roles.ingest);
  superuser = new pg.Client(database.superuser);
  await superuser.connect();
});
afterAll(async () => {
  await pool?.end();
  await superuser?.end();
  await database?.[Symbol.asyncDispose]();
});

interface UserState {
  readonly number: number;
  readonly version: number;
  readonly isDeletion: boolean;
  readonly members: Readonly<Record<string, unknown>>;
}

const perhaps = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });
const flag = perhaps(fc.boolean());
const time = perhaps(fc.constantFrom('2026-10-01T08:00:00Z', '2026-11-02T09:30:00.123456Z'));
const userState: fc.Arbitrary<UserState> = fc.record({
  number: fc.nat(4),
  version: fc.integer({ min: 1, max: 9 }),
  isDeletion: fc.nat(5).map((of) => of === 0),
  members: fc.record({
    userType: perhaps(fc.constantFrom('member', 'guest')),
    isExternal: flag,
    accountEnabled: flag,
    isAdmin: flag,
    mfaRegistered: flag,
    hasCopilotLicense: flag,
    employeeType: perhaps(
      fc.constantFrom('Service account', 'service_account', 'SERVICE', 'Customer service', 'Employee'),
    ),
    createdAt: time,
    lastSignInAt: time,
    lastNonInteractiveSignInAt: time,
    disabledAt: time,
    riskLevel: perhaps(fc.constantFrom('high', 'none')),
    riskState: perhaps(fc.constantFrom('atRisk', 'dismissed')),
    riskUpdatedAt: time,
    methodsRegistered: perhaps(fc.subarray(['fido2', 'sms'])),
    roles: perhaps(fc.constantFrom([], ['Global Administrator'], ['Directory Synchronization Accounts'])),
    licenseSkus: perhaps(fc.subarray(['SPE_E5', 'FLOW_FREE'])),
  }),
});

function toChange(tenantId: string, { number, version, isDeletion, members }: UserState): EntityChange {
  const id = `User-${number}`;
  return readChange(
    isDeletion
      ? deletionMessage('user', tenantId, id, version)
      : entityMessage('user', tenantId, id, version, { displayName: id, ...members }),
  );
}

/** Two lanes at the same time, a transaction for each state. */
async function writeByTwoLanes(tenantId: string, states: readonly UserState[]): Promise<void> {
  await Promise.all(
    [0, 1].map(async (lane) => {
      for (const state of states.filter((_, index) => index % 2 === lane))
        await withConnection(pool, async (client) => {
          await client.query('begin');
          await writeEntityChanges(client, [toChange(tenantId, state)], () => new Date().toISOString(), mergeParts);
          await client.query('commit');
        });
    }),
  );
}

interface StoredUser {
  readonly id: string;
  readonly is_deleted: boolean;
  readonly updated_at: Date;
  readonly facts: Readonly<Record<string, unknown>>;
  /** Of the document. */
  readonly employee_type: string | null;
}

/** What the table should have, by another reading of the facts. */
async function recount(tenantId: string): Promise<unknown[]> {
  const { rows } = await superuser.query<StoredUser>(
    `select f.id, f.is_deleted, f.updated_at, f.facts, u.detail::json ->> 'employeeType' as employee_type
       from models.entity_fact f join models.entity_user u using (tenant_id, id) where tenant_id = $1 and kind = 'user' order by id`,
    [tenantId],
  );
  return rows.map(({ facts, employee_type, ...row }) => ({
    ...row,
    user_type: facts.userType ?? null,
    is_external: facts.isExternal ?? null,
    is_enabled: facts.accountEnabled ?? null,
    is_admin: facts.isAdmin ?? null,
    is_service:
      /^service(.account)?$/i.test(employee_type ?? '') ||
      JSON.stringify(facts.roles) === '["Directory Synchronization Accounts"]',
    has_mfa: facts.mfaRegistered ?? null,
    has_copilot_license: facts.hasCopilotLicense ?? null,
    created_at: toMs(facts.createdAt),
    signed_in_at: toMs(facts.lastSignInAt, facts.lastNonInteractiveSignInAt),
    disabled_at: toMs(facts.disabledAt),
    deleted_at: toMs(facts.deletedAt),
    risk_level: facts.riskLevel ?? null,
    risk_state: facts.riskState ?? null,
    risk_updated_at: toMs(facts.riskUpdatedAt),
    methods: facts.methodsRegistered ?? null,
    roles: facts.roles ?? null,
    role_assignments: facts.roleAssignments ?? null,
    license_skus: facts.licenseSkus ?? null,
    out_since: toMs(facts.outSince),
    risk_since: toMs(facts.riskSince),
  }));
}

const toMs = (...times: unknown[]): number | null => {
  const parsed = times.filter((one) => typeof one === 'string').map((one) => Date.parse(one));
  return parsed.length === 0 ? null : Math.max(...parsed);
};

const times = [
  ...['created_at', 'signed_in_at', 'disabled_at', 'deleted_at', 'risk_updated_at'],
  ...['out_since', 'risk_since'],
];

async function readStored(tenantId: string): Promise<unknown[]> {
  const { rows } = await superuser.query('select * from models.user_fact where tenant_id = $1 order by id', [tenantId]);
  return rows.map(({ tenant_id: _, ...row }) => ({
    ...row,
    ...Object.fromEntries(times.map((name) => [name, row[name] === null ? null : row[name].getTime()])),
  }));
}

test('facts of users are those of their entities, for every order of changes of two lanes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(userState, { minLength: 1, maxLength: 20 }), async (states) => {
      const tenantId = randomUUID();
      await writeByTwoLanes(tenantId, states);
      expect(await readStored(tenantId)).toEqual(await recount(tenantId));
    }),
    { numRuns: isLong ? 500 : 40 },
  );
});

test('facts of other types and of any length are written: no record may stop a lane', async () => {
  const tenantId = randomUUID();
  const long = randomBytes(6_000).toString('base64');
  const others = ['text', 'yesterday', '2026-13-41T00:00:00Z', 5, 1e300, true, null, [], [null], {}, [{ a: 1 }], long];
  const names = [...Object.keys(fc.sample(userState, 1)[0]?.members ?? {}), 'deletedAt', 'roleAssignments'];
  const facts = names.flatMap((name) => others.map((other) => ({ [name]: other })));
  for (const [index, members] of facts.entries())
    await pool.query(
      `insert into models.entity_fact (tenant_id, kind, id, is_deleted, updated_at, facts) values ($1, 'user', $2, false, now(), $3)`,
      [tenantId, `u${index}`, JSON.stringify(members)],
    );
  const stored = (await readStored(tenantId)) as Record<string, unknown>[];
  expect(stored).toHaveLength(facts.length);
  expect(stored.filter((row) => times.some((name) => row[name] !== null))).toEqual([]);
  await superuser.query('delete from models.entity_fact where tenant_id = $1', [tenantId]);
  expect(await readStored(tenantId)).toEqual([]);
});

test('users that are older than the table are added in steps, next to lanes that change them and a process that is killed', async () => {
  const tenants = [randomUUID(), randomUUID()];
  await superuser.query('alter table models.entity_fact disable trigger user');
  for (const tenantId of tenants) await writeByTwoLanes(tenantId, fc.sample(userState, { numRuns: 30, seed: 7 }));
  for (const tenantId of tenants) expect(await readStored(tenantId)).toEqual([]);
  // Before, the type of an employee was in documents only.
  await superuser.query(`update models.entity_fact set facts = facts - 'employeeType' where tenant_id = any($1)`, [
    tenants,
  ]);
  await superuser.query('alter table models.entity_fact enable trigger user');
  await superuser.query(
    `insert into models.log_tally_backfill (tally, until_at, next_at, next_key)
     values ('user', now(), now(), '00000000-0000-0000-0000-000000000000/')`,
  );
  // A step that is not committed has done nothing.
  const killed = await pool.connect();
  await killed.query('begin; select models.backfill_user_facts(1)');
  killed.release(new Error('killed'));
  const changes = fc.sample(userState, { numRuns: 30, seed: 8 }).map((one) => ({ ...one, version: one.version + 9 }));
  const writing = Promise.all(tenants.map((tenantId) => writeByTwoLanes(tenantId, changes)));
  for (let steps = 0; steps < 5; steps++) await pool.query('select models.backfill_user_facts(1)');
  await writing;
  while (await backfillLogTally(pool));
  for (const tenantId of tenants) expect(await readStored(tenantId)).toEqual(await recount(tenantId));
  const { rows } = await superuser.query(
    `delete from models.log_tally_backfill where tally = 'user' returning next_at, next_key`,
  );
  expect(rows).toEqual([{ next_at: null, next_key: null }]);
}, 120_000);
