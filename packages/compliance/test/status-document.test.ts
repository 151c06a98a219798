import { complianceStatus } from '@tenantscope/contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildStatusDocument, frameworkCatalogue, requirementCatalogue } from '../src/index.ts';
import { anyInput, bareFacts, createAttestation, nowMs, sourceNames } from './facts.ts';

const documentOf = (input: Parameters<typeof buildStatusDocument>[0]) => buildStatusDocument(input);
const bare = { ...bareFacts, selections: [], baseline: null };

const allowed = new Set([
  ...['met', 'at_risk', 'not_met'].flatMap((status) => [`${status} measured`, `${status} attested`]),
  'not_evaluated no_data',
  'not_evaluated manual',
  'not_evaluated not_applicable',
]);

describe('for any facts', { tags: 'exhaustive' }, () => {
  it('only allowed pairs of status and evaluation occur', () => {
    fc.assert(
      fc.property(anyInput, (input) => {
        for (const { key, status, evaluation } of documentOf(input).requirements)
          expect(allowed, key).toContain(`${status} ${evaluation}`);
      }),
      { numRuns: 50 },
    );
  });

  it('the document matches the published schema', () => {
    fc.assert(
      fc.property(anyInput, (input) => {
        complianceStatus.strict().parse(documentOf(input));
      }),
      { numRuns: 20 },
    );
  });

  it('the loss of a source never makes a requirement met and never raises readiness', () => {
    fc.assert(
      fc.property(anyInput, fc.constantFrom(...sourceNames), (input, lost) => {
        const before = documentOf(input);
        // With its feeds: those that remain would speak for all of it.
        const left = Object.entries(input.sources).filter(([name]) => name !== lost && !name.startsWith(`${lost}/`));
        const after = documentOf({ ...input, sources: Object.fromEntries(left) });
        for (const [index, requirement] of after.requirements.entries())
          if (requirement.status === 'met') expect(before.requirements[index]?.status, requirement.key).toBe('met');
        for (const [index, framework] of after.frameworks.entries())
          expect(framework.readinessPercent ?? 0, `${framework.key} without ${lost}`).toBeLessThanOrEqual(
            before.frameworks[index]?.readinessPercent ?? 100,
          );
      }),
      { numRuns: 100 },
    );
  });

  it('the order of the facts has no effect', () => {
    const shuffled = anyInput.chain((input) =>
      fc.record({
        input: fc.constant(input),
        attestations: shuffle(input.attestations),
        selections: shuffle(input.selections),
        sources: shuffle(Object.entries(input.sources)).map(Object.fromEntries),
        metrics: shuffle(Object.entries(input.metrics)).map(Object.fromEntries),
      }),
    );
    fc.assert(
      fc.property(shuffled, ({ input, ...otherwise }) => {
        expect(JSON.stringify(documentOf({ ...input, ...otherwise }))).toBe(JSON.stringify(documentOf(input)));
      }),
      { numRuns: 30 },
    );
  });

  it('each requirement is counted once, in frameworks and in the headline', () => {
    fc.assert(
      fc.property(anyInput, (input) => {
        const document = documentOf(input);
        const selected = document.frameworks.filter((framework) => framework.selected).map(({ key }) => key);
        const counted = document.requirements.filter(({ articles }) =>
          articles.some(({ framework }) => selected.includes(framework)),
        );
        const sum = (counts: typeof document | (typeof document.frameworks)[number]) =>
          counts.metCount +
          counts.atRiskCount +
          counts.notMetCount +
          counts.notEvaluatedCount +
          counts.notApplicableCount;
        expect(sum(document)).toBe(counted.length);
        expect(document.totalCount).toBe(counted.length);
        for (const framework of document.frameworks) {
          const cited = new Set(framework.controls.flatMap(({ requirementKeys }) => requirementKeys));
          expect(sum(framework), framework.key).toBe(cited.size);
        }
      }),
      { numRuns: 30 },
    );
  });
});

function shuffle<One>(all: readonly One[]): fc.Arbitrary<One[]> {
  return fc.shuffledSubarray([...all], { minLength: all.length });
}

describe('the status document', () => {
  it('has no evaluated requirement, no selection and no ready framework for a tenant without sources', () => {
    const document = documentOf({ ...bare, sources: {} });
    expect(document).toMatchObject({ metCount: 0, totalCount: 0, generatedAt: '2026-11-21T12:00:00.000Z' });
    expect(document.requirements).toHaveLength(requirementCatalogue.length);
    expect(document.frameworks.map(({ key }) => key)).toEqual(frameworkCatalogue.map(({ key }) => key));
    const states = new Set(document.requirements.map(({ key, status }) => `${key} ${status}`));
    // The snapshots requirement is not evaluated either, because its metrics were not counted.
    expect([...states].filter((state) => !state.endsWith('not_evaluated'))).toEqual([]);
    for (const { readinessPercent, coveragePercent } of document.frameworks)
      expect([readinessPercent, coveragePercent]).toEqual([0, 0]);
  });

  it('accepts aliases, uses the newest selection of a framework and has the time of the selection', () => {
    const word = { framework: 'rodo', selected: true, changedAtMs: nowMs - 1000, version: 2, digest: '00' };
    const earlier = { ...word, framework: 'gdpr', selected: false, version: 1 };
    const [gdpr] = documentOf({ ...bare, selections: [word, earlier] }).frameworks.filter(({ key }) => key === 'gdpr');
    expect(gdpr).toMatchObject({ selected: true, selectedAt: '2026-11-21T11:59:59.000Z' });
    const [dropped] = documentOf({ ...bare, selections: [word, { ...earlier, version: 3 }] }).frameworks.filter(
      ({ key }) => key === 'gdpr',
    );
    expect(dropped).toMatchObject({ selected: false, selectedAt: null });
  });

  it('shows whether articles are in force', () => {
    const aiAct = documentOf(bare).frameworks.find(({ key }) => key === 'eu_ai_act');
    const [literacy] = aiAct?.controls.filter(({ id }) => id === 'EU-AI-Act-4') ?? [];
    const [classification] = aiAct?.controls.filter(({ id }) => id === 'EU-AI-Act-6') ?? [];
    expect(literacy).toMatchObject({ appliesFrom: '2025-02-02', inForce: true });
    expect(classification).toMatchObject({ appliesFrom: '2027-12-02', inForce: false });
    const later = documentOf({ ...bare, nowMs: Date.parse('2027-12-02T00:00:00Z') });
    expect(later.frameworks[0]?.controls.find(({ id }) => id === 'EU-AI-Act-6')?.inForce).toBe(true);
  });

  it('reports no article as met for a tenant in which nothing happened', () => {
    const nothing = Object.fromEntries(
      requirementCatalogue.map(({ key, metricsJson }) => [
        key,
        Object.fromEntries(Object.keys(metricsJson).map((name) => [name, 0])),
      ]),
    );
    const document = documentOf({ ...bare, metrics: nothing });
    const empty = document.requirements.filter((one) => one.status === 'met' && one.reason === 'empty_population');
    expect(empty.map(({ key }) => key)).toContain('ops.alerts.triage_24h');
    const controls = document.frameworks.flatMap((framework) => framework.controls);
    const met = controls.filter(({ status }) => status === 'met');
    expect(met.filter(({ coverage }) => coverage !== null).map(({ id }) => id)).toEqual([]);
    expect(met.map(({ id }) => id)).toContain('CSF-DE.AE-08');
    const counted = document.frameworks.map(({ articleCounts }) => articleCounts);
    expect(counted.every((counts) => counts.met === 0 && counts.indicatorsMet === 0)).toBe(true);
    expect(counted.reduce((sum, counts) => sum + counts.nothingToMeasure, 0)).toBe(met.length);
  });

  it('counts articles whose indicators are in order apart from articles that are met', () => {
    const keys = ['gov.attest.risk_assessment', 'gov.attest.legal_register', 'gov.attest.security_official'];
    const document = documentOf({ ...bare, sources: {}, attestations: keys.map((key) => createAttestation(key)) });
    const nis2 = document.frameworks.find(({ key }) => key === 'nis2');
    expect(nis2?.controls.find(({ id }) => id === 'NIS2-21(1)')).toMatchObject({
      status: 'met',
      coverage: 'indicator',
    });
    expect(nis2?.articleCounts).toEqual({
      met: 0,
      metWithExceptions: 0,
      indicatorsMet: 1,
      nothingToMeasure: 0,
      atRisk: 0,
      notMet: 0,
      notEvaluated: 13,
      notApplicable: 0,
    });
    const hipaa = document.frameworks.find(({ key }) => key === 'hipaa');
    expect(hipaa?.articleCounts).toMatchObject({ met: 2, indicatorsMet: 0 });
  });

  it('describes every requirement in both languages', () => {
    expect(
      documentOf(bare).requirements.map(({ key, description, descriptionPl }) => [key, description, descriptionPl]),
    ).toEqual(
      requirementCatalogue.map(({ key, whatIsMeasured, whatIsMeasuredPl }) => [key, whatIsMeasured, whatIsMeasuredPl]),
    );
  });

  it('states that it is not legal advice in both languages', () => {
    const { limitations, limitationsPl } = documentOf(bare);
    expect(limitations.join(' ')).toContain('not legal advice');
    expect(limitationsPl.join(' ')).toContain('Nie jest poradą prawną');
    expect(limitationsPl).toHaveLength(limitations.length);
  });
});
