import fc from 'fast-check';
import {
  type Attestation,
  type Facts,
  frameworkCatalogue,
  type Requirement,
  requirementCatalogue,
  type SourceState,
  type StatusInput,
} from '../src/index.ts';

export const nowMs = Date.parse('2026-11-21T12:00:00.000Z');
export const dayMs = 86_400_000;
export const hourMs = 3_600_000;

export function requirementNamed(key: string): Requirement {
  const found = requirementCatalogue.find((requirement) => requirement.key === key);
  if (!found) throw new Error(`there is no requirement ${key}`);
  return found;
}

export const sourceNames = [...new Set(requirementCatalogue.flatMap(({ sources }) => sources))];

export const fresh: SourceState = {
  newestMs: nowMs - hourMs,
  lastCompleteImportMs: null,
  licensed: null,
  enabled: null,
  gaps: [],
};
/** The read models, and the feeds of the log that any rule needs. */
const feedNames = requirementCatalogue.flatMap((requirement) =>
  requirement.kind === 'measured' ? Object.values(requirement.feeds ?? {}).flat(2) : [],
);
export const freshSources = Object.fromEntries([...sourceNames, ...feedNames].map((name) => [name, fresh]));

/** Every source has just been heard of, and nothing is known of anything else. */
export const bareFacts: Facts = { metrics: {}, sources: freshSources, attestations: [], tenantFacts: {}, nowMs };

export function createAttestation(requirementKey: string, given: Partial<Attestation> = {}): Attestation {
  return {
    requirementKey,
    subject: null,
    verdict: 'compliant',
    justification: null,
    attestedBy: 'mara.lindqvist@larkspur-instruments.example',
    attestedAtMs: nowMs - 10 * dayMs,
    validUntilMs: nowMs + 100 * dayMs,
    evidenceRefs: [],
    withdrawal: null,
    recorded: null,
    version: 1,
    digest: '00',
    ...given,
  };
}

const instant = fc.integer({ min: nowMs - 400 * dayMs, max: nowMs + 400 * dayMs });
const rarelyNull = <Value>(one: fc.Arbitrary<Value>) => fc.option(one, { freq: 9, nil: null });

const metrics = fc.record(
  Object.fromEntries(
    requirementCatalogue.map(({ key, metricsJson }) => [
      key,
      fc.record(
        Object.fromEntries(
          Object.keys(metricsJson).map((name) => [name, rarelyNull(fc.integer({ min: 0, max: 30 }))] as const),
        ),
      ),
    ]),
  ),
);

const sources = fc.record(
  Object.fromEntries(
    [...new Set([...sourceNames, ...feedNames])].map((name) => [
      name,
      fc.record({
        newestMs: rarelyNull(fc.integer({ min: nowMs - 4 * dayMs, max: nowMs })),
        lastCompleteImportMs: fc.option(fc.integer({ min: nowMs - 4 * dayMs, max: nowMs }), { nil: null }),
        licensed: fc.constantFrom(null, true, false),
        enabled: fc.constantFrom(null, true, true, false),
        gaps: fc.constantFrom([], [], [{ fromMs: nowMs - 9 * dayMs, toMs: nowMs - 8 * dayMs }]),
      }),
    ]),
  ),
);

const digest = fc.constantFrom('00', '01', '02', '03');
const version = fc.integer({ min: 1, max: 3 });

const attestation: fc.Arbitrary<Attestation> = fc.record({
  requirementKey: fc.constantFrom(...requirementCatalogue.map(({ key }) => key)),
  subject: fc.option(fc.constant({ type: 'agent', id: 'a1' }), { freq: 2, nil: null }),
  verdict: fc.constantFrom('compliant', 'partial', 'non_compliant', 'not_applicable'),
  justification: fc.constantFrom(null, '', 'none of it is used'),
  attestedBy: fc.constantFrom('mara', 'ines'),
  attestedAtMs: instant,
  validUntilMs: fc.option(instant, { nil: null }),
  evidenceRefs: fc.array(
    fc.record({ uri: fc.constant(null), sha256: fc.constant(null), title: fc.constant('minutes') }),
    {
      maxLength: 2,
    },
  ),
  withdrawal: fc.option(fc.record({ atMs: instant, by: fc.constant('ines'), reason: fc.constant(null) }), {
    nil: null,
    freq: 2,
  }),
  recorded: fc.option(fc.record({ atMs: instant, by: fc.constant('cli:mara') }), { nil: null }),
  version,
  digest,
});

/** No two records are at one version with one digest: they would be the same record. */
const distinctly = <One extends { version: number; digest: string }>(
  one: fc.Arbitrary<One>,
  key: (one: One) => string,
) => fc.uniqueArray(one, { maxLength: 80, selector: (found) => `${key(found)} ${found.version} ${found.digest}` });

const units = fc.integer({ min: 0, max: 8 });
const exceptedSubjects = fc.record({ failing: units, unknown: units, byException: fc.constant({}) });

/** Anything that may be known of a tenant. */
export const anyInput: fc.Arbitrary<StatusInput> = fc.record({
  metrics,
  sources,
  attestations: distinctly(attestation, ({ requirementKey }) => requirementKey),
  excepted: fc.dictionary(fc.constantFrom(...requirementCatalogue.map(({ key }) => key)), exceptedSubjects, {
    maxKeys: 20,
  }),
  tenantFacts: fc.dictionary(fc.constantFrom('publicAuthority', 'financialEntity', 'usesHighRiskAi'), fc.boolean()),
  selections: distinctly(
    fc.record({
      framework: fc.constantFrom(...frameworkCatalogue.map(({ key }) => key), 'rodo', 'unheard_of'),
      selected: fc.boolean(),
      changedAtMs: instant,
      version,
      digest,
    }),
    ({ framework }) => (framework === 'rodo' ? 'gdpr' : framework),
  ),
  baseline: fc.constant(null),
  nowMs: fc.constant(nowMs),
});
