import { randomUUID } from 'node:crypto';
import { readStableStatus, readStatusInSnapshot, requirementCatalogue } from '@tenantscope/compliance';
import type { ComplianceFinding } from '@tenantscope/contract';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as events from './events.ts';
import { type FactDatabase, newTenantId, openFactDatabase } from './fact-database.ts';
import { explainDifference, readAllFindings, requirementsWithFindings } from './finding-counts.ts';
import * as input from './input-records.ts';
import { many, nowMs } from './outcomes.ts';

const { dayMs } = input;
const connectedAtMs = nowMs - 200 * dayMs;
const mfa = 'iam.mfa.members';

let facts: FactDatabase;
beforeAll(async () => {
  facts = await openFactDatabase();
}, 60_000);
afterAll(() => facts?.[Symbol.asyncDispose]());

const sources = [...new Set(requirementCatalogue.flatMap((one) => one.sources))];

async function createTenant(...records: readonly input.InputRecord[]): Promise<string> {
  const tenantId = newTenantId();
  const imports = sources.map((source) => input.sourceStatus(source, nowMs));
  await facts.ingest(tenantId, nowMs - dayMs, [...records, ...imports]);
  return tenantId;
}

async function readRequirement(tenantId: string, key = mfa, atMs = nowMs) {
  const query = { tenantId, connectedAtMs, nowMs: atMs };
  const { requirements } = await facts.read(tenantId, (client) => readStatusInSnapshot(client, query));
  const found = requirements.find((one) => one.key === key);
  if (!found) throw new Error(`the status has no ${key}`);
  return found;
}

const readFindings = (tenantId: string, key = mfa, states: ComplianceFinding['state'][] | null = null, atMs = nowMs) =>
  facts.read(tenantId, (client) => readAllFindings(client, { tenantId, connectedAtMs, nowMs: atMs }, key, 3, states));
const idsOf = (findings: readonly ComplianceFinding[]) => findings.map(({ subjectId }) => subjectId);

/** 90 members with a second factor, 8 without one, and 2 of whom it is unknown: not_met without exceptions. */
const members = [
  ...many(90, (index) => input.user(`ok${index}`, { mfaRegistered: true })),
  ...many(8, (index) => input.user(`room${index}`, { mfaRegistered: false })),
  ...many(2, (index) => input.user(`kiosk${index}`, { mfaRegistered: null })),
];
const shared = many(8, (index) => `room${index}`);
const kiosks = many(2, (index) => `kiosk${index}`);
const exceptShared = (more: Record<string, unknown> = {}, fromMs = nowMs - dayMs) =>
  input.exception('shared', mfa, fromMs, { subjectIds: shared, ...more });

test('excepted subjects leave the faulty side, stay in the population, and are listed with their approval', async () => {
  const tenantId = await createTenant(...members);
  expect(await readRequirement(tenantId)).toMatchObject({
    status: 'at_risk',
    metricsJson: { members: 100, mfaRegistered: 90, mfaPct: 90, unknown: 2, excepted: 0 },
    exceptions: null,
  });
  // One subject is in order: an exception of it changes nothing.
  await facts.ingest(tenantId, nowMs - dayMs, [exceptShared({ subjectIds: [...shared, ...kiosks, 'ok1', 'nobody'] })]);
  expect(await readRequirement(tenantId)).toMatchObject({
    status: 'met',
    evaluation: 'measured',
    reason: 'excepted',
    metricsJson: { members: 100, mfaRegistered: 90, mfaPct: 90, unknown: 0, excepted: 10 },
    exceptions: {
      count: 10,
      value: 100,
      statusWithout: 'at_risk',
      inForceCount: 1,
      inForce: [
        {
          id: 'shared',
          reason: 'approved by the board',
          approvedBy: 'chief',
          validFrom: input.at(nowMs - dayMs),
          validUntil: input.at(nowMs + 29 * dayMs),
          selection: 'ids',
          recordedAt: input.at(nowMs - dayMs),
          count: 10,
        },
      ],
    },
  });
  const findings = await readFindings(tenantId);
  expect(findings.map(({ state }) => state)).toEqual(many(10, () => 'excepted'));
  expect(findings[2]).toMatchObject({
    subjectId: 'room0',
    reason: 'mfa_not_registered',
    exception: { id: 'shared', approvedBy: 'chief', validUntil: input.at(nowMs + 29 * dayMs) },
  });
  expect(await readFindings(tenantId, mfa, ['failing', 'unknown'])).toEqual([]);
  expect(idsOf(await readFindings(tenantId, mfa, ['excepted']))).toEqual([...kiosks, ...shared]);
});

test('exceptions of events by query are counted one by one up to half a million, and are unknown above', async () => {
  const key = 'dev.unmanaged_access';
  const query = { detail: { actorId: 'kiosk*' } };
  const access = ['kiosk1', 'anna', 'leo'].map((actor, index) =>
    events.fileEvent('FileAccessed', randomUUID(), actor, nowMs - dayMs - index * 1_000, { IsManagedDevice: false }),
  );
  const feed = input.sourceStatus('logs/Audit.AzureActiveDirectory', nowMs);
  const tenantId = await createTenant(...access, feed, input.exception('kiosks', key, nowMs - dayMs, { query }));
  expect(await readRequirement(tenantId, key)).toMatchObject({
    metricsJson: { events: 3, unmanaged: 3, excepted: 1 },
    exceptions: { count: 1 },
  });
  await countMoreEvents(tenantId);
  expect(await readRequirement(tenantId, key)).toMatchObject({
    metricsJson: { events: 500_003, unmanaged: 3, unknown: 0, excepted: null },
    exceptions: null,
  });
  expect((await readFindings(tenantId, key)).map(({ state }) => state).toSorted()).toEqual([
    'excepted',
    'failing',
    'failing',
  ]);
});

test.each(['dev.unmanaged_access', 'ai.logs.agent_activity_attributed'])(
  'exceptions of events of %s by id are counted, whatever the number of events',
  async (key) => {
    const access = many(3, (index) =>
      key === 'dev.unmanaged_access'
        ? events.fileEvent('FileAccessed', randomUUID(), 'anna', nowMs - (index + 1) * dayMs, {
            IsManagedDevice: false,
          })
        : events.interaction('anna', nowMs - (index + 1) * dayMs, { agentId: 'stranger' }),
    );
    const feeds = ['logs/Audit.AzureActiveDirectory', 'logs/Audit.General'];
    const tenantId = await createTenant(...access, ...feeds.map((feed) => input.sourceStatus(feed, nowMs)));
    const [first = '', , third = ''] = idsOf(await readFindings(tenantId, key));
    await facts.ingest(tenantId, nowMs, [
      input.exception('one', key, nowMs, { subjectIds: ['no-uuid', first.toUpperCase(), randomUUID(), first] }),
      input.exception('two', key, nowMs, { subjectIds: [third] }),
    ]);
    await countMoreEvents(tenantId);
    expect(await readRequirement(tenantId, key)).toMatchObject({
      metricsJson: { excepted: 2 },
      exceptions: { count: 2, inForce: [{ count: 1 }, { count: 1 }] },
    });
    expect(idsOf(await readFindings(tenantId, key, ['excepted']))).toEqual([first, third]);
    expect(idsOf(await readFindings(tenantId, key, ['failing']))).toHaveLength(1);
  },
);

/** As if half a million events more had been counted. */
async function countMoreEvents(tenantId: string): Promise<void> {
  const client = new pg.Client({ connectionString: facts.database.superuser });
  await client.connect();
  await client.query(
    `insert into models.log_tally select tenant_id, tally, at, 'other', object, case tally when 'activity' then 'user managed' else flags end, shard, 500000, first_at, last_at
       from (select distinct on (tally) * from models.log_tally where tenant_id = $1 and tally in ('activity', 'interaction')) one`,
    [tenantId],
  );
  await client.end();
}

test('an article that is met only because of an exception is counted apart', async () => {
  const tenantId = await createTenant(...members, exceptShared({ subjectIds: [...shared, ...kiosks] }));
  const query = { tenantId, connectedAtMs, nowMs };
  const { requirements, frameworks } = await facts.read(tenantId, (client) => readStatusInSnapshot(client, query));
  const excepted = new Set(requirements.filter(({ reason }) => reason === 'excepted').map(({ key }) => key));
  expect([...excepted]).toEqual([mfa]);
  for (const { controls, articleCounts, metWithExceptionsCount } of frameworks) {
    const resting = controls.filter(({ requirementKeys }) => requirementKeys.includes(mfa));
    expect(resting.every((one) => one.metWithExceptionsCount === 1)).toBe(true);
    expect(metWithExceptionsCount).toBe(resting.length > 0 ? 1 : 0);
    const met = controls.filter(({ status, coverage }) => status === 'met' && coverage === 'main');
    expect(articleCounts.metWithExceptions).toBe(met.filter((one) => resting.includes(one)).length);
    expect(articleCounts.met).toBe(met.length - articleCounts.metWithExceptions);
  }
});

test('an exception counts from its begin to the instant before its end', async () => {
  const validUntil = input.at(nowMs + dayMs);
  const tenantId = await createTenant(...members, exceptShared({ validUntil }, nowMs));
  const statusAt = async (atMs: number) => (await readRequirement(tenantId, mfa, atMs)).metricsJson.excepted;
  expect(await statusAt(nowMs - 1)).toBe(0);
  expect(await statusAt(nowMs)).toBe(8);
  expect(await statusAt(nowMs + dayMs - 1)).toBe(8);
  expect(await statusAt(nowMs + dayMs)).toBe(0);
  expect(await readRequirement(tenantId, mfa, nowMs + dayMs)).toMatchObject({ exceptions: null });
  expect(idsOf(await readFindings(tenantId, mfa, ['failing'], nowMs + dayMs))).toEqual(shared);
});

test('a backdated exception does not count before it was recorded', async () => {
  const tenantId = await createTenant(...members);
  await facts.ingest(tenantId, nowMs, [exceptShared({}, nowMs - 20 * dayMs)]);
  expect((await readRequirement(tenantId, mfa, nowMs - 1)).exceptions).toBeNull();
  expect(idsOf(await readFindings(tenantId, mfa, ['failing'], nowMs - 1))).toEqual(shared);
  expect((await readRequirement(tenantId, mfa, nowMs)).exceptions).toMatchObject({
    inForce: [{ validFrom: input.at(nowMs - 20 * dayMs), recordedAt: input.at(nowMs) }],
  });
});

test('a withdrawal ends an exception from then on, and what was so before stays', async () => {
  const tenantId = await createTenant(...members, exceptShared());
  const withdrawal = { withdrawnAt: input.at(nowMs + dayMs), withdrawnBy: 'auditor', withdrawalReason: 'too wide' };
  await facts.ingest(tenantId, nowMs + dayMs, [exceptShared(withdrawal)]);
  const exceptedAt = async (atMs: number) => (await readRequirement(tenantId, mfa, atMs)).metricsJson.excepted;
  expect([await exceptedAt(nowMs), await exceptedAt(nowMs + dayMs - 1), await exceptedAt(nowMs + dayMs)]).toEqual([
    8, 8, 0,
  ]);
  const { rows } = await facts.read(tenantId, (client) =>
    client.query(
      `select facts ->> 'withdrawnBy' as by from models.statement_history where kind = 'exception' order by recorded_at`,
    ),
  );
  expect(rows).toEqual([{ by: null }, { by: 'auditor' }]);
});

test('an exception that is narrowed later covers at each instant what it covered then', async () => {
  const tenantId = await createTenant(...members, exceptShared());
  await facts.ingest(tenantId, nowMs + dayMs, [exceptShared({ subjectIds: ['room1'] })]);
  expect(idsOf(await readFindings(tenantId, mfa, ['excepted'], nowMs))).toEqual(shared);
  expect(idsOf(await readFindings(tenantId, mfa, ['excepted'], nowMs + dayMs))).toEqual(['room1']);
});

test('a query covers subjects by name and detail, literally but for asterisks', async () => {
  const site = { everyoneAccess: true, sensitiveFileCount: 1 };
  const tenantId = await createTenant(
    input.user('a', { mfaRegistered: false, displayName: 'Room 100%' }),
    input.user('b', { mfaRegistered: false, displayName: 'Room 1000' }),
    input.user('c', { mfaRegistered: false, displayName: 'ROOM_1' }),
    input.user('d', { mfaRegistered: false, displayName: "o'hara\\" }),
    input.user('e', { mfaRegistered: true, displayName: 'Room 5' }),
    input.site('s1', site),
  );
  const covered = async (query: Record<string, unknown>) => {
    await facts.ingest(tenantId, nowMs, [input.exception('one', mfa, nowMs, { query })]);
    return idsOf(await readFindings(tenantId, mfa, ['excepted'])).join('');
  };
  expect(await covered({ subjectName: 'room*' })).toBe('abc');
  expect(await covered({ subjectName: 'room 100%' })).toBe('a');
  expect(await covered({ subjectName: 'room_1' })).toBe('c');
  expect(await covered({ subjectName: '*00*' })).toBe('ab');
  expect(await covered({ subjectName: "O'HARA\\" })).toBe('d');
  expect(await covered({ subjectName: 'room*', subjectType: 'user' })).toBe('abc');
  expect(await covered({ subjectName: 'room*', subjectType: 'agent' })).toBe('');
  expect(await covered({ subjectName: 'room*', detail: { unknownMember: 'x' } })).toBe('');
  expect(await covered({ detail: { constructor: 'x*' } })).toBe('');
});

test('a query covers later subjects, and a subject without a name is not covered', async () => {
  const tenantId = await createTenant(input.user('a', { mfaRegistered: false, displayName: 'svc-a' }));
  await facts.ingest(tenantId, nowMs, [
    input.exception('one', mfa, nowMs, { query: { subjectName: 'svc-*' } }),
    input.user('b', { mfaRegistered: false, displayName: 'svc-b' }),
    input.user('c', { mfaRegistered: false, displayName: '' }),
  ]);
  expect(idsOf(await readFindings(tenantId, mfa, ['excepted']))).toEqual(['a', 'b']);
  expect(idsOf(await readFindings(tenantId, mfa, ['failing']))).toEqual(['c']);
});

test('a subject that several exceptions cover counts once, for the one that ends last', async () => {
  const tenantId = await createTenant(
    ...members,
    exceptShared(),
    input.exception('long', mfa, nowMs - dayMs, { subjectIds: ['room0'], validUntil: input.at(nowMs + 300 * dayMs) }),
    input.exception('other', 'iam.mfa.admins', nowMs - dayMs, { subjectIds: kiosks }),
    input.exception('unheard', 'no.such.requirement', nowMs - dayMs, { subjectIds: kiosks }),
  );
  const { metricsJson, exceptions } = await readRequirement(tenantId);
  expect(metricsJson.excepted).toBe(8);
  expect(exceptions?.inForce.map(({ id, count }) => [id, count])).toEqual([
    ['long', 1],
    ['shared', 7],
  ]);
});

test('a requirement whose subjects are all excepted is at risk at best', async () => {
  const tenantId = await createTenant(
    ...many(3, (index) => input.user(`room${index}`, { mfaRegistered: false })),
    exceptShared(),
  );
  expect(await readRequirement(tenantId)).toMatchObject({
    status: 'at_risk',
    reason: 'excepted',
    exceptions: { count: 3, value: 100, statusWithout: 'not_met' },
  });
});

test('half of the subjects that are left without excepted ones being unknown is no data', async () => {
  const tenantId = await createTenant(
    ...many(8, (index) => input.user(`room${index}`, { mfaRegistered: false })),
    input.user('ok', { mfaRegistered: true }),
    input.user('kiosk', { mfaRegistered: null }),
    exceptShared(),
  );
  expect(await readRequirement(tenantId)).toMatchObject({
    status: 'not_evaluated',
    reason: 'unknown',
    exceptions: { count: 8, statusWithout: 'not_met' },
  });
});

test('an exception changes nothing while a source is missing', async () => {
  const tenantId = newTenantId();
  await facts.ingest(tenantId, nowMs - 80 * input.hourMs, [...members, exceptShared()]);
  expect(await readRequirement(tenantId)).toMatchObject({
    status: 'not_evaluated',
    evaluation: 'no_data',
    exceptions: null,
  });
  expect(await readFindings(tenantId)).toEqual([]);
});

test('an exception is of one tenant', async () => {
  const [tenantId, otherId] = [await createTenant(...members), await createTenant(...members, exceptShared())];
  expect((await readRequirement(otherId)).metricsJson.excepted).toBe(8);
  expect((await readRequirement(tenantId)).metricsJson.excepted).toBe(0);
  const { rows } = await facts.read(tenantId, (client) => client.query('select from models.statement_history'));
  expect(rows).toEqual([]);
});

test('a status does not count as stable over the begin or the end of an exception', async () => {
  const tenantId = await createTenant(...members, exceptShared({ validUntil: input.at(nowMs + dayMs) }, nowMs));
  const isStableAt = (atMs: number) =>
    facts.read(tenantId, async (client) => {
      const query = { tenantId, connectedAtMs, nowMs: atMs };
      return (await readStableStatus(client, query, 60_000)).isStable;
    });
  expect([await isStableAt(nowMs - 60_001), await isStableAt(nowMs - 60_000)]).toEqual([true, false]);
  expect([await isStableAt(nowMs + dayMs - 60_001), await isStableAt(nowMs + dayMs - 60_000)]).toEqual([true, false]);
});

test('findings add up to metrics where a query excepts subjects of every rule', { timeout: 120_000 }, async () => {
  const tenantId = await createTenant(
    ...members,
    ...many(4, (index) =>
      input.device(`device${index}`, { isManaged: true, isEncrypted: index > 0, isCompliant: null }),
    ),
    ...many(4, (index) =>
      input.file(`file${index}`, { hasAnonymousLink: index > 0, sensitiveInfoTypes: [{ id: 'iban' }] }),
    ),
    ...requirementsWithFindings.map(({ key }) =>
      input.exception(key, key, nowMs - dayMs, { query: { subjectName: '*1*' } }),
    ),
  );
  const query = { tenantId, connectedAtMs, nowMs };
  const { requirements } = await facts.read(tenantId, (client) => readStatusInSnapshot(client, query));
  const differences = [];
  for (const requirement of requirementsWithFindings) {
    const status = requirements.find(({ key }) => key === requirement.key);
    const found = await readFindings(tenantId, requirement.key);
    differences.push(explainDifference(requirement, status?.metricsJson ?? {}, found));
  }
  expect(differences.filter((one) => one !== null)).toEqual([]);
  expect(requirements.filter(({ metricsJson }) => (metricsJson.excepted ?? 0) > 0).length).toBeGreaterThan(3);
});
