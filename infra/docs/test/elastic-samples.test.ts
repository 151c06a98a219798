import { join } from 'node:path';
import { type AuditLogEvent, type Detection, formatTime, type SecurityAlert } from '@tenantscope/contract';
import { demoHistory, demoRecords, demoTenants } from '@tenantscope/demo';
import { toEcsAlert, toEcsDetection, toEcsLog } from '@tenantscope/mapping';
import { expect, test } from 'vitest';
import { readDemoState, readRows } from './served-records.ts';

// The samples next to the pipeline of Elastic: rows of the demonstration as the input sends them, and as `view=ecs` returns them.

const endMs = Date.UTC(2026, 10, 20);
const folder = join(import.meta.dirname, '..', '..', '..', 'packages', 'connectors', 'elastic');
const stamp = formatTime(endMs);
const [tenant] = demoTenants;
if (tenant === undefined) throw new Error('missing demo company');

/** The first event of each format. */
const events = new Map<string, AuditLogEvent>();
for (const { format, record } of demoHistory({ tenant, endMs })) {
  const [row] = events.has(format) ? [] : readRows(format, JSON.stringify(record));
  if (row !== undefined) events.set(format, { ...row, discoveredAt: stamp });
}
let [detection, alert]: [Detection?, SecurityAlert?] = [];
for (const state of demoRecords({ tenant, endMs })) {
  const { detections, alerts } = readDemoState(state);
  detection ??= detections[0];
  alert ??= alerts[0];
}

test('the samples for the pipeline are rows of /logs, a message each', async () => {
  expect(events.size).toBeGreaterThan(2);
  const docs = [...events.values()].map((row) => ({ _source: { message: JSON.stringify(row) } }));
  await expect(`${JSON.stringify({ docs }, null, 2)}\n`).toMatchFileSnapshot(join(folder, 'sample-logs.json'));
});

test('the sample documents are those of view=ecs', async () => {
  if (!detection || !alert) throw new Error('missing detection or alert');
  const states = [toEcsDetection({ ...detection, updatedAt: stamp }), toEcsAlert({ ...alert, updatedAt: stamp })];
  const documents = [...[...events.values()].map(toEcsLog), ...states];
  await expect(documents.map((document) => `${JSON.stringify(document)}\n`).join('')).toMatchFileSnapshot(
    join(folder, 'sample-documents.ndjson'),
  );
});
