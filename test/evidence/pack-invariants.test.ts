import { evidenceLegend, evidenceSections, frameworkCatalogue, sectionMaxBytes } from '@tenantscope/compliance';
import {
  evidenceKeysPath,
  evidenceSectionKeys,
  frameworkAliases,
  frameworkKeys,
  getAgentEvidencePack,
} from '@tenantscope/contract';
import { canonicalize, generateSigningKey, parseSigningKey, verifyPack } from '@tenantscope/proof';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as events from '../compliance/events.ts';
import { type FactDatabase, newTenantId, openFactDatabase } from '../compliance/fact-database.ts';
import * as input from '../compliance/input-records.ts';
import { findSection, type Pack, readPack, writePackBytes } from './packs.ts';

const { dayMs, hourMs } = input;
const noonMs = Date.UTC(2026, 5, 15, 12);
const window = { fromMs: noonMs - 183 * dayMs, toMs: noonMs };

let facts: FactDatabase;
beforeAll(async () => {
  facts = await openFactDatabase();
});
afterAll(() => facts[Symbol.asyncDispose]());

describe('framework filter', () => {
  let whole: Pack;
  const tenantId = newTenantId();
  beforeAll(async () => {
    await facts.ingest(tenantId, noonMs, [input.agent('sales')]);
    whole = await readPack(facts, tenantId, window);
  });

  test('a pack without a framework lists every cited id once in the legend', () => {
    const cited = new Set(whole.sections.flatMap((section: Pack) => section.frameworks));
    for (const id of whole.metadata.retention.frameworks) cited.add(id);
    const legend = whole.frameworks.map((entry: Pack) => entry.id);
    expect(new Set(legend)).toEqual(cited);
    expect(legend).toHaveLength(cited.size);
    expect(legend).toEqual(evidenceLegend.map(({ id }) => id).filter((id) => cited.has(id)));
  });

  test('the primary ids of each section come first in their order', () => {
    const first: Record<string, string> = {
      inventory: 'EU-AI-Act-26 PL-AI-Act ISO42001-A.3 KSC-access-control',
      permissions: 'NIS2-21(2)(d) EU-AI-Act-26 DORA-28 KSC-access-control',
      activity_summary: 'EU-AI-Act-26(6) NIS2-21(2)(b) KSC-incident-detection',
      lifecycle_events: 'EU-AI-Act-26 NIS2-21(2)(i) KSC-access-control',
      threat_events: 'NIS2-21(2)(b) DORA-10 ISO42001-A.6 KSC-incident-detection',
      instruction_changes: 'EU-AI-Act-26 EU-AI-Act-50 PL-AI-Act-transparency ISO42001-A.6',
      store_shelf: 'EU-AI-Act-26 NIS2-21(2)(d)',
      third_party_apps: 'NIS2-21(2)(d) DORA-28 ISO42001-A.10 KSC-access-control',
      ai_app_reach: 'EU-AI-Act-26 NIS2-21(2)(d) GDPR-32 DORA-28 ISO42001-A.7 ISO42001-A.10 KSC-access-control',
      ai_policy_scans: 'EU-AI-Act-26 NIS2-21(2)(b) DORA-10 ISO42001-A.6 KSC-incident-detection',
      ai_detections: 'NIS2-21(2)(b) DORA-10 ISO42001-A.6 KSC-incident-detection',
      data_restrictions: 'EU-AI-Act-26 GDPR-32 DORA-9 ISO42001-A.7 KSC-access-control',
      restriction_history: 'EU-AI-Act-26 GDPR-32 DORA-9 ISO42001-A.7',
      fria_systems: 'EU-AI-Act-27',
      fria_summary: 'EU-AI-Act-27',
      remediation: 'EU-AI-Act-26 NIS2-21(2)(b) GDPR-32',
      requirement_status: 'EU-AI-Act-26 NIS2-21(2)(b) KSC-incident-detection',
      exceptions: 'EU-AI-Act-26 NIS2-21(2)(b) KSC-incident-detection',
      attestation_history: 'EU-AI-Act-26 NIS2-21(2)(b) KSC-incident-detection',
    };
    expect(whole.sections.map(({ key }: Pack) => key)).toEqual(Object.keys(first));
    for (const { key, frameworks } of whole.sections) {
      const ids = first[key]?.split(' ') ?? [];
      expect(frameworks.slice(0, ids.length), key).toEqual(ids);
      expect(frameworks.length, key).toBeGreaterThan(ids.length);
    }
  });

  test.each(frameworkKeys)('%s reduces legend, sections, ids and retention to its own', async (key) => {
    const own = new Set(evidenceLegend.filter(({ framework }) => framework === key).map(({ id }) => id));
    const pack = await readPack(facts, tenantId, { ...window, framework: key });
    const expected = whole.sections
      .map((section: Pack) => [section.key, section.frameworks.filter((id: string) => own.has(id))])
      .filter(([, ids]: [string, string[]]) => ids.length > 0);
    expect(pack.sections.map((section: Pack) => [section.key, section.frameworks])).toEqual(expected);
    expect(pack.sections.length).toBeGreaterThan(0);
    expect(pack.frameworks).toEqual(whole.frameworks.filter(({ id }: Pack) => own.has(id)));
    expect(pack.metadata.retention.frameworks).toEqual(key === 'eu_ai_act' ? ['EU-AI-Act-26(6)'] : []);
    expect(pack.metadata.query.framework).toBe(key);
    // The rows equal those of the full pack.
    for (const section of pack.sections) expect(section.sha256).toBe(findSection(whole, section.key).sha256);
  });

  test('the contract lists the frameworks, aliases and sections of the catalogue', () => {
    expect(frameworkKeys).toEqual(frameworkCatalogue.map(({ key }) => key));
    const aliases = frameworkCatalogue.flatMap(({ key, aliases: names }) => names.map((name) => [name, key]));
    expect(Object.entries(frameworkAliases).sort()).toEqual(aliases.sort());
    expect(evidenceSectionKeys).toEqual(evidenceSections.map(({ key }) => key));
  });
});

describe('log retention', () => {
  const generatedAtMs = noonMs;
  const retentionOf = async (oldestMs: number | null, connectedAtMs: number) => {
    const tenantId = newTenantId();
    // Events of last year: what counts is the time since which they are stored.
    const event = (ms: number) => events.fileEvent('FileAccessed', 'plan', 'anna', ms - 300 * dayMs);
    if (oldestMs !== null) await facts.ingest(tenantId, oldestMs, [event(oldestMs)]);
    if (oldestMs !== null) await facts.ingest(tenantId, noonMs - hourMs, [event(noonMs)]);
    const options = { ...window, sections: [], connectedAtMs, generatedAtMs };
    return (await readPack(facts, tenantId, options)).metadata.retention;
  };

  test.each([
    ['exactly 183 days', 183 * dayMs, true, 183],
    ['a millisecond less', 183 * dayMs - 1, false, 182],
    ['more than 183 days', 300 * dayMs + hourMs, true, 300],
    ['a recently connected tenant', 10 * dayMs, false, 10],
  ])('the retention target is evaluated for %s', async (_, ageMs, isMet, days) => {
    const connectedAtMs = noonMs - ageMs - hourMs;
    const retention = await retentionOf(noonMs - ageMs, connectedAtMs);
    expect(retention).toEqual({
      frameworks: ['EU-AI-Act-26(6)'],
      retentionTargetDays: 183,
      retentionTargetMet: isMet,
      logHistoryDays: days,
      oldestLogAt: input.at(noonMs - ageMs),
      newestLogAt: input.at(noonMs - hourMs),
      tenantConnectedAt: input.at(connectedAtMs),
    });
  });

  test('a log that begins long after the connection does not meet the retention target', async () => {
    const retention = await retentionOf(noonMs - 20 * dayMs, noonMs - 400 * dayMs);
    expect(retention).toMatchObject({
      retentionTargetMet: false,
      logHistoryDays: 20,
      tenantConnectedAt: input.at(noonMs - 400 * dayMs),
    });
  });

  test('a pack for a past date has one length of the history, that of the end of the period', async () => {
    const tenantId = newTenantId();
    const oldestMs = noonMs - 200 * dayMs;
    await facts.ingest(tenantId, oldestMs, [events.fileEvent('FileAccessed', 'plan', 'anna', oldestMs)]);
    const read = async (toMs: number) => {
      const options = { fromMs: toMs - dayMs, toMs, sections: ['fria_summary'], generatedAtMs: noonMs };
      const pack = await readPack(facts, tenantId, options);
      const { logHistoryDays, retentionTargetMet } = pack.metadata.retention;
      const entries = new Map(findSection(pack, 'fria_summary').rows.map((row: Pack) => [row.key, row.answer]));
      return [logHistoryDays, entries.get('log_history_days'), retentionTargetMet, entries.get('retention_target_met')];
    };
    expect(await read(noonMs)).toEqual([200, 200, true, true]);
    expect(await read(noonMs - 100 * dayMs)).toEqual([100, 100, false, false]);
    expect(await read(oldestMs - 1)).toEqual([null, null, false, null]);
  });

  test('a tenant without a log has no history and does not meet the target', async () => {
    expect(await retentionOf(null, noonMs - 400 * dayMs)).toMatchObject({
      retentionTargetMet: false,
      logHistoryDays: null,
      oldestLogAt: null,
      newestLogAt: null,
    });
  });
});

describe('one window over time', () => {
  test('unchanged data yields the same sections, legend and digests at every generation time', async () => {
    const tenantId = newTenantId();
    await facts.ingest(tenantId, noonMs, everything());
    const first = await readPack(facts, tenantId, { ...window, generatedAtMs: noonMs });
    const later = await readPack(facts, tenantId, { ...window, generatedAtMs: noonMs + 40 * dayMs });
    expect(later.sections).toEqual(first.sections);
    expect(later.frameworks).toEqual(first.frameworks);
    const differing = first.integrity.manifest.filter(
      ({ sha256 }: Pack, index: number) => sha256 !== later.integrity.manifest[index].sha256,
    );
    expect(differing.map(({ path }: Pack) => path)).toEqual(['metadata']);
    expect(later.integrity.packId).not.toBe(first.integrity.packId);
  });

  test('a new fact changes the digests of its sections only', async () => {
    const tenantId = newTenantId();
    await facts.ingest(tenantId, noonMs - hourMs, everything());
    const first = await readPack(facts, tenantId, window);
    await facts.ingest(tenantId, noonMs, [input.app('late', { displayName: 'Late' })]);
    const second = await readPack(facts, tenantId, window);
    const changed = first.sections.filter(
      (section: Pack) => section.sha256 !== findSection(second, section.key).sha256,
    );
    expect(changed.map(({ key }: Pack) => key)).toEqual(['third_party_apps']);
  });
});

describe('window edges of stateful records', () => {
  const named = (pack: Pack, key: string, name: string) => findSection(pack, key).rows.map((row: Pack) => row[name]);
  const born = (ms: number) => ({ createdAt: input.at(ms), availableTo: 'all', deployedTo: 'none' });

  test('a record created at the end is included and one created a millisecond later is not', async () => {
    const tenantId = newTenantId();
    await facts.ingest(tenantId, noonMs + dayMs, [
      input.agent('in', born(noonMs)),
      input.agent('out', born(noonMs + 1)),
      input.app('app-in', { createdAt: input.at(noonMs) }),
      input.app('app-out', { createdAt: input.at(noonMs + 1) }),
      input.grant('g-in', 'in', { consentedAt: input.at(noonMs) }),
      input.grant('g-out', 'in', { consentedAt: input.at(noonMs + 1) }),
    ]);
    const pack = await readPack(facts, tenantId, window);
    expect(named(pack, 'inventory', 'agentId')).toEqual(['in']);
    expect(named(pack, 'store_shelf', 'agentId')).toEqual(['in']);
    expect(named(pack, 'third_party_apps', 'appId')).toEqual(['app-in']);
    expect(named(pack, 'permissions', 'permissionId')).toEqual(['g-in']);
  });

  test('a record that ended at the start is included and one that ended a millisecond earlier is not', async () => {
    const tenantId = newTenantId();
    const longAgoMs = window.fromMs - 30 * dayMs;
    const ending = (kind: string, id: string) =>
      ({ topic: 'agentEvidence', type: `agent-evidence.${kind}`, id, members: {}, deleted: true }) as input.InputRecord;
    await facts.ingest(tenantId, longAgoMs, [
      input.agent('in', born(longAgoMs)),
      input.agent('out', born(longAgoMs)),
      input.app('app-in'),
      input.app('app-out'),
      input.grant('g-in', 'in'),
      input.grant('g-out', 'in'),
    ]);
    await facts.ingest(tenantId, window.fromMs - 1, [
      input.deletedEntity('agent', 'out'),
      input.deletedEntity('app', 'app-out'),
      ending('permissionGrant', 'g-out'),
    ]);
    await facts.ingest(tenantId, window.fromMs, [
      input.deletedEntity('agent', 'in'),
      input.deletedEntity('app', 'app-in'),
      ending('permissionGrant', 'g-in'),
    ]);
    const pack = await readPack(facts, tenantId, window);
    expect(named(pack, 'inventory', 'agentId')).toEqual(['in']);
    expect(named(pack, 'inventory', 'lifecycleStatus')).toEqual(['deleted']);
    expect(named(pack, 'third_party_apps', 'appId')).toEqual(['app-in']);
    expect(named(pack, 'permissions', 'permissionId')).toEqual(['g-in']);
  });
});

test('a section over its row cap is marked as truncated and continues to the last row', {
  timeout: 60_000,
}, async () => {
  const tenantId = newTenantId();
  const many = Array.from({ length: 4_005 }, (_, index) =>
    input.agent(`a${index}`, { displayName: `Agent ${index % 1_000}` }),
  );
  await facts.ingest(tenantId, noonMs, many);
  const options = { ...window, sections: ['inventory'] };
  const ids: string[] = [];
  const counts: [number, number, boolean][] = [];
  let continued: { section: string; after: (string | null)[] } | null = null;
  do {
    const pack: Pack = await readPack(facts, tenantId, { ...options, continued, storedThroughMs: noonMs });
    const section = findSection(pack, 'inventory');
    expect(pack.metadata.query.section).toBe(continued === null ? null : 'inventory');
    ids.push(...section.rows.map(({ agentId }: Pack) => agentId));
    counts.push([section.rowCount, section.totalRowCount, section.truncated]);
    continued = section.nextCursor && JSON.parse(section.nextCursor);
  } while (continued !== null);
  expect(counts).toEqual([
    [2_000, 4_005, true],
    [2_000, 2_005, true],
    [5, 5, false],
  ]);
  expect(new Set(ids).size).toBe(4_005);
});

test('a row that changes after the first part of a section is not lost from the rest', async () => {
  const tenantId = newTenantId();
  await facts.ingest(tenantId, noonMs - hourMs, [
    input.agent('a'),
    input.grant('g1', 'a', { value: 'A' }),
    input.grant('g2', 'a', { value: 'B' }),
  ]);
  const first = findSection(await readPack(facts, tenantId, { ...window, sections: ['permissions'] }), 'permissions');
  await facts.ingest(tenantId, noonMs, [
    input.grant('g2', 'a', { value: 'B', tenantWide: true }),
    input.agent('a', { displayName: 'New' }),
  ]);
  const { agentId, value, permissionKind, source, resourceId, consentType, permissionId } = first.rows[0];
  const after = [agentId, value, permissionKind, source, resourceId, consentType, permissionId];
  const continued = { section: 'permissions', after };
  const rest = await readPack(facts, tenantId, { ...window, continued, storedThroughMs: noonMs - hourMs });
  expect(findSection(rest, 'permissions').rows).toMatchObject([
    { permissionId: 'g2', tenantWide: true, agentName: 'New' },
  ]);
});

test('oversized rows end a section before its cap, and the cursor continues it', {
  timeout: 60_000,
}, async () => {
  const tenantId = newTenantId();
  const many = Array.from({ length: 1_200 }, (_, index) =>
    input.agent(`a${index}`, { description: 'ż'.repeat(8_000) }),
  );
  await facts.ingest(tenantId, noonMs, many);
  const bytes = await writePackBytes(facts, tenantId, { ...window, sections: ['inventory'] });
  const section = findSection(JSON.parse(bytes.toString()).data, 'inventory');
  expect(bytes.length).toBeLessThan(sectionMaxBytes + 65_536);
  expect(section.rowCount).toBeLessThan(section.totalRowCount);
  expect(section).toMatchObject({ totalRowCount: 1_200, truncated: true });
  const continued = JSON.parse(section.nextCursor);
  const rest = await readPack(facts, tenantId, { ...window, sections: ['inventory'], continued });
  expect(findSection(rest, 'inventory')).toMatchObject({ totalRowCount: 1_200 - section.rowCount, truncated: false });
});

test('a pack of any generated tenant satisfies the invariants', { timeout: 180_000 }, async () => {
  const names = fc.constantFrom('a', 'b', 'Ü', 'żółw', '\u{1f916}', 'a b');
  const grants = fc.array(
    fc.record({
      agentId: names,
      value: fc.constantFrom('Files.Read.All', 'Mail.Send', 'X'),
      source: fc.constantFrom('direct', 'inherited', 'declared', undefined),
      permissionKind: fc.constantFrom('delegated', 'application', undefined),
      consentType: fc.constantFrom('allPrincipals', 'principal', undefined),
      resourceId: fc.constantFrom('r1', 'r2', undefined),
      tenantWide: fc.constantFrom(true, false, undefined),
      writeAccess: fc.constantFrom(true, false, undefined),
    }),
    { maxLength: 12 },
  );
  const agents = fc.uniqueArray(
    fc.record({
      id: fc.constantFrom('a', 'b', 'c', 'd'),
      displayName: names,
      availableTo: fc.constantFrom('none', 'some', 'all', undefined),
      deployedTo: fc.constantFrom('none', 'some', 'all', undefined),
      elementPermissions: fc.constantFrom(['X', 'X', 'Mail.Read'], [], undefined),
      fileReachCount: fc.constantFrom(0, 3, undefined),
      sensitiveFileReachCount: fc.constantFrom(0, 3, undefined),
    }),
    { selector: ({ id }) => id, maxLength: 4 },
  );
  await fc.assert(
    fc.asyncProperty(agents, grants, async (someAgents, someGrants) => {
      const tenantId = newTenantId();
      await facts.ingest(tenantId, noonMs, [
        ...someAgents.map(({ id, ...members }) => input.agent(id, members)),
        ...someGrants.map(({ agentId, ...members }, index) => input.grant(`g${index}`, agentId, members)),
        ...someGrants.map(({ agentId }, index) => input.app(`app-${index}`, { displayName: agentId, isAiApp: true })),
      ]);
      const bytes = await writePackBytes(facts, tenantId, window);
      expect(await verifyPack(bytes, null)).toMatchObject({ sound: true });
      const pack: Pack = JSON.parse(bytes.toString()).data;
      expect(getAgentEvidencePack.record.safeParse(pack).error).toBeUndefined();
      expect(pack.sections.map(({ key }: Pack) => key)).toEqual(evidenceSectionKeys);
      for (const section of pack.sections) {
        const catalogue = evidenceSections.find(({ key }) => key === section.key);
        expect(section.rowCount).toBe(section.rows.length);
        expect(section.rowCount).toBeLessThanOrEqual(catalogue?.rowCap ?? 0);
        expect(section.truncated).toBe(section.totalRowCount > section.rowCount);
        expect(section.nextCursor !== null).toBe(section.truncated);
        expect(section.asOf === null || section.basis === 'state').toBe(true);
        for (const row of section.rows)
          expect(Object.keys(row).sort()).toEqual(catalogue?.fields.map(({ name }) => name).sort());
      }
      const granted = findSection(pack, 'permissions').rows;
      for (const { agentId, permissionCounts } of findSection(pack, 'inventory').rows) {
        const own = granted.filter((row: Pack) => row.agentId === agentId);
        const count = (fits: (row: Pack) => boolean) => own.filter(fits).length;
        expect(permissionCounts).toEqual({
          total: own.length,
          direct: count(({ source }) => source === 'direct'),
          inherited: count(({ source }) => source === 'inherited'),
          declared: count(({ source }) => source === 'declared'),
          tenantWide: count(({ tenantWide }) => tenantWide),
          write: count(({ writeAccess }) => writeAccess),
          adminConsented: count(({ adminConsented }) => adminConsented === true),
        });
      }
    }),
    { numRuns: 12 },
  );
});

test('a signed pack verifies, and any altered, inserted or removed byte breaks it', {
  timeout: 60_000,
}, async () => {
  const tenantId = newTenantId();
  await facts.ingest(tenantId, noonMs, everything());
  const key = await parseSigningKey(await generateSigningKey());
  const signing = { key, keysUrl: `https://scope.example/api/v1${evidenceKeysPath}` };
  const bytes = await writePackBytes(facts, tenantId, { ...window, signing });
  const keys = { keys: [key.public] };
  expect(await verifyPack(bytes, keys)).toMatchObject({ sound: true, signature: 'valid', kid: key.kid });
  expect(canonicalize(JSON.parse(bytes.toString()))).toBe(bytes.toString());
  await fc.assert(
    fc.asyncProperty(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), async (at, mask) => {
      const altered = Buffer.from(bytes);
      altered[at] = (altered[at] ?? 0) ^ mask;
      expect((await verifyPack(altered, keys)).sound).toBe(false);
      const shortened = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1)]);
      expect((await verifyPack(shortened, keys)).sound).toBe(false);
    }),
    { numRuns: 100 },
  );
});

function everything(): input.InputRecord[] {
  return [
    input.user('anna'),
    input.agent('sales', { elementPermissions: ['Mail.Read'] }),
    input.agent('shelf', { availableTo: 'all', deployedTo: 'none' }),
    input.app('crm', { isAiApp: true, fileReachCount: 4 }),
    input.file('plan', {
      aiReach: [{ type: 'agent', id: 'sales' }],
      sensitiveInfoTypes: [{ id: 'iban', name: 'IBAN' }],
    }),
    input.grant('g1', 'sales'),
    input.restriction('r1', 'iban', 'noAccess', noonMs - dayMs),
    input.restrictionEvent('e1', 'r1', { event: 'declare', occurredAt: input.at(noonMs - dayMs) }),
    events.interaction('anna', noonMs - dayMs, { agentId: 'sales', messages: events.jailbreak }),
    events.lifecycleEvent('BotCreate', 'sales', noonMs - dayMs),
    events.action('a1', 'blockAgent', { type: 'agent', id: 'sales' }, noonMs - dayMs),
  ];
}
