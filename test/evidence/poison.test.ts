import { readMetrics } from '@tenantscope/store';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as happened from '../compliance/happened.ts';
import * as said from '../compliance/said.ts';
import { strangeTenant, type Told, toldDatabase } from '../compliance/told.ts';
import { readSection } from './read.ts';

let told: Told;
beforeAll(async () => {
  told = await toldDatabase();
}, 60_000);
afterAll(() => told[Symbol.asyncDispose]());

const { at, dayMs } = said;
const ms = Date.UTC(2026, 5, 15, 12);
const window = { fromMs: ms - dayMs, toMs: ms };

/** A number that JSON allows and no database holds. */
const huge = (JSON as unknown as { rawJSON(digits: string): unknown }).rawJSON('1e400000');

test('a number that no database holds, or a character it has no room for, costs nobody a section or a figure', async () => {
  const tenantId = strangeTenant();
  const automation = `[{"id":"run","executedAt":"${at(ms)}","result":"success","itemsTotal":1e400000}]`;
  await told.tell(tenantId, ms, [
    said.agent('sales'),
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
    happened.action('a1', 'blockAgent', { type: 'agent', id: 'sales' }, ms, { actionArguments: { size: huge } }),
    happened.policyScan('s1', 'p1', ms, { automations: automation }),
    happened.alert('al1', ms, 1, [
      { ...happened.agentEvidence('sales'), instructions: 'a\u0000b', size: huge },
      happened.mailEvidence('m1'),
    ]),
  ]);
  const read = async (key: string) => (await readSection(told, tenantId, key, window)).rows;
  expect(await read('ai_detections')).toMatchObject([{ detectionId: 'x1', level: 'alerted', score: null }]);
  expect(await read('remediation')).toMatchObject([{ actionId: 'a1' }, { actionId: 'run', items: { total: null } }]);
  expect(await read('threat_events')).toMatchObject([{ eventId: 'al1', followUp: { actionId: 'a1' } }]);
  expect(await read('fria_systems')).toMatchObject([{ incidents: { alerts: 1, detections: 1 } }]);
  expect(await read('fria_summary')).toContainEqual(expect.objectContaining({ key: 'incidents_total', answer: 2 }));
  expect(await read('ai_policy_scans')).toMatchObject([{ scanId: 's1' }]);
  const figures = await told.read(tenantId, (client) =>
    readMetrics(client, { tenantId, connectedAtMs: ms, nowMs: ms + 10 * dayMs }),
  );
  expect(figures['data.mail.threats_handled']).toMatchObject({ mailAlerts: 1, handled: 1 });
});
