import type { JsonObject } from '@tenantscope/proof';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import * as events from '../compliance/events.ts';
import { newTenantId } from '../compliance/fact-database.ts';
import * as input from '../compliance/input-records.ts';
import { reportedThreat } from './evidence-records.ts';
import { readPages, readSection } from './read-section.ts';
import { openSectionFixture, toMs } from './section-fixture.ts';

const { at, dayMs } = input;
const { facts, window, fromMs } = await openSectionFixture();
const storedThroughMs = toMs + 10 * dayMs;

const resource = fc.record({
  id: fc.constantFrom('trap', 'Trap', 'vault', null),
  isXpia: fc.boolean(),
  hasPolicy: fc.boolean(),
  isRefused: fc.boolean(),
});
const interaction = fc.record({
  agentId: fc.constantFrom('sales', 'SALES', 'stranger', undefined),
  actor: fc.constantFrom('anna', 'ben'),
  host: fc.constantFrom('Word', 'Teams'),
  occurredMs: fc.oneof(
    fc.integer({ min: fromMs - dayMs, max: toMs + dayMs }),
    fc.constantFrom(fromMs - 1, fromMs, toMs, toMs + 1),
  ),
  isJailbreak: fc.boolean(),
  resources: fc.array(resource, { maxLength: 4 }),
  /** The kind of threat that a record reports of it, too. */
  reported: fc.option(fc.constantFrom('jailbreak', 'xpia'), { nil: null }),
});
type Interaction = (typeof interaction extends fc.Arbitrary<infer Value> ? Value : never) & { readonly id: string };
const histories = fc.array(fc.tuple(interaction, fc.constantFrom(0, 0, -1, 1)), { minLength: 1, maxLength: 15 });

const toRecord = ({ id, agentId, actor, host, occurredMs, isJailbreak, resources }: Interaction) =>
  events.interaction(actor, occurredMs, {
    ...(agentId === undefined ? {} : { agentId }),
    record: {
      Id: id,
      CreationTime: at(occurredMs),
      CopilotEventData: {
        AppHost: host,
        ThreadId: `thread-${id}`,
        Messages: [{ Id: '1', isPrompt: true, JailbreakDetected: isJailbreak }],
        AccessedResources: resources.map((one) => ({
          ...(one.id === null ? {} : { Id: one.id }),
          XPIADetected: one.isXpia,
          ...(one.hasPolicy ? { PolicyDetails: [{ PolicyId: 'p' }] } : {}),
          ...(one.isRefused ? { Status: 'failure' } : {}),
        })),
      },
    },
  });

const describeRow = (row: JsonObject) =>
  JSON.stringify([
    row.occurredAt,
    row.interactionId,
    row.appHost,
    (row.actor as { readonly id: string }).id,
    row.threatType,
    row.resourceId,
    row.outcome,
  ]);
const describeThreat = (one: Interaction, type: string, resourceId: string | null, outcome: string) =>
  JSON.stringify([
    at(one.occurredMs),
    `thread-${one.id}`,
    one.host,
    `${one.actor}@contoso.example`,
    type,
    resourceId,
    outcome,
  ]);

/** Of several findings of one kind and resource, the one that was let pass decides. */
function listThreats(one: Interaction): string[] {
  const found = one.resources.flatMap(({ id, isXpia, hasPolicy, isRefused }) => [
    ...(isXpia ? [['xpia', id, isRefused ? 'blocked' : 'detected'] as const] : []),
    ...(hasPolicy ? [['policyBlock', id, isRefused ? 'blocked' : 'unknown'] as const] : []),
  ]);
  const all = one.isJailbreak ? [['jailbreak', null, 'detected'] as const, ...found] : found;
  return [...Map.groupBy(all, ([type, id]) => JSON.stringify([type, id])).values()].map((same) => {
    const outcome = ['detected', 'blocked', 'unknown'].find((name) => same.some((finding) => finding[2] === name));
    return describeThreat(one, same[0]?.[0] ?? '', same[0]?.[1] ?? null, outcome ?? '');
  });
}

const countOf = (tenantId: string) =>
  readSection(facts, tenantId, 'threat_events', { ...window, storedThroughMs }, { after: null, limit: 0 });

test('threats of interactions, and their number alone, are those of a recount', async () => {
  await fc.assert(
    fc.asyncProperty(histories, async (history) => {
      const tenantId = newTenantId();
      const given = history.map(([one, late], index) => ({
        ...one,
        id: `ext-${index}`,
        stampMs: storedThroughMs + late,
      }));
      await facts.ingest(tenantId, fromMs - dayMs, [input.agent('sales')]);
      for (const [stampMs, some] of Map.groupBy(given, (one) => one.stampMs))
        await facts.ingest(tenantId, stampMs, some.map(toRecord));
      const reports = given.flatMap((one) => (one.reported === null ? [] : [{ ...one, type: one.reported }]));
      await facts.ingest(
        tenantId,
        storedThroughMs,
        reports.map((one) => reportedThreat(`t-${one.id}`, 'sales', one.type, toMs, { externalEventId: one.id })),
      );
      const inWindow = given.filter(
        ({ occurredMs, stampMs }) => occurredMs >= fromMs && occurredMs <= toMs && stampMs <= storedThroughMs,
      );
      const logged = inWindow.flatMap(listThreats);
      const repeated = reports.filter(({ id, type }) =>
        logged.some((threat) => threat.includes(`"thread-${id}"`) && threat.includes(`"${type}"`)),
      );
      const { rows } = await readSection(facts, tenantId, 'threat_events', { ...window, storedThroughMs });
      const ofLog = rows.filter(({ eventId }) => !String(eventId).startsWith('t-'));
      expect(ofLog.map(describeRow).sort()).toEqual(logged.sort());
      expect(rows.length - ofLog.length).toBe(reports.length - repeated.length);
      expect(await countOf(tenantId)).toMatchObject({ rows: [], totalRowCount: rows.length });
      expect(await readPages(facts, tenantId, 'threat_events', { ...window, storedThroughMs }, 3)).toEqual(rows);
    }),
    { numRuns: 30 },
  );
}, 120_000);
