import { randomUUID } from 'node:crypto';
import { withConnection } from '@tenantscope/store/connection';
import { writeProgress } from '@tenantscope/store/ingest';
import { expect, test } from 'vitest';
import { newTenantId } from '../compliance/fact-database.ts';
import * as input from '../compliance/input-records.ts';
import { openTestPool } from '../services/pool.ts';
import { type Pack, readPack } from './packs.ts';
import { openSectionFixture, toMs } from './section-fixture.ts';

const { at, dayMs, hourMs } = input;
const { facts, window } = await openSectionFixture();

/** The sources of a pack by name. */
async function readSources(
  records: readonly input.InputRecord[],
  tenantId = newTenantId(),
): Promise<{ sources: Pack; limitations: Pack }> {
  await facts.ingest(tenantId, toMs, records);
  const { metadata } = await readPack(facts, tenantId, { ...window, sections: ['lifecycle_events'] });
  const { sourceStatus, limitations } = metadata;
  return { limitations, sources: Object.fromEntries(sourceStatus.map((one: Pack) => [one.source, one])) };
}

test('a pack shows each feed of a source with its own age and gaps', async () => {
  const gap = { from: at(toMs - 3 * dayMs), to: at(toMs - 2 * dayMs), reason: 'throttled' };
  const { sources, limitations } = await readSources([
    input.sourceStatus('logs', toMs - hourMs),
    input.sourceStatus('logs/Audit.Exchange', toMs - 5 * hourMs),
    input.sourceStatus('logs/Audit.SharePoint', toMs - 200 * hourMs),
    input.sourceStatus('logs/Audit.AzureActiveDirectory', toMs - 2 * hourMs, { gaps: [gap] }),
    input.sourceStatus('logs/Okta', toMs - hourMs, { enabled: false }),
    input.sourceStatus('devices', toMs - hourMs),
  ]);
  expect(sources).toMatchObject({
    agents: { coverage: 'missing', ageHours: null, gaps: [] },
    logs: { coverage: 'complete', ageHours: 1, gaps: [] },
    'logs/Audit.Exchange': { coverage: 'complete', ageHours: 5, lastCompleteImportAt: at(toMs - 5 * hourMs) },
    'logs/Audit.SharePoint': { coverage: 'stale', ageHours: 200 },
    'logs/Audit.AzureActiveDirectory': { coverage: 'partial', ageHours: 2, gaps: [gap] },
    'logs/Okta': { coverage: 'disabled', ageHours: 1 },
  });
  // The section reads no devices.
  expect(Object.keys(sources)).not.toContain('devices');
  const english = limitations.map(({ en }: Pack) => en).join('\n');
  expect(english).toMatch(/delivered no data.*: agents\./);
  expect(english).toMatch(/disabled or have reported nothing .*: logs\/Audit\.SharePoint, logs\/Okta\./);
  expect(english).toMatch(/reported gaps: logs\/Audit\.AzureActiveDirectory\./);
});

test('no source is complete whose import is older than three days, whatever rows arrive', async () => {
  const { sources } = await readSources([
    input.agent('sales', {}),
    input.sourceStatus('agents', toMs - 72 * hourMs - 1),
    input.sourceStatus('logs', toMs - 72 * hourMs),
  ]);
  expect(sources).toMatchObject({
    agents: { coverage: 'stale', ageHours: 72 },
    logs: { coverage: 'complete', ageHours: 72 },
  });
});

test('rows alone do not make a source complete', async () => {
  const tenantId = newTenantId();
  const ingest = openTestPool(facts.database.roles.ingest, { max: 1 });
  const progress = { tenantId, source: 'agents', rowCount: 1, lastOccurredAtMs: toMs, lastStamp: at(toMs - hourMs) };
  await withConnection(ingest, (client) =>
    writeProgress(client, { clusterId: 'cluster', topicId: randomUUID(), partition: 0 }, [progress]),
  );
  await ingest.end();
  expect((await readSources([], tenantId)).sources.agents).toMatchObject({
    coverage: 'unproven',
    ageHours: 1,
    lastCompleteImportAt: null,
    newestAt: at(toMs - hourMs),
  });
});
