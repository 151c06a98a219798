import { randomUUID } from 'node:crypto';
import { type Finding, readFindingPage, readMetrics } from '@tenantscope/store/compliance';
import { type PoolClient, withReadSnapshot } from '@tenantscope/store/connection';
import type { AuditLogRow } from '@tenantscope/store/ingest';
import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type LaneWriter, logRow, openLaneWriter, writeRows } from '../installation/lane-writer.ts';
import { createTestDatabase, type TestDatabase } from '../services/database.ts';
import { openTestPool } from '../services/pool.ts';

let database: TestDatabase;
let lanes: LaneWriter;
let superuser: pg.Client;
let reading: pg.Pool;

beforeAll(async () => {
  database = await createTestDatabase();
  lanes = await openLaneWriter(database, { partitions: 2 });
  superuser = new pg.Client(database.superuser);
  await superuser.connect();
  reading = openTestPool(database.roles.api, { max: 2 });
});
afterAll(async () => {
  await reading.end();
  await superuser.end();
  await lanes[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const beginDay = (ms: number): number => Math.floor(ms / dayMs) * dayMs;

/** Accounts that exist, by ids in some case; the log names them in any. */
const accounts = new Map([
  ['anna', 'ANNA'],
  ['żaneta', 'żaneta'],
  ['leo', 'Leo'],
]);
const accountNames = [...accounts.keys()];
const toId = (name: string): string => accounts.get(name) as string;
const arbitraryEvent = fc.record({
  lane: fc.nat({ max: 1 }),
  actor: fc.constantFrom('anna', 'Anna', 'ŻANETA', 'leo', 'stranger'),
  // Before the measurement; around the begin of the 30 days, and of the days of a row.
  ageMs: fc.oneof(
    fc.integer({ min: -2 * dayMs, max: 45 * dayMs }),
    fc.integer({ min: 29 * dayMs, max: 31 * dayMs }),
    fc.constantFrom(-1, 0, 1, 30 * dayMs - 1, 30 * dayMs, 30 * dayMs + 1),
  ),
  deviceId: fc.option(fc.constantFrom('Good', 'bad', 'other'), { nil: null }),
  isManagedDevice: fc.option(fc.boolean(), { nil: null }),
  outcome: fc.option(fc.constantFrom('success', 'failure'), { nil: null }),
});
type ArbitraryEvent = typeof arbitraryEvent extends fc.Arbitrary<infer Value> ? Value : never;
type Event = ArbitraryEvent & { readonly atMs: number };

const inventory = new Map([
  ['good', true],
  ['bad', false],
]);

/** Events of the last 30 days. Of those of one day, actor, device, state and lane in which the 30 days begin, the most. */
function countRecent(events: readonly Event[], nowMs: number, fromMs = nowMs - 30 * dayMs): number {
  const groups = Map.groupBy(
    events.filter(({ atMs }) => beginDay(atMs) >= beginDay(nowMs - 30 * dayMs) && isCounted(atMs, nowMs)),
    ({ atMs, actor, deviceId, isManagedDevice, outcome, lane }) =>
      JSON.stringify([
        atMs > writtenMs ? atMs : beginDay(atMs),
        actor.toLowerCase(),
        isManagedDevice === null ? deviceId : null,
        isManagedDevice,
        outcome === 'failure',
        lane,
      ]),
  );
  return [...groups.values()]
    .map((group) => group.map(({ atMs }) => atMs))
    .map((times) => (Math.max(...times) < fromMs ? 0 : Math.min(...times) < fromMs ? times.length - 1 : times.length))
    .reduce((sum, count) => sum + count, 0);
}

/** When rows were written: after this they are ahead of the clock. */
let writtenMs = 0;
/** A day counts as soon as it has begun. */
const isCounted = (atMs: number, nowMs: number): boolean => (atMs > writtenMs ? atMs : beginDay(atMs)) <= nowMs;

const findManaged = ({ isManagedDevice, deviceId }: Event): boolean | null =>
  isManagedDevice ?? inventory.get(deviceId?.toLowerCase() ?? '') ?? null;

async function insertEntities(tenantId: string, leftMs: number | null): Promise<void> {
  const facts = (leftAt: number | null) => ({
    hasCopilotLicense: true,
    mfaRegistered: false,
    accountEnabled: leftAt === null,
    ...(leftAt === null ? {} : { disabledAt: new Date(leftAt).toISOString() }),
  });
  const rows = accountNames.map((name) => ['user', toId(name), facts(leftMs)] as const);
  const devices = [...inventory].map(([name, isManaged]) => ['device', name, { isManaged }] as const);
  for (const [kind, id, fact] of [...rows, ...devices])
    await superuser.query(
      `insert into models.entity_fact (tenant_id, kind, id, is_deleted, updated_at, facts) values ($1, $2, $3, false, now(), $4)`,
      [tenantId, kind, id, JSON.stringify(fact)],
    );
  for (const name of accountNames)
    await superuser.query(`insert into models.entity_alias (tenant_id, kind, id, alias) values ($1, 'user', $2, $3)`, [
      tenantId,
      toId(name),
      name,
    ]);
}

async function writeEvents(tenantId: string, nowMs: number, events: readonly ArbitraryEvent[]): Promise<Event[]> {
  const placed = events.map((event) => ({ ...event, atMs: nowMs - event.ageMs }));
  const toRow = ({ atMs, actor, deviceId, isManagedDevice, outcome }: Event): AuditLogRow =>
    logRow(tenantId, { occurredAtMs: atMs, actorId: actor, actorType: 'user', deviceId, isManagedDevice, outcome });
  for (const lane of [0, 1]) {
    const own = placed.filter((event) => event.lane === lane);
    await writeRows(lanes, lane, own.slice(0, 5).map(toRow));
    await writeRows(lanes, lane, own.slice(5).map(toRow));
  }
  return placed;
}

interface Instant {
  readonly tenantId: string;
  readonly connectedAtMs: number;
  readonly nowMs: number;
}

async function readAllFindings(client: PoolClient, of: Instant, requirementKey: string): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (let after: readonly string[] | null = null; ; ) {
    const page = await readFindingPage(client, { ...of, requirementKey, states: null, coverings: [], after, limit: 3 });
    findings.push(...page.findings);
    if (!page.hasMore) return findings;
    after = page.last;
  }
}

const events = fc.array(arbitraryEvent, { minLength: 1, maxLength: 40 });
/** From the measurement, 5 s after which rows are written at least: the 30 days begin anywhere in a row. */
const restMs = fc.oneof(
  fc.integer({ min: 0, max: 33 * dayMs }),
  fc.integer({ min: 0, max: 33 }).map((days) => days * dayMs),
);

test('events of users of assistants are those of a recount, wherever the 30 days begin', async () => {
  await fc.assert(
    fc.asyncProperty(events, restMs, async (list, rest) => {
      const tenantId = randomUUID();
      await insertEntities(tenantId, null);
      const nowMs = Date.now() - 5_000 - rest;
      const written = await writeEvents(tenantId, nowMs, list);
      writtenMs = Date.now();
      const of = { tenantId, nowMs, connectedAtMs: nowMs - 90 * dayMs };
      const findings = await withReadSnapshot(reading, tenantId, (client) =>
        readAllFindings(client, of, 'ai.copilot.governed_users'),
      );
      const expected = accountNames.map((name) => {
        const own = written.filter(({ actor }) => actor.toLowerCase() === name);
        const sum = (isManaged: boolean) =>
          countRecent(
            own.filter((one) => findManaged(one) === isManaged),
            nowMs,
          );
        const [managed, unmanaged] = [sum(true), sum(false)];
        const toText = (count: number) => (count === 0 ? null : String(count));
        return [toId(name), toText(managed), toText(managed + unmanaged)];
      });
      const found = findings.map(({ subjectId, detail }) => [
        subjectId,
        detail.managedEvents ?? null,
        detail.classifiedEvents ?? null,
      ]);
      expect(found.sort()).toEqual(expected.sort());
    }),
    { numRuns: 60 },
  );
}, 240_000);

test('activity of leavers is that of a recount, wherever the 30 days begin, and so are its rows', async () => {
  await fc.assert(
    fc.asyncProperty(events, restMs, fc.integer({ min: -dayMs, max: 40 * dayMs }), async (list, rest, leftAgoMs) => {
      const tenantId = randomUUID();
      const nowMs = Date.now() - 5_000 - rest;
      const leftMs = nowMs - leftAgoMs;
      await insertEntities(tenantId, leftMs);
      const written = await writeEvents(tenantId, nowMs, list);
      writtenMs = Date.now();
      const of = { tenantId, nowMs, connectedAtMs: nowMs - 90 * dayMs };
      const [metrics, findings] = await withReadSnapshot(reading, tenantId, async (client) => [
        await readMetrics(client, of),
        await readAllFindings(client, of, 'iam.leavers.activity'),
      ]);
      const own = written.filter(
        ({ actor, outcome }) => accountNames.includes(actor.toLowerCase()) && outcome !== 'failure',
      );
      const lateMs = leftMs + dayMs;
      // The first event a day after leaving, and the first one of the 30 days, each exclude one of a day that they are in.
      const late = own.filter(({ atMs }) => atMs > lateMs && atMs >= nowMs - 30 * dayMs && atMs <= nowMs);
      expect(findings).toHaveLength(late.length);
      expect(metrics['iam.leavers.activity']).toMatchObject({
        eventsAfterDisable: countRecent(own, nowMs, Math.max(nowMs - 30 * dayMs, lateMs + 1)),
      });
    }),
    { numRuns: 60 },
  );
}, 240_000);
