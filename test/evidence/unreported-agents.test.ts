import { expect, test } from 'vitest';
import * as events from '../compliance/events.ts';
import { newTenantId } from '../compliance/fact-database.ts';
import * as input from '../compliance/input-records.ts';
import { readSection } from './read-section.ts';
import { ms, openSectionFixture, toMs } from './section-fixture.ts';

const { at, dayMs } = input;
const { facts, window, fromMs, readRows } = await openSectionFixture();

test('the inventory has an agent that only interactions name', async () => {
  const rows = await readRows('inventory', [
    events.interaction('anna', fromMs - dayMs, { agentId: 'shadow' }),
    events.interaction('anna', ms, { agentId: 'shadow' }),
    events.interaction('ben', ms + dayMs, { agentId: 'shadow' }),
    events.interaction('anna', ms),
  ]);
  expect(rows).toEqual([
    {
      agentId: 'shadow',
      externalIds: {
        agentIdentityId: null,
        blueprintId: null,
        appId: null,
        packageId: null,
        manifestId: null,
        botId: null,
        environmentId: null,
      },
      name: 'Agent shadow',
      evidence: 'auditOnly',
      description: null,
      blueprint: null,
      publisher: { name: null, verified: null, verifiedPublisherId: null, verifiedAt: null },
      origin: null,
      platform: 'unknown',
      runsAs: 'unknown',
      orchestration: null,
      model: null,
      authentication: 'unknown',
      creator: null,
      channels: [],
      availableTo: null,
      deployedTo: null,
      lifecycleStatus: null,
      permissionCounts: {
        total: 0,
        direct: 0,
        inherited: 0,
        declared: 0,
        tenantWide: 0,
        write: 0,
        adminConsented: 0,
      },
      instructionsCaptured: false,
      instructionsHash: null,
      accountable: { userId: null, name: null, enabled: null, provenance: 'none', assignedBy: null, assignedAt: null },
      riskClass: 'unclassified',
      createdAt: null,
      lastPublishedAt: null,
      lastActivityAt: at(ms + dayMs),
      firstSeenAt: at(fromMs - dayMs),
      lastSeenAt: at(ms + dayMs),
    },
  ]);
});

test('an agent that interactions name by an alias is in the inventory once, as reported', async () => {
  const rows = await readRows('inventory', [
    events.interaction('anna', ms, { agentId: '0B5B2F0E-0000-4000-8000-00000000000B' }),
    events.interaction('anna', ms, { agentId: 'SALES' }),
    input.agent('sales', { appId: '0b5b2f0e-0000-4000-8000-00000000000b' }),
  ]);
  expect(rows.map(({ agentId, evidence }) => [agentId, evidence])).toEqual([['sales', 'reported']]);
});

test('an agent whose id interactions spell in two ways is in the sections once', async () => {
  const tenantId = newTenantId();
  const file = { Id: 'file-1', Name: 'Plan.docx', Type: 'docx' };
  await facts.ingest(tenantId, toMs - 3, [
    events.interaction('anna', fromMs - dayMs, { agentId: 'Studio.Helper' }),
    events.interaction('anna', ms, { agentId: 'studio.helper', resources: [file] }),
    events.interaction('ben', ms + dayMs, { agentId: 'Studio.Helper' }),
    events.interaction('ben', ms),
  ]);
  const inventory = (await readSection(facts, tenantId, 'inventory', window)).rows;
  expect(inventory.map(({ agentId, firstSeenAt, lastSeenAt }) => [agentId, firstSeenAt, lastSeenAt])).toEqual([
    ['Studio.Helper', at(fromMs - dayMs), at(ms + dayMs)],
  ]);
  const activity = (await readSection(facts, tenantId, 'activity_summary', window)).rows;
  expect(activity).toMatchObject([
    { agentId: 'Studio.Helper', eventCount: 2, eventsByAction: { CopilotInteraction: 2 }, accessedResources: 1 },
    { agentId: null, eventCount: 1, eventsByAction: { CopilotInteraction: 1 } },
  ]);
});

test('an agent becomes reported once an inventory has it, whichever is stored first', async () => {
  const interaction = events.interaction('anna', ms, { agentId: 'late' });
  const agent = input.agent('late', { displayName: 'Latecomer' });
  const orders = [
    [interaction, agent],
    [agent, interaction],
  ];
  const read = orders.map(async (records) => {
    const tenantId = newTenantId();
    for (const [index, record] of records.entries()) await facts.ingest(tenantId, toMs - 2 + index, [record]);
    return (await readSection(facts, tenantId, 'inventory', window)).rows;
  });
  for (const rows of await Promise.all(read)) {
    expect(rows).toHaveLength(1);
    expect(rows[0]).toMatchObject({ name: 'Latecomer', evidence: 'reported', lastActivityAt: at(ms) });
  }
});

test('an interaction outside the window or stored later lists no agent', async () => {
  const tenantId = newTenantId();
  await facts.ingest(tenantId, fromMs, [events.interaction('anna', fromMs - 1, { agentId: 'earlier' })]);
  await facts.ingest(tenantId, toMs + 1, [events.interaction('anna', ms, { agentId: 'later' })]);
  const before = await readSection(facts, tenantId, 'inventory', { ...window, storedThroughMs: toMs });
  expect(before.rows).toEqual([]);
  const after = await readSection(facts, tenantId, 'inventory', { ...window, storedThroughMs: toMs + 1 });
  expect(after.rows.map(({ agentId }) => agentId)).toEqual(['later']);
});

test('an agent that was deleted before the window and used in it is listed as auditOnly', async () => {
  const tenantId = newTenantId();
  await facts.ingest(tenantId, fromMs - 2 * dayMs, [input.agent('gone', { displayName: 'Was here' })]);
  await facts.ingest(tenantId, fromMs - dayMs, [input.deletedEntity('agent', 'gone')]);
  await facts.ingest(tenantId, toMs, [events.interaction('anna', ms, { agentId: 'gone' })]);
  const { rows } = await readSection(facts, tenantId, 'inventory', window);
  expect(rows).toHaveLength(1);
  expect(rows[0]).toMatchObject({ agentId: 'gone', name: 'Was here', evidence: 'auditOnly' });
});

test('a pack as of a time before the first report has the agent as auditOnly, one as of a later time as reported', async () => {
  const tenantId = newTenantId();
  await facts.ingest(tenantId, toMs - 3, [events.interaction('anna', ms, { agentId: 'late' })]);
  await facts.ingest(tenantId, toMs - 1, [input.agent('late', { displayName: 'Latecomer' })]);
  const readAsOf = async (storedThroughMs: number) =>
    (await readSection(facts, tenantId, 'inventory', { ...window, storedThroughMs })).rows.map(
      ({ agentId, evidence }) => [agentId, evidence],
    );
  expect(await readAsOf(toMs - 2)).toEqual([['late', 'auditOnly']]);
  expect(await readAsOf(toMs)).toEqual([['late', 'reported']]);
});

test('an agent is in the sections of a pack once while /agents lists it as auditOnly', async () => {
  const tenantId = newTenantId();
  await facts.ingest(tenantId, toMs - 3, [
    events.interaction('anna', ms, { agentId: 'shadow' }),
    events.interaction('ben', ms, { agentId: 'shadow' }),
  ]);
  const listed = await facts.read(tenantId, (client) => client.query('select id, evidence from models.entity_agent'));
  expect(listed.rows).toEqual([{ id: 'shadow', evidence: 'auditOnly' }]);
  const read = async (key: string) => (await readSection(facts, tenantId, key, window)).rows;
  expect((await read('inventory')).map(({ agentId }) => agentId)).toEqual(['shadow']);
  expect((await read('activity_summary')).map(({ agentId, eventCount }) => [agentId, eventCount])).toEqual([
    ['shadow', 2],
  ]);
  for (const key of ['store_shelf', 'fria_systems', 'permissions']) expect(await read(key)).toEqual([]);
});
