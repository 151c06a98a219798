import { randomUUID } from 'node:crypto';
import { createRemoval, readRecords } from '@tenantscope/intake';
import { type EntityChange, tickLanes } from '@tenantscope/store/ingest';
import {
  agents,
  connectReadModels,
  type ReadModels,
  readRecord,
  readRecordPage,
  watchWatermark,
} from '@tenantscope/store/read';
import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { deletionMessage, entityMessage } from '../installation/entity-messages.ts';
import { createTestDatabase, type TestDatabase } from '../services/database.ts';
import { isLong } from '../torture/random.ts';
import { type AgentLanes, type Interaction, openAgentLanes } from './agent-lanes.ts';

let database: TestDatabase;
let lanes: AgentLanes;
let owner: pg.Client;
let models: ReadModels;

beforeAll(async () => {
  database = await createTestDatabase();
  lanes = await openAgentLanes(database);
  owner = new pg.Client(database.superuser);
  await owner.connect();
  models = await connectReadModels(database.roles.api, { name: 'reader', maxConnections: 2 });
});
afterAll(async () => {
  await Promise.all([lanes[Symbol.asyncDispose](), owner.end(), models[Symbol.asyncDispose]()]);
  await database[Symbol.asyncDispose]();
});

const dayMs = 86_400_000;
const today = Math.floor(Date.now() / dayMs) * dayMs;
const dayOf = (daysAgo: number): string => new Date(today - daysAgo * dayMs).toISOString();

let number = 0;
const used = (agentId: string | undefined, daysAgo: number, more: Partial<Interaction> = {}): Interaction => ({
  ...(agentId === undefined ? {} : { agentId, agentName: `Agent ${agentId}` }),
  atMs: today - daysAgo * dayMs + 1_000,
  number: number++,
  ...more,
});

const context = {
  findTenant: () => ({ azureTenantId: null }),
  nowMs: Date.now(),
  maxValueBytes: 1e6,
  onlyElement: null,
};

/** Versions of inventories are microseconds, as producers send them. */
const microseconds = 1_760_000_000_000_000;

/** The state of an agent in an inventory. */
function reported(tenantId: string, id: string, members: Record<string, unknown> = {}, version = 1): EntityChange {
  const message = entityMessage('agent', tenantId, id, version, {
    ...{ displayName: `Reported ${id}`, kind: 'bot', changedAt: dayOf(40) },
    ...members,
  });
  const [outcome] = readRecords('entity', message as never, context);
  if (outcome?.kind !== 'part') throw new Error(JSON.stringify(outcome));
  return { ...outcome.part, version: microseconds + version };
}

function deleted(tenantId: string, id: string, version = 2): EntityChange {
  const message = deletionMessage('agent', tenantId, id, version);
  const payload = { ...JSON.parse(String(message.value)), deletedAt: dayOf(30) };
  const [outcome] = readRecords(
    'entity',
    { ...message, value: Buffer.from(JSON.stringify(payload)) } as never,
    context,
  );
  if (outcome?.kind !== 'removed') throw new Error(JSON.stringify(outcome));
  return { ...createRemoval(outcome as never), version: microseconds + version };
}

/** Rows as the list serves them, with deleted ones. */
async function listAgents(tenantId: string, filters: Record<string, readonly (string | boolean)[]> = {}) {
  const page = await readRecordPage(models, agents, {
    ...{
      tenantId,
      timeoutMs: 5_000,
      axis: 'updatedAt',
      ascending: true,
      windows: {},
      after: null,
      limit: 1_000,
      maxBytes: 1e6,
    },
    filters: { includeDeleted: [true], ...filters },
  });
  return JSON.parse(String(page.close('}'))).data as Record<string, unknown>[];
}

const getAgent = async (tenantId: string, id: string) => {
  const text = await readRecord(models, agents, { tenantId, timeoutMs: 5_000, id });
  return text === null ? null : (JSON.parse(text) as Record<string, unknown>);
};

const write = async (tenantId: string, interactions: readonly Interaction[], process: 0 | 1 = 0) =>
  expect(await lanes.writeInteractions(process, tenantId, interactions)).toBe('written');
const report = async (parts: readonly EntityChange[], process: 0 | 1 = 0) =>
  expect(await lanes.writeParts(process, parts)).toBe('written');

test('an agent that only interactions name is listed with its evidence, in its tenant alone', async () => {
  const [tenantId, other] = [randomUUID(), randomUUID()];
  await write(tenantId, [used('Shadow', 3), used(undefined, 1), used('Shadow', 2)]);
  const [row, ...more] = await listAgents(tenantId);
  expect(more).toEqual([]);
  expect(row).toMatchObject({
    id: 'Shadow',
    tenantId,
    displayName: 'Agent Shadow',
    evidence: 'auditOnly',
    kind: 'other',
    lastSeenAt: dayOf(2),
    deletedAt: null,
    ownerId: null,
    ownerSource: null,
    lifecycleStatus: null,
  });
  expect(row?.firstSeenAt).toBe(row?.updatedAt);
  expect(await listAgents(tenantId, { evidence: ['auditOnly'] })).toHaveLength(1);
  expect(await listAgents(tenantId, { evidence: ['reported'] })).toEqual([]);
  expect(await getAgent(tenantId, 'SHADOW')).toMatchObject({ id: 'Shadow', instructions: null });
  expect(await listAgents(other)).toEqual([]);
  expect(await getAgent(other, 'Shadow')).toBeNull();
});

test('an agent is written once per day, by whichever process and however often it is used', async () => {
  const tenantId = randomUUID();
  await write(tenantId, [used('busy', 2), used('busy', 2)]);
  const [first] = await listAgents(tenantId);
  for (const process of [0, 1, 0, 1] as const) await write(tenantId, [used('busy', 2), used('busy', 5)], process);
  expect(await listAgents(tenantId)).toEqual([first]);
  await write(tenantId, [used('busy', 1)], 1);
  await write(tenantId, [used('busy', 1)], 0);
  const [next] = await listAgents(tenantId);
  expect(next).toMatchObject({ lastSeenAt: dayOf(1), firstSeenAt: first?.firstSeenAt });
  expect(next?.version).toBeGreaterThan(first?.version as number);
  expect(Date.parse(String(next?.updatedAt))).toBeGreaterThan(Date.parse(String(first?.updatedAt)));
});

test('a redelivered batch and a record from the future change nothing more', async () => {
  const tenantId = randomUUID();
  const batch = [used('again', 4), used('again', -1)];
  await write(tenantId, batch);
  const before = await listAgents(tenantId);
  expect(before).toMatchObject([{ lastSeenAt: new Date(today).toISOString() }]);
  await write(tenantId, batch, 1);
  expect(await listAgents(tenantId)).toEqual(before);
});

test('the inventory takes an agent over under its id, with the time at which it was first seen', async () => {
  const tenantId = randomUUID();
  await write(tenantId, [used('sales', 1)]);
  const [before] = await listAgents(tenantId);
  await report([reported(tenantId, 'sales')]);
  const [after, ...more] = await listAgents(tenantId);
  expect(more).toEqual([]);
  expect(after).toMatchObject({
    id: 'sales',
    evidence: 'reported',
    displayName: 'Reported sales',
    kind: 'bot',
    firstSeenAt: before?.firstSeenAt,
    lastSeenAt: dayOf(40),
  });
  expect(after?.version).toBeGreaterThan(before?.version as number);
  await write(tenantId, [used('sales', 0)], 1);
  expect(await listAgents(tenantId)).toEqual([after]);
});

test('an agent stays one under all its names: a row under another name is deleted, and requests for it return the agent', async () => {
  const tenantId = randomUUID();
  const appId = randomUUID();
  await write(tenantId, [used(appId.toUpperCase(), 2), used('Bot-7', 2)]);
  const [first] = await listAgents(tenantId);
  await report([reported(tenantId, 'sales', { appId, aliases: { botId: 'BOT-7' } })]);
  const rows = await listAgents(tenantId);
  expect(rows.map(({ id, deletedAt }) => [id, deletedAt === null]).sort()).toEqual(
    [
      [appId, false],
      ['Bot-7', false],
      ['sales', true],
    ].sort(),
  );
  for (const row of rows.filter(({ deletedAt }) => deletedAt !== null))
    expect(row).toMatchObject({
      evidence: 'auditOnly',
      deletedAt: row.updatedAt,
      changeId: `${row.id}:${row.version}`,
    });
  expect(rows.find(({ id }) => id === first?.id)?.version).toBeGreaterThan(first?.version as number);
  for (const name of [appId, 'Bot-7', 'bot-7', 'sales'])
    expect(await getAgent(tenantId, name)).toMatchObject({ id: 'sales' });
  // On the next day its interactions still belong to the agent of the inventory.
  await write(tenantId, [used(appId, 1), used('BOT-7', 1)], 1);
  expect(await listAgents(tenantId)).toEqual(rows);
});

test('a name that an agent of the inventory lost is an agent again once it is used', async () => {
  const tenantId = randomUUID();
  await write(tenantId, [used('bot-9', 3)]);
  await report([reported(tenantId, 'sales', { aliases: { botId: 'bot-9' } })]);
  await report([reported(tenantId, 'sales', {}, 2)]);
  const versionOf = async () => (await getAgent(tenantId, 'bot-9'))?.version as number;
  const before = await versionOf();
  await write(tenantId, [used('bot-9', 2)]);
  expect(await getAgent(tenantId, 'bot-9')).toMatchObject({ evidence: 'auditOnly', deletedAt: null });
  expect(await versionOf()).toBeGreaterThan(before);
});

test('what is assigned to an agent that turned out to be another does not bring it back', async () => {
  const tenantId = randomUUID();
  await write(tenantId, [used('bot-3', 3)]);
  await report([reported(tenantId, 'sales', { aliases: { botId: 'bot-3' } })]);
  const [assigned] = [reported(tenantId, 'bot-3')].map((part) => ({
    ...part,
    part: 'accountable',
    facts: { ownerId: 'u1', ownerName: 'Ada', ownerSource: 'assignment' },
  }));
  await report([assigned as EntityChange]);
  expect(await getAgent(tenantId, 'bot-3')).toMatchObject({ id: 'sales' });
});

test('an agent that the inventory deleted stays deleted when it is used', async () => {
  const tenantId = randomUUID();
  await report([reported(tenantId, 'gone'), deleted(tenantId, 'gone')]);
  const before = await listAgents(tenantId);
  await write(tenantId, [used('gone', 0)]);
  expect(await listAgents(tenantId)).toEqual(before);
  expect(before).toMatchObject([{ evidence: 'reported', deletedAt: dayOf(30) }]);
});

test('rules and evidence count no agent that only interactions name', async () => {
  const tenantId = randomUUID();
  const counted = () => owner.query('select id, facts from models.entity_fact where tenant_id = $1', [tenantId]);
  await write(tenantId, [used('shadow', 1)]);
  expect((await counted()).rows).toEqual([]);
  await report([reported(tenantId, 'shadow')]);
  const { rows } = await counted();
  const [row] = await listAgents(tenantId);
  // Known to the inventory from its report on, not from its first interaction.
  expect(rows).toMatchObject([{ id: 'shadow', facts: { firstSeenAt: row?.updatedAt } }]);
});

test('the watermark of agents waits for the lanes of the audit log, that of other entities does not', async () => {
  const tenantId = randomUUID();
  await using watermark = await watchWatermark(models.pools(), { intervalMs: 50 });
  let during = { agents: 0, entities: 0 };
  const kind = await lanes.writeInteractions(0, tenantId, [used('shadow', 0)], async () => {
    await new Promise((resolve) => setTimeout(resolve, 50));
    await tickLanes(lanes.ledger);
    await watermark.refresh();
    during = {
      agents: watermark.settled('agents')?.throughMs ?? 0,
      entities: watermark.settled('entities')?.throughMs ?? 0,
    };
  });
  expect(kind).toBe('written');
  const [row] = await listAgents(tenantId);
  const updatedMs = Date.parse(String(row?.updatedAt));
  expect(during.agents).toBeGreaterThan(0);
  expect(during.agents).toBeLessThan(updatedMs);
  expect(during.entities).toBeGreaterThan(updatedMs);
  await tickLanes(lanes.ledger);
  await watermark.refresh();
  expect(watermark.settled('agents')?.throughMs).toBeGreaterThanOrEqual(updatedMs);
});

/** A statement about one of two agents: an interaction under one of its names, or a state or deletion of the inventory. */
const statement = fc.oneof(
  fc.record({
    by: fc.constant('log' as const),
    name: fc.constantFrom('agent-0', 'Agent-0', 'AGENT-0', 'app-0', 'agent-1', 'App-1', 'APP-1'),
    daysAgo: fc.integer({ min: 0, max: 3 }),
    agentName: fc.option(fc.constantFrom('One', 'Two'), { nil: undefined }),
  }),
  fc.record({ by: fc.constant('inventory' as const), agent: fc.nat(1), version: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ by: fc.constant('deletion' as const), agent: fc.constant(1), version: fc.constant(9) }),
);
type Statement = typeof statement extends fc.Arbitrary<infer One> ? One : never;

const deliveries = fc
  .uniqueArray(statement, {
    minLength: 1,
    maxLength: 14,
    comparator: (a, b) => JSON.stringify(a) === JSON.stringify(b),
  })
  .chain((all) => {
    const order = fc
      .subarray(all)
      .chain((again) => fc.shuffledSubarray([...all, ...again], { minLength: all.length + again.length }));
    return fc.tuple(order, order, fc.integer({ min: 1, max: 5 }));
  });

/** Delivers over two lanes of each topic at the same time, and returns the agents that exist. */
async function deliver(statements: readonly Statement[], size: number): Promise<unknown> {
  const tenantId = randomUUID();
  const streams = ([0, 1] as const).flatMap((process) => {
    const own = statements.filter((_, index) => index % 2 === process);
    const logged = own.flatMap((one, index) =>
      one.by === 'log' ? [used(one.name, one.daysAgo, { agentName: one.agentName, number: index })] : [],
    );
    const parts = own.flatMap((one) => {
      if (one.by === 'log') return [];
      const id = `agent-${one.agent}`;
      return one.by === 'deletion'
        ? [deleted(tenantId, id, one.version)]
        : [reported(tenantId, id, { appId: `app-${one.agent}`, description: `${one.version}` }, one.version)];
    });
    return [
      { items: logged, write: (some: Interaction[]) => write(tenantId, some, process) },
      { items: parts, write: (some: EntityChange[]) => report(some, process) },
    ] as { items: unknown[]; write: (some: unknown[]) => Promise<void> }[];
  });
  const ended = await Promise.allSettled(
    streams.map(async ({ items, write }) => {
      for (let at = 0; at < items.length; at += size) await write(items.slice(at, at + size));
    }),
  );
  for (const one of ended) if (one.status === 'rejected') throw one.reason;
  const rows = await listAgents(tenantId);
  const existing = rows.filter(({ deletedAt, evidence }) => deletedAt === null || evidence === 'reported');
  const ids = existing.map(({ id }) => String(id).toLowerCase().replace('app', 'agent'));
  const isInventoried = (agent: number) => statements.some((one) => one.by === 'inventory' && one.agent === agent);
  for (const agent of [0, 1])
    if (isInventoried(agent)) expect(ids.filter((id) => id === `agent-${agent}`)).toHaveLength(1);
  // However its id is spelled, an agent exists once.
  expect(new Set(existing.map(({ id }) => String(id).toLowerCase())).size).toBe(existing.length);
  return existing
    .map(({ updatedAt: _, firstSeenAt: __, tenantId: ___, version: ____, changeId: _____, ...row }) => row)
    .sort((a, b) => (String(a.id) < String(b.id) ? -1 : 1));
}

test('agents converge for every order of interactions and inventories over two processes', async () => {
  await fc.assert(
    fc.asyncProperty(deliveries, async ([first, second, size]) => {
      expect(await deliver(first, size)).toEqual(await deliver(second, 6 - size));
    }),
    { numRuns: isLong ? 200 : 40 },
  );
  const { rows } = await owner.query('select deadlocks from pg_stat_database where datname = current_database()');
  expect(rows).toEqual([{ deadlocks: '0' }]);
});
