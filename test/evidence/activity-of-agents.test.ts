import fc from 'fast-check';
import { expect, test } from 'vitest';
import * as events from '../compliance/events.ts';
import { newTenantId } from '../compliance/fact-database.ts';
import * as input from '../compliance/input-records.ts';
import { readSection } from './read-section.ts';
import { openSectionFixture, toMs } from './section-fixture.ts';

const { at, dayMs, hourMs } = input;
const { facts, fromMs } = await openSectionFixture({ days: 4 });
const storedThroughMs = toMs + 10 * dayMs;

const interaction = fc.record({
  agentId: fc.constantFrom('sales', 'SALES', 'app-of-sales', 'bot', 'Bot', undefined),
  actor: fc.constantFrom('anna', 'Anna', 'ANNA', 'gus', 'Gus', 'stranger', 'visitor#EXT#', null),
  operation: fc.constantFrom('CopilotInteraction', 'AIExecuteTool'),
  occurredMs: fc.oneof(
    fc.integer({ min: fromMs - dayMs, max: toMs + dayMs }),
    fc.constantFrom(fromMs - 1, fromMs, toMs - 12 * hourMs - 1, toMs - 12 * hourMs, toMs, toMs + 1),
  ),
  resources: fc.array(
    fc.record({
      Id: fc.constantFrom('payroll', 'PAYROLL', 'menu', 'rota', undefined),
      Name: fc.constantFrom('Payroll', 'plan', 'https://contoso.example/ŻÓŁW', undefined),
      SensitivityLabelId: fc.constantFrom('secret', undefined),
    }),
    { maxLength: 3 },
  ),
  late: fc.constantFrom(0, 0, 0, 1),
});
type Interaction = typeof interaction extends fc.Arbitrary<infer Value> ? Value : never;
/** Days, hours of one day, and all time. */
const windows = fc.constantFrom({ fromMs, toMs }, { fromMs: toMs - 11 * hourMs, toMs }, { fromMs: 0, toMs });

const entities = [
  input.user('anna-id', { userPrincipalName: 'anna@contoso.example' }),
  input.guest('gus', { userPrincipalName: 'gus@contoso.example' }),
  input.agent('sales', { displayName: 'Sales helper', appId: 'app-of-sales' }),
  input.agent('idle'),
  input.file('payroll', { sensitiveInfoTypes: [{ id: 'iban', name: 'IBAN' }] }),
  // Its types are not reported.
  input.file('Menu', { sensitiveInfoTypeCount: 2, webUrl: 'https://contoso.example/żółw' }),
];

const sensitiveNames = new Set(['payroll', 'menu', 'https://contoso.example/żółw']);

const toUserId = (actor: string): string => `${actor}@contoso.example`;
const toRecord = ({ agentId, actor, operation, occurredMs, resources }: Interaction) =>
  events.interaction(null, occurredMs, {
    resources,
    ...(agentId === undefined ? {} : { agentId }),
    record: {
      CreationTime: at(occurredMs),
      Operation: operation,
      AgentName: 'A helper',
      UserId: actor === null ? undefined : toUserId(actor),
    },
  });

const userIds: Readonly<Record<string, string>> = { 'anna@contoso.example': 'anna-id', 'gus@contoso.example': 'gus' };
const findPerson = (actor: string | null): string | null => {
  const name = actor === null ? null : toUserId(actor).toLowerCase();
  return name === null ? null : (userIds[name] ?? name);
};
const isExternal = (person: string): boolean => person === 'gus' || person.includes('#ext#');

function countUses(agent: string | null, uses: readonly Interaction[]) {
  const persons = new Set(uses.flatMap(({ actor }) => findPerson(actor) ?? []));
  const opened = uses.flatMap(({ resources }) => resources).filter((one) => (one.Id ?? one.Name) !== undefined);
  const resources = Map.groupBy(opened, ({ Id, Name }) => (Id ?? Name ?? '').toLowerCase());
  const times = uses.map(({ occurredMs }) => occurredMs);
  const actions = Map.groupBy(uses, ({ operation }) => operation);
  const spellings = uses.map(({ agentId = '' }) => agentId).sort();
  return {
    agentId: agent === 'bot' ? spellings[0] : agent,
    agentName: agent === 'sales' ? 'Sales helper' : agent === null ? null : 'A helper',
    eventCount: uses.length,
    distinctActors: persons.size,
    externalActors: [...persons].filter(isExternal).length,
    eventsByAction: Object.fromEntries([...actions].map(([action, some]) => [action, some.length])),
    accessedResources: resources.size,
    sensitiveResources: [...resources].filter(
      ([name, some]) => sensitiveNames.has(name) || some.some((one) => one.SensitivityLabelId !== undefined),
    ).length,
    firstEventAt: at(Math.min(...times)),
    lastEventAt: at(Math.max(...times)),
    activeDays: new Set(times.map((ms) => Math.floor(ms / dayMs))).size,
    unattributedEvents: uses.filter(({ actor }) => actor === null).length,
  };
}

const findAgent = ({ agentId }: Interaction): string | null =>
  agentId === undefined ? null : agentId.toLowerCase() === 'bot' ? 'bot' : 'sales';

test('the activity of agents is that of a recount of the interactions, under any of their names', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(interaction, { minLength: 1, maxLength: 25 }), windows, async (all, window) => {
      const tenantId = newTenantId();
      await facts.ingest(tenantId, fromMs - dayMs, entities);
      for (const [late, some] of Map.groupBy(all, (one) => one.late))
        await facts.ingest(tenantId, storedThroughMs + late, some.map(toRecord));
      const counted = all.filter(
        ({ late, occurredMs }) => late === 0 && occurredMs >= window.fromMs && occurredMs <= window.toMs,
      );
      const uses = [...Map.groupBy(counted, findAgent)].map(([agent, some]) => countUses(agent, some));
      const { rows } = await readSection(facts, tenantId, 'activity_summary', { ...window, storedThroughMs });
      const used = rows.filter(({ eventCount }) => eventCount !== 0);
      const byAgent = (one: { agentId?: unknown }, other: { agentId?: unknown }) =>
        String(one.agentId) < String(other.agentId) ? -1 : 1;
      expect(used.toSorted(byAgent)).toEqual(uses.toSorted(byAgent));
      const idle = rows.filter(({ eventCount }) => eventCount === 0).map(({ agentId }) => agentId);
      const isStored = all.some(({ late }) => late === 0);
      const expected = uses.some(({ agentId }) => agentId === 'sales') ? ['idle'] : ['idle', 'sales'];
      expect(idle.sort()).toEqual(isStored ? expected : []);
    }),
    { numRuns: 40 },
  );
}, 120_000);
