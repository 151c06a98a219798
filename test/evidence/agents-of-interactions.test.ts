import fc from 'fast-check';
import { expect, test } from 'vitest';
import * as events from '../compliance/events.ts';
import { newTenantId } from '../compliance/fact-database.ts';
import * as input from '../compliance/input-records.ts';
import { readSection } from './read-section.ts';
import { openSectionFixture, toMs } from './section-fixture.ts';

const { at, dayMs } = input;
const { facts, window, fromMs } = await openSectionFixture();

/** Names of which the index has the same beginning, or all but the last character. */
const long = 'n'.repeat(127);
const names = [null, 'Sales', 'sales', 'Żaneta', `${long}a`, `${long}ab`, `${long}az`, `${long}😀`, `${long}b`, long];
const ids = ['studio.one', 'Studio.One', 'STUDIO.ONE', 'two', 'Two', 'reported', 'REPORTED', 'later', 'Later'];

const interaction = fc.record({
  agentId: fc.constantFrom(...ids),
  name: fc.constantFrom(...names),
  // The provider reports seconds.
  occurredMs: fc.oneof(
    fc.integer({ min: fromMs / 1000 - 250_000, max: toMs / 1000 + 86_000 }).map((seconds) => seconds * 1000),
    fc.constantFrom(fromMs - 1000, fromMs, fromMs + 1000, toMs - 1000, toMs, toMs + 1000),
  ),
});
type Interaction = typeof interaction extends fc.Arbitrary<infer Value> ? Value : never;
/** Records of one delivery have one stamp. Those after the bound are not stored yet. */
const storedThroughMs = toMs + 10 * dayMs;
const histories = fc.uniqueArray(
  fc.record({
    stampMs: fc.oneof(
      fc.integer({ min: toMs - dayMs, max: storedThroughMs + 5 * dayMs }),
      fc.constantFrom(storedThroughMs - 1, storedThroughMs, storedThroughMs + 1),
    ),
    interactions: fc.array(interaction, { minLength: 1, maxLength: 12 }),
  }),
  { selector: ({ stampMs }) => stampMs, minLength: 1, maxLength: 5 },
);

const toRecord = ({ agentId, name, occurredMs }: Interaction) =>
  events.interaction('anna', occurredMs, { agentId, record: { AgentName: name } });

/** The second is reported after the bound: it does not exist yet, but leads to its id and name. */
const reported = input.agent('reported', { displayName: 'Of the inventory' });
const reportedLater = input.agent('later', { displayName: 'Of a later inventory' });

const compareBytes = (one: string, other: string): number => Buffer.compare(Buffer.from(one), Buffer.from(other));

interface CountedAgent {
  readonly agentId: string;
  readonly lastActivityAt: string;
  readonly name?: string;
  readonly firstSeenAt?: string;
  readonly stampMs?: number;
}

/** Agents that no inventory of the window has, from the interactions one by one. */
function countAgents(stored: readonly (Interaction & { stampMs: number })[]): CountedAgent[] {
  const seen = stored.filter(({ occurredMs, stampMs }) => occurredMs <= toMs && stampMs <= storedThroughMs);
  return [...Map.groupBy(seen, ({ agentId }) => agentId.toLowerCase()).entries()].flatMap(([id, all]) => {
    const inWindow = all.filter(({ occurredMs }) => occurredMs >= fromMs);
    const times = all.map(({ occurredMs }) => occurredMs);
    const lastActivityAt = at(Math.max(...times));
    if (id === 'reported') return [{ agentId: id, lastActivityAt }];
    if (inWindow.length === 0) return [];
    const agentId = id === 'later' ? id : (all.map((one) => one.agentId).toSorted(compareBytes)[0] as string);
    const shown = inWindow.flatMap((one) => (one.name === null ? [] : [one.name]));
    const name = id === 'later' ? 'Of a later inventory' : (shown.toSorted(compareBytes).at(-1) ?? agentId);
    const stampMs = Math.max(...inWindow.map((one) => one.stampMs));
    return [{ agentId, lastActivityAt, name, firstSeenAt: at(Math.min(...times)), stampMs }];
  });
}

test('agents that interactions name have the times and names of a recount, whatever the order of deliveries', async () => {
  await fc.assert(
    fc.asyncProperty(histories, async (deliveries) => {
      const tenantId = newTenantId();
      await facts.ingest(tenantId, fromMs - dayMs, [reported]);
      for (const { stampMs, interactions } of deliveries)
        await facts.ingest(tenantId, stampMs, interactions.map(toRecord));
      await facts.ingest(tenantId, storedThroughMs + 6 * dayMs, [reportedLater]);
      const read = await readSection(facts, tenantId, 'inventory', { ...window, storedThroughMs });
      const stored = deliveries.flatMap(({ stampMs, interactions }) =>
        interactions.map((one) => ({ ...one, stampMs })),
      );
      const agents = countAgents(stored);
      const rows = new Map(read.rows.map((row) => [row.agentId, row]));
      for (const { stampMs: _, ...agent } of agents) expect(rows.get(agent.agentId)).toMatchObject(agent);
      expect(new Set(rows.keys())).toEqual(new Set([...agents.map(({ agentId }) => agentId), 'reported']));
      expect(read.asOfMs).toBe(Math.max(fromMs - dayMs, ...agents.map(({ stampMs = 0 }) => stampMs)));
    }),
    { numRuns: 40 },
  );
}, 120_000);

test('an interaction with the longest id and name is stored and listed under both', async () => {
  // Three bytes each, in no order that could be compressed.
  const write = (length: number, seed: number) =>
    Array.from({ length }, (_, index) =>
      String.fromCharCode(0x4e00 + ((index * 7_919 + seed * 104_729) % 20_000)),
    ).join('');
  const [agentId, name, other] = [write(512, 1), write(512, 2), `${write(512, 2).slice(0, 511)}a`];
  const tenantId = newTenantId();
  const named = [name, other].map((AgentName) => events.interaction('anna', toMs, { agentId, record: { AgentName } }));
  await facts.ingest(tenantId, toMs, named);
  const { rows } = await readSection(facts, tenantId, 'inventory', window);
  expect(rows.map((row) => [row.agentId, row.name])).toEqual([[agentId, name]]);
});
