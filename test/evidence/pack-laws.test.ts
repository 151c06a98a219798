import { evidenceLegend, evidenceSections, frameworkCatalogue, sectionMaxBytes } from '@tenantscope/compliance';
import {
  evidenceKeysPath,
  evidenceSectionKeys,
  frameworkAliases,
  frameworkKeys,
  getAgentEvidencePack,
} from '@tenantscope/contract';
import { canonical, makeSigningKey, readSigningKey, verifyPack } from '@tenantscope/proof';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as happened from '../compliance/happened.ts';
import * as said from '../compliance/said.ts';
import { strangeTenant, type Told, toldDatabase } from '../compliance/told.ts';
import { type Pack, packBytes, packOf, sectionOf } from './packs.ts';

const { dayMs, hourMs } = said;
const noonMs = Date.UTC(2026, 5, 15, 12);
const window = { fromMs: noonMs - 183 * dayMs, toMs: noonMs };

let told: Told;
beforeAll(async () => {
  told = await toldDatabase();
}, 60_000);
afterAll(() => told[Symbol.asyncDispose]());

describe('what a framework leaves', () => {
  let whole: Pack;
  const tenantId = strangeTenant();
  beforeAll(async () => {
    await told.tell(tenantId, noonMs, [said.agent('sales')]);
    whole = await packOf(told, tenantId, window);
  });

  test('without one, every id that a section or retention cites is in the legend, once', () => {
    const cited = new Set(whole.sections.flatMap((section: Pack) => section.frameworks));
    for (const id of whole.metadata.retention.frameworks) cited.add(id);
    const legend = whole.frameworks.map((entry: Pack) => entry.id);
    expect(new Set(legend)).toEqual(cited);
    expect(legend).toHaveLength(cited.size);
    expect(legend).toEqual(evidenceLegend.map(({ id }) => id).filter((id) => cited.has(id)));
  });

  test('the ids that sections are known for stand first, in their order', () => {
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
    };
    expect(whole.sections.map(({ key }: Pack) => key)).toEqual(Object.keys(first));
    for (const { key, frameworks } of whole.sections) {
      const ids = first[key]?.split(' ') ?? [];
      expect(frameworks.slice(0, ids.length), key).toEqual(ids);
      expect(frameworks.length, key).toBeGreaterThan(ids.length);
    }
  });

  test.each(frameworkKeys)('%s: its legend, its sections, their ids and retention reduced to its own', async (key) => {
    const mine = new Set(evidenceLegend.filter(({ framework }) => framework === key).map(({ id }) => id));
    const pack = await packOf(told, tenantId, { ...window, framework: key });
    const wanted = whole.sections
      .map((section: Pack) => [section.key, section.frameworks.filter((id: string) => mine.has(id))])
      .filter(([, ids]: [string, string[]]) => ids.length > 0);
    expect(pack.sections.map((section: Pack) => [section.key, section.frameworks])).toEqual(wanted);
    expect(pack.sections.length).toBeGreaterThan(0);
    expect(pack.frameworks).toEqual(whole.frameworks.filter(({ id }: Pack) => mine.has(id)));
    expect(pack.metadata.retention.frameworks).toEqual(key === 'eu_ai_act' ? ['EU-AI-Act-26(6)'] : []);
    expect(pack.metadata.query.framework).toBe(key);
    // Rows are those of the whole pack.
    for (const section of pack.sections) expect(section.sha256).toBe(sectionOf(whole, section.key).sha256);
  });

  test('the contract names the frameworks, aliases and sections of the catalogue', () => {
    expect(frameworkKeys).toEqual(frameworkCatalogue.map(({ key }) => key));
    const aliases = frameworkCatalogue.flatMap(({ key, aliases: names }) => names.map((name) => [name, key]));
    expect(Object.entries(frameworkAliases).sort()).toEqual(aliases.sort());
    expect(evidenceSectionKeys).toEqual(evidenceSections.map(({ key }) => key));
  });
});

describe('retention', () => {
  const generatedAtMs = noonMs;
  const retentionOf = async (oldestMs: number | null, connectedAtMs: number) => {
    const tenantId = strangeTenant();
    // Events of last year: what counts is since when they are kept.
    const event = (ms: number) => happened.fileEvent('FileAccessed', 'plan', 'anna', ms - 300 * dayMs);
    if (oldestMs !== null) await told.tell(tenantId, oldestMs, [event(oldestMs)]);
    if (oldestMs !== null) await told.tell(tenantId, noonMs - hourMs, [event(noonMs)]);
    const asked = { ...window, sections: [], connectedAtMs, generatedAtMs };
    return (await packOf(told, tenantId, asked)).metadata.retention;
  };

  test.each([
    ['exactly 183 days', 183 * dayMs, true, 183],
    ['a millisecond less', 183 * dayMs - 1, false, 182],
    ['more than that', 300 * dayMs + hourMs, true, 300],
    ['a young tenant', 10 * dayMs, false, 10],
  ])('%s', async (_, ageMs, isMet, days) => {
    const connectedAtMs = noonMs - ageMs - hourMs;
    const retention = await retentionOf(noonMs - ageMs, connectedAtMs);
    expect(retention).toEqual({
      frameworks: ['EU-AI-Act-26(6)'],
      retentionTargetDays: 183,
      retentionTargetMet: isMet,
      logHistoryDays: days,
      oldestLogAt: said.at(noonMs - ageMs),
      newestLogAt: said.at(noonMs - hourMs),
      tenantConnectedAt: said.at(connectedAtMs),
    });
  });

  test('a gap: connected long ago, and the log begins late', async () => {
    const retention = await retentionOf(noonMs - 20 * dayMs, noonMs - 400 * dayMs);
    expect(retention).toMatchObject({
      retentionTargetMet: false,
      logHistoryDays: 20,
      tenantConnectedAt: said.at(noonMs - 400 * dayMs),
    });
  });

  test('without a log there is no history, and the target is not met', async () => {
    expect(await retentionOf(null, noonMs - 400 * dayMs)).toMatchObject({
      retentionTargetMet: false,
      logHistoryDays: null,
      oldestLogAt: null,
      newestLogAt: null,
    });
  });
});

describe('the same window', () => {
  test('over unchanged data has the same sections, legend and digests, whenever the pack is made', async () => {
    const tenantId = strangeTenant();
    await told.tell(tenantId, noonMs, everything());
    const first = await packOf(told, tenantId, { ...window, generatedAtMs: noonMs });
    const later = await packOf(told, tenantId, { ...window, generatedAtMs: noonMs + 40 * dayMs });
    expect(later.sections).toEqual(first.sections);
    expect(later.frameworks).toEqual(first.frameworks);
    const differing = first.integrity.manifest.filter(
      ({ sha256 }: Pack, index: number) => sha256 !== later.integrity.manifest[index].sha256,
    );
    expect(differing.map(({ path }: Pack) => path)).toEqual(['metadata']);
    expect(later.integrity.packId).not.toBe(first.integrity.packId);
  });

  test('has other digests of the sections that a new fact changes, and of no others', async () => {
    const tenantId = strangeTenant();
    await told.tell(tenantId, noonMs - hourMs, everything());
    const first = await packOf(told, tenantId, window);
    await told.tell(tenantId, noonMs, [said.app('late', { displayName: 'Late' })]);
    const second = await packOf(told, tenantId, window);
    const changed = first.sections.filter((section: Pack) => section.sha256 !== sectionOf(second, section.key).sha256);
    expect(changed.map(({ key }: Pack) => key)).toEqual(['third_party_apps']);
  });
});

describe('window edges of states', () => {
  const named = (pack: Pack, key: string, name: string) => sectionOf(pack, key).rows.map((row: Pack) => row[name]);
  const born = (ms: number) => ({ createdAt: said.at(ms), availableTo: 'all', deployedTo: 'none' });

  test('what was made at the end is in, what was made a millisecond later is not', async () => {
    const tenantId = strangeTenant();
    await told.tell(tenantId, noonMs + dayMs, [
      said.agent('in', born(noonMs)),
      said.agent('out', born(noonMs + 1)),
      said.app('app-in', { createdAt: said.at(noonMs) }),
      said.app('app-out', { createdAt: said.at(noonMs + 1) }),
      said.grant('g-in', 'in', { consentedAt: said.at(noonMs) }),
      said.grant('g-out', 'in', { consentedAt: said.at(noonMs + 1) }),
    ]);
    const pack = await packOf(told, tenantId, window);
    expect(named(pack, 'inventory', 'agentId')).toEqual(['in']);
    expect(named(pack, 'store_shelf', 'agentId')).toEqual(['in']);
    expect(named(pack, 'third_party_apps', 'appId')).toEqual(['app-in']);
    expect(named(pack, 'permissions', 'permissionId')).toEqual(['g-in']);
  });

  test('what ended at the beginning is in, what ended a millisecond earlier is not', async () => {
    const tenantId = strangeTenant();
    const longAgoMs = window.fromMs - 30 * dayMs;
    const ending = (kind: string, id: string) =>
      ({ topic: 'agentEvidence', type: `agent-evidence.${kind}`, id, members: {}, deleted: true }) as said.Saying;
    await told.tell(tenantId, longAgoMs, [
      said.agent('in', born(longAgoMs)),
      said.agent('out', born(longAgoMs)),
      said.app('app-in'),
      said.app('app-out'),
      said.grant('g-in', 'in'),
      said.grant('g-out', 'in'),
    ]);
    await told.tell(tenantId, window.fromMs - 1, [
      said.gone('agent', 'out'),
      said.gone('app', 'app-out'),
      ending('permissionGrant', 'g-out'),
    ]);
    await told.tell(tenantId, window.fromMs, [
      said.gone('agent', 'in'),
      said.gone('app', 'app-in'),
      ending('permissionGrant', 'g-in'),
    ]);
    const pack = await packOf(told, tenantId, window);
    expect(named(pack, 'inventory', 'agentId')).toEqual(['in']);
    expect(named(pack, 'inventory', 'lifecycleStatus')).toEqual(['deleted']);
    expect(named(pack, 'third_party_apps', 'appId')).toEqual(['app-in']);
    expect(named(pack, 'permissions', 'permissionId')).toEqual(['g-in']);
  });
});

test('a section past its cap says so, and goes on where it ended, to the last row', { timeout: 60_000 }, async () => {
  const tenantId = strangeTenant();
  const many = Array.from({ length: 4_005 }, (_, index) =>
    said.agent(`a${index}`, { displayName: `Agent ${index % 1_000}` }),
  );
  await told.tell(tenantId, noonMs, many);
  const asked = { ...window, sections: ['inventory'] };
  const ids: string[] = [];
  const counts: [number, number, boolean][] = [];
  let continued: { section: string; after: (string | null)[] } | null = null;
  do {
    const pack: Pack = await packOf(told, tenantId, { ...asked, continued, knownThroughMs: noonMs });
    const section = sectionOf(pack, 'inventory');
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

test('what changed since the first part of a section was read is not lost from the rest', async () => {
  const tenantId = strangeTenant();
  await told.tell(tenantId, noonMs - hourMs, [
    said.agent('a'),
    said.grant('g1', 'a', { value: 'A' }),
    said.grant('g2', 'a', { value: 'B' }),
  ]);
  const first = sectionOf(await packOf(told, tenantId, { ...window, sections: ['permissions'] }), 'permissions');
  await told.tell(tenantId, noonMs, [
    said.grant('g2', 'a', { value: 'B', tenantWide: true }),
    said.agent('a', { displayName: 'New' }),
  ]);
  const { agentId, value, permissionKind, source, resourceId, consentType, permissionId } = first.rows[0];
  const after = [agentId, value, permissionKind, source, resourceId, consentType, permissionId];
  const continued = { section: 'permissions', after };
  const rest = await packOf(told, tenantId, { ...window, continued, knownThroughMs: noonMs - hourMs });
  expect(sectionOf(rest, 'permissions').rows).toMatchObject([
    { permissionId: 'g2', tenantWide: true, agentName: 'New' },
  ]);
});

test('rows too large to hold at once end a section before its cap, and it goes on all the same', {
  timeout: 60_000,
}, async () => {
  const tenantId = strangeTenant();
  const many = Array.from({ length: 1_200 }, (_, index) => said.agent(`a${index}`, { description: 'ż'.repeat(8_000) }));
  await told.tell(tenantId, noonMs, many);
  const bytes = await packBytes(told, tenantId, { ...window, sections: ['inventory'] });
  const section = sectionOf(JSON.parse(bytes.toString()).data, 'inventory');
  expect(bytes.length).toBeLessThan(sectionMaxBytes + 65_536);
  expect(section.rowCount).toBeLessThan(section.totalRowCount);
  expect(section).toMatchObject({ totalRowCount: 1_200, truncated: true });
  const continued = JSON.parse(section.nextCursor);
  const rest = await packOf(told, tenantId, { ...window, sections: ['inventory'], continued });
  expect(sectionOf(rest, 'inventory')).toMatchObject({ totalRowCount: 1_200 - section.rowCount, truncated: false });
});

test('a pack of any tenant keeps its promises', { timeout: 120_000 }, async () => {
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
      const tenantId = strangeTenant();
      await told.tell(tenantId, noonMs, [
        ...someAgents.map(({ id, ...members }) => said.agent(id, members)),
        ...someGrants.map(({ agentId, ...members }, index) => said.grant(`g${index}`, agentId, members)),
        ...someGrants.map(({ agentId }, index) => said.app(`app-${index}`, { displayName: agentId, isAiApp: true })),
      ]);
      const bytes = await packBytes(told, tenantId, window);
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
      const granted = sectionOf(pack, 'permissions').rows;
      for (const { agentId, permissionCounts } of sectionOf(pack, 'inventory').rows) {
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

test('a signed pack of a tenant verifies, and with any byte altered, put in or left out it does not', {
  timeout: 60_000,
}, async () => {
  const tenantId = strangeTenant();
  await told.tell(tenantId, noonMs, everything());
  const key = await readSigningKey(await makeSigningKey());
  const signing = { key, keysUrl: `https://scope.example/api/v1${evidenceKeysPath}` };
  const bytes = await packBytes(told, tenantId, { ...window, signing });
  const keys = { keys: [key.public] };
  expect(await verifyPack(bytes, keys)).toMatchObject({ sound: true, signature: 'valid', kid: key.kid });
  expect(canonical(JSON.parse(bytes.toString()))).toBe(bytes.toString());
  await fc.assert(
    fc.asyncProperty(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), async (at, mask) => {
      const altered = Buffer.from(bytes);
      altered[at] = (altered[at] ?? 0) ^ mask;
      expect((await verifyPack(altered, keys)).sound).toBe(false);
      const cut = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1)]);
      expect((await verifyPack(cut, keys)).sound).toBe(false);
    }),
    { numRuns: 100 },
  );
});

function everything(): said.Saying[] {
  return [
    said.user('anna'),
    said.agent('sales', { elementPermissions: ['Mail.Read'] }),
    said.agent('shelf', { availableTo: 'all', deployedTo: 'none' }),
    said.app('crm', { isAiApp: true, fileReachCount: 4 }),
    said.file('plan', {
      aiReach: [{ type: 'agent', id: 'sales' }],
      sensitiveInfoTypes: [{ id: 'iban', name: 'IBAN' }],
    }),
    said.grant('g1', 'sales'),
    said.restriction('r1', 'iban', 'noAccess', noonMs - dayMs),
    said.restrictionEvent('e1', 'r1', { event: 'declare', occurredAt: said.at(noonMs - dayMs) }),
    happened.interaction('anna', noonMs - dayMs, { agentId: 'sales', messages: happened.jailbreak }),
    happened.lifecycleEvent('BotCreate', 'sales', noonMs - dayMs),
    happened.action('a1', 'blockAgent', { type: 'agent', id: 'sales' }, noonMs - dayMs),
  ];
}
