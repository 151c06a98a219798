import { createHash } from 'node:crypto';
import { connectAdmin } from '@tenantscope/store/admin';
import { connectKeyDirectory } from '@tenantscope/store/api-key';
import { openPool } from '@tenantscope/store/connection';
import { closeEpoch, compareMessages, type Ledger, openEpoch, readPendingEntries } from '@tenantscope/store/ingest';
import { connectRestore, type WrittenMessage } from '@tenantscope/store/restore';
import pg from 'pg';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { createDatabaseOn, createTestDatabase, type TestDatabase } from '../services/database.ts';

const stack = new AsyncDisposableStack();
/** The lost database, and its copy of an earlier time: what a restore brings back. */
let lost: TestDatabase;
let restored: TestDatabase;
let organizationId: string;
let tenantId: string;
let revoked: { id: string; secret: string };
let messages: WrittenMessage[];

const connect = (database: TestDatabase) =>
  connectAdmin({ models: database.roles.admin, control: database.roles.admin }, 'cli:test');
const withLedgers = async <Value>(
  { roles }: TestDatabase,
  work: (ledgers: readonly Ledger[]) => Promise<Value>,
): Promise<Value> => {
  const pool = openPool(roles.ingest, { name: 'test', maxConnections: 2 });
  try {
    return await work([
      { pool, schema: 'control' },
      { pool, schema: 'models' },
    ]);
  } finally {
    await pool.end();
  }
};
const createKey = async (database: TestDatabase, name: string) => {
  await using admin = await connect(database);
  return await admin.keys.create({ name, scopes: ['logs:read'], owner: { tenantId }, expiresAt: null });
};
const query = async ({ superuser }: TestDatabase, statement: string) => {
  const client = new pg.Client(superuser);
  await client.connect();
  try {
    return (await client.query(statement)).rows;
  } finally {
    await client.end();
  }
};
const lookUp = async ({ roles }: TestDatabase, secret: string) => {
  await using keys = await connectKeyDirectory(roles.keys, { name: 'test', maxConnections: 1 });
  return await keys.lookUp(createHash('sha256').update(secret).digest(), null, false);
};

beforeAll(async () => {
  lost = stack.use(await createTestDatabase());
  await withLedgers(lost, async (ledgers) => {
    for (const each of ledgers) await openEpoch(each);
  });
  {
    await using admin = await connect(lost);
    organizationId = (await admin.organizations.create({ name: 'Larkspur' })).id;
    tenantId = (await admin.tenants.create({ name: 'A tenant', organizationId, azureTenantId: null })).id;
  }
  revoked = await createKey(lost, 'revoked');
  await query(
    lost,
    `with member as (
       insert into control.member (organization_id, name, source, subject, role)
       select o.id, n.name, 'local', lower(n.name), 'admin' from control.organization o, unnest(array['Ada', 'Berta']) n (name) returning id, name)
     insert into control.member_credential (member_id, kind, secret)
     select m.id, k.kind, 'secret ' || k.kind || ' of ' || m.name from member m, unnest(array['password', 'totp', 'recovery']) k (kind)`,
  );
  restored = stack.use(await createDatabaseOn(inject('services').postgres, lost.name));
  {
    await using admin = await connect(lost);
    await admin.keys.revoke(revoked.id);
    await admin.organizations.create({ name: 'Another' });
    await admin.organizations.create({ name: 'Removed' });
  }
  await query(lost, `delete from control.organization where name = 'Removed'`);
  await query(lost, `update models.retention set retention_days = 1000, partition_width = '1 day'`);
  const ada = `member_id = (select id from control.member where name = 'Ada')`;
  await query(
    lost,
    `delete from control.member_credential where ${ada} and kind = 'password';
     update control.member_credential set consumed_at = now() where ${ada} and kind = 'recovery';
     update control.member_credential set facts = '{"step": 7}' where kind = 'totp';
     insert into control.member_credential (member_id, kind, secret) select id, 'password', 'secret new password' from control.member where name = 'Ada';
     insert into control.member_credential (member_id, kind, secret, facts) select id, 'passkey', 'public key', '{"credentialId": "p"}' from control.member where name = 'Berta'`,
  );
  await createKey(lost, 'created');
  const published = await withLedgers(lost, (ledgers) =>
    Promise.all(
      ledgers.map(async (each) =>
        (await readPendingEntries(each, 1_000)).map(({ text }) => ({ schema: each.schema, text })),
      ),
    ),
  );
  messages = published.flat().map((message, offset) => ({ ...message, offset: BigInt(offset) }));
});
afterAll(() => stack.disposeAsync());

test('a database that lacks entries of the ledger serves no key and accepts no change', async () => {
  await withLedgers(restored, async (ledgers) => {
    const control = ledgers[0] as Ledger;
    const own = messages.filter(({ schema }) => schema === 'control');
    expect(await compareMessages(control, own)).toMatchObject({ missing: 18, foreign: 0 });
    expect(await lookUp(restored, revoked.secret)).toMatchObject({ keyId: revoked.id });
    for (const each of ledgers) await closeEpoch(each);
  });
  await expect(lookUp(restored, revoked.secret)).rejects.toThrow('the server was promoted or restored');
  await expect(lookUp(restored, 'unknown')).rejects.toThrow('the server was promoted or restored');
  await expect(createKey(restored, 'refused')).rejects.toThrow('the server was promoted or restored');
});

test('a message that the database has not recorded is not applied and closes nothing', async () => {
  const key = messages.find(
    ({ text }) => text.includes(revoked.id) && text.includes('"revoked_at": "'),
  ) as WrittenMessage;
  const { mac, ...entry } = JSON.parse(key.text);
  const forged = [
    JSON.stringify({ ...entry, mac, state: { ...entry.state, revoked_at: null } }),
    JSON.stringify({ ...entry, mac, number: entry.number + 100 }),
    JSON.stringify({ ...entry, mac: null }),
    JSON.stringify(entry),
    JSON.stringify({ schema: 'control', number: 'x', recordedAt: 'y' }),
  ].map((text, index) => ({ schema: 'control', text, offset: BigInt(index) }));
  await using restore = await connectRestore({ owner: restored.owner, controlOwner: restored.owner });
  expect(await restore.stage([...forged, key])).toBe(1);
  expect(await restore.countMissing()).toBe(1);
  await withLedgers(lost, async ([control]) => {
    const compared = await compareMessages(control as Ledger, [...forged, key]);
    expect(compared).toEqual({
      present: { numbers: [entry.number], offsets: [key.offset] },
      missing: 0,
      foreign: forged.length,
    });
  });
});

test('the ledger brings back every row and event, and the audit log has the restore in each chain', async () => {
  await using restore = await connectRestore({ owner: restored.owner, controlOwner: restored.owner });
  for (const message of messages) expect(await restore.stage([message])).toBe(1);
  const { applied, accountsToSetUp } = await restore.finish({ operator: 'cli:test' }, { rejectsLostMoves: true });
  expect(applied).toEqual(
    new Map([
      ['models.retention', 1],
      ['control.admin_event', 10],
      ['control.api_key', 2],
      ['control.organization', 3],
      ['control.member_credential', 3],
    ]),
  );
  expect(accountsToSetUp).toEqual(['Ada']);
  expect(await restore.readState()).toMatchObject({ hasOpenEpoch: true });
  expect(await restore.countMissing()).toBe(0);
  expect(await lookUp(restored, revoked.secret)).toEqual({ endedKeyId: revoked.id });
  for (const rows of [
    'control.api_key order by id',
    'control.organization order by id',
    "control.admin_event where action <> 'restored' order by chain, number",
    'models.retention',
  ])
    expect(await query(restored, `select * from ${rows}`), rows).toEqual(await query(lost, `select * from ${rows}`));
  expect(
    await query(restored, `select count(*)::int as chains from control.admin_event where action = 'restored'`),
  ).toEqual([{ chains: 3 }]);
  await createKey(restored, 'continues');
});

test('no secret of a sign-in is in the ledger: what was replaced or used has ended, and a passkey comes back', async () => {
  expect(messages.filter(({ text }) => text.includes('secret '))).toEqual([]);
  const credentials = await query(
    restored,
    `select m.name, c.kind, c.secret from control.member_credential c join control.member m on m.id = c.member_id order by name, kind`,
  );
  expect(credentials).toEqual([
    { name: 'Ada', kind: 'totp', secret: 'secret totp of Ada' },
    { name: 'Berta', kind: 'passkey', secret: 'public key' },
    { name: 'Berta', kind: 'password', secret: 'secret password of Berta' },
    { name: 'Berta', kind: 'recovery', secret: 'secret recovery of Berta' },
    { name: 'Berta', kind: 'totp', secret: 'secret totp of Berta' },
  ]);
});

test('the entry of a removed row has its key alone, and a finished database knows the end of the topic', async () => {
  const removals = messages.map(({ text }) => JSON.parse(text)).filter(({ isRemoval }) => isRemoval);
  expect(removals.map(({ subject, state }) => [subject, Object.keys(state)])).toEqual([
    ['organization', ['id']],
    ['member_credential', ['id']],
    ['member_credential', ['id']],
  ]);
  await using restore = await connectRestore({ owner: restored.owner, controlOwner: restored.owner });
  expect(await restore.readState()).toMatchObject({ topicEnd: BigInt(messages.length) });
});

test('a database that was changed between its restore and the finish is refused', async () => {
  await using changed = await createDatabaseOn(inject('services').postgres, lost.name);
  await query(changed, `update control.ledger_entry set recorded_at = recorded_at - interval '1 s'`);
  await using restore = await connectRestore({ owner: changed.owner, controlOwner: changed.owner });
  await restore.stage(messages);
  await expect(restore.finish({}, { rejectsLostMoves: true })).rejects.toThrow(
    'the database was changed after it was restored',
  );
});
