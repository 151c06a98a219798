import { readMetrics } from '@tenantscope/store/compliance';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as events from '../compliance/events.ts';
import { type FactDatabase, newTenantId, openFactDatabase } from '../compliance/fact-database.ts';
import * as input from '../compliance/input-records.ts';
import { readSection } from './read-section.ts';

let facts: FactDatabase;
beforeAll(async () => {
  facts = await openFactDatabase();
});
afterAll(() => facts[Symbol.asyncDispose]());

const { at, dayMs } = input;
const ms = Date.UTC(2026, 5, 15, 12);
const window = { fromMs: ms - dayMs, toMs: ms };

/** A number that JSON allows and the database cannot store. */
const huge = (JSON as unknown as { rawJSON(digits: string): unknown }).rawJSON('1e400000');

test('an out-of-range number or an invalid character breaks no section and no metric', async () => {
  const tenantId = newTenantId();
  const automation = `[{"id":"run","executedAt":"${at(ms)}","result":"success","itemsTotal":1e400000}]`;
  await facts.ingest(tenantId, ms, [
    input.agent('sales'),
    {
      topic: 'detection',
      type: 'detection',
      id: 'x1',
      members: {
        kind: 'novelty',
        severity: 'low',
        status: 'open',
        stateful: false,
        openedAt: at(ms),
        lastSeenAt: at(ms),
        summary: 'New.',
        detector: { id: 'novelty', name: 'Novelty' },
        entity: { type: 'agent', id: 'sales' },
        details: { score: huge, level: 'alerted' },
      },
    },
    events.action('a1', 'blockAgent', { type: 'agent', id: 'sales' }, ms, { actionArguments: { size: huge } }),
    events.policyScan('s1', 'p1', ms, { automations: automation }),
    events.alert('al1', ms, 1, [
      { ...events.agentEvidence('sales'), instructions: 'a\u0000b', size: huge },
      events.mailEvidence('m1'),
    ]),
  ]);
  const read = async (key: string) => (await readSection(facts, tenantId, key, window)).rows;
  expect(await read('ai_detections')).toMatchObject([{ detectionId: 'x1', level: 'alerted', score: null }]);
  expect(await read('remediation')).toMatchObject([{ actionId: 'a1' }, { actionId: 'run', items: { total: null } }]);
  expect(await read('threat_events')).toMatchObject([{ eventId: 'al1', followUp: { actionId: 'a1' } }]);
  expect(await read('fria_systems')).toMatchObject([{ incidents: { alerts: 1, detections: 1 } }]);
  expect(await read('fria_summary')).toContainEqual(expect.objectContaining({ key: 'incidents_total', answer: 2 }));
  expect(await read('ai_policy_scans')).toMatchObject([{ scanId: 's1' }]);
  const figures = await facts.read(tenantId, (client) =>
    readMetrics(client, { tenantId, connectedAtMs: ms, nowMs: ms + 10 * dayMs }),
  );
  expect(figures['data.mail.threats_handled']).toMatchObject({ mailAlerts: 1, handled: 1 });
});
