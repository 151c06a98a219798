import type { ComplianceStatus } from '@tenantscope/contract';
import { getCopilotReadiness, getSecurityScore } from '@tenantscope/contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildCopilotReadiness, buildSecurityScore, buildStatusDocument, readinessDimensions } from '../src/index.ts';
import { anyInput, bareFacts } from './facts.ts';

const noUsers = { eligible: null, licensed: null, enabled: null, active30d: null, activeByApp: [] };
const nothing = { users: noUsers, sites: [], types: [] };

type State = readonly [status: string, evaluation: string];

/** A status in which requirements stand as given, and everything else is met. */
function statusWith(states: Readonly<Record<string, State>>): ComplianceStatus {
  const document = buildStatusDocument({ ...bareFacts, selections: [], baseline: null });
  const requirements = document.requirements.map((requirement) => {
    const [status, evaluation] = states[requirement.key] ?? ['met', 'measured'];
    return { ...requirement, status, evaluation };
  });
  return { ...document, requirements };
}

/** Every requirement of these dimensions stands so. */
const dimensionsAre = (keys: readonly string[], state: State) =>
  Object.fromEntries(
    readinessDimensions
      .filter(({ key }) => keys.includes(key))
      .flatMap(({ requirements }) => requirements.map(({ key }) => [key, state] as const)),
  );

const every = readinessDimensions.map(({ key }) => key);
const overall = (states: Readonly<Record<string, State>>) => {
  const { overall, readinessPercent } = buildCopilotReadiness(statusWith(states), nothing);
  return [overall, readinessPercent];
};

describe('readiness for an assistant', () => {
  it.each<[string, Readonly<Record<string, State>>, [string, number | null]]>([
    ['every dimension is met', {}, ['ready', 100]],
    ['a blocking dimension is not met', dimensionsAre(['identity'], ['not_met', 'measured']), ['blocked', 88]],
    ['another dimension is not met', dimensionsAre(['agents'], ['not_met', 'measured']), ['attention', 88]],
    ['one dimension is at risk', dimensionsAre(['labeling'], ['at_risk', 'measured']), ['attention', 88]],
    [
      'half of the dimensions are unknown',
      dimensionsAre(every.slice(4, 8), ['not_evaluated', 'no_data']),
      ['attention', 100],
    ],
    [
      'more than half of the dimensions are unknown',
      dimensionsAre(every.slice(3, 8), ['not_evaluated', 'no_data']),
      ['unknown', 100],
    ],
    ['every dimension is unknown', dimensionsAre(every, ['not_evaluated', 'manual']), ['unknown', null]],
    [
      'a dimension that cannot block is unknown',
      dimensionsAre(['agents'], ['not_evaluated', 'no_data']),
      ['ready', 100],
    ],
    [
      'a dimension that can block is unknown',
      dimensionsAre(['monitoring'], ['not_evaluated', 'no_data']),
      ['attention', 100],
    ],
    [
      'most dimensions are unknown and one blocks',
      { ...dimensionsAre(every, ['not_evaluated', 'no_data']), 'data.links.anonymous': ['not_met', 'measured'] },
      ['blocked', 0],
    ],
  ])('has its overall status when %s', (_, states, expected) => {
    expect(overall(states)).toEqual(expected);
  });

  it('excludes requirements that do not apply, and a dimension without applicable requirements is unknown', () => {
    const exempt: State = ['not_evaluated', 'not_applicable'];
    const { dimensions } = buildCopilotReadiness(statusWith(dimensionsAre(['ownership'], exempt)), nothing);
    expect(dimensions.find(({ key }) => key === 'ownership')).toMatchObject({ status: 'unknown', findings: [] });
    const one = buildCopilotReadiness(statusWith({ 'data.sites.owned': exempt }), nothing);
    expect(one.dimensions.find(({ key }) => key === 'ownership')?.status).toBe('ready');
  });

  it('never contradicts the status and has a step for every finding', { tags: 'exhaustive' }, () => {
    fc.assert(
      fc.property(anyInput, (input) => {
        const status = buildStatusDocument(input);
        const readiness = buildCopilotReadiness(status, nothing);
        getCopilotReadiness.record.strict().parse(readiness);
        const byKey = new Map(status.requirements.map((requirement) => [requirement.key, requirement]));
        const rank = ['not_met', 'at_risk', 'not_evaluated', 'met'];
        const means = ['blocked', 'attention', 'unknown', 'ready'];
        for (const { key, requirementKeys, status: state } of readiness.dimensions) {
          const ownRequirements = requirementKeys.flatMap((one) => byKey.get(one) ?? []);
          const ranks = ownRequirements
            .filter((one) => one.evaluation !== 'not_applicable')
            .map((one) => rank.indexOf(one.status));
          expect(state, key).toBe(ranks.length > 0 ? means[Math.min(...ranks)] : 'unknown');
        }
        const findings = readiness.dimensions.flatMap((dimension) => dimension.findings);
        expect(readiness.actions).toHaveLength(findings.length);
        expect(readiness.actions.map(({ rank }) => rank)).toEqual(findings.map((_, index) => index + 1));
      }),
      { numRuns: 30 },
    );
  });

  it('describes the expected effect of a step in both languages', () => {
    const effectsOf = (status: ComplianceStatus) =>
      buildCopilotReadiness(status, nothing).actions.map((one) => [one.expectedEffect, one.expectedEffectPl]);
    const states = (status: string, evaluation: string) => statusWith({ 'data.labels.coverage': [status, evaluation] });
    const measured = states('not_met', 'measured');
    const requirements = measured.requirements.map((one) =>
      one.key === 'data.labels.coverage' ? { ...one, metricsJson: { ...one.metricsJson, labeledPct: 40.5 } } : one,
    );
    expect(effectsOf({ ...measured, requirements })).toEqual([
      [
        expect.stringMatching(/: met instead of not_met, once labeledPct is at least 80; it is 40\.5\.$/),
        'Pliki wrażliwe mają etykietę poufności: status „spełnione” zamiast „niespełnione”, gdy labeledPct wyniesie co najmniej 80; obecnie: 40,5.',
      ],
    ]);
    expect(effectsOf(states('not_evaluated', 'no_data'))).toEqual([
      [
        expect.stringMatching(/: will be evaluated\.$/),
        'Pliki wrażliwe mają etykietę poufności: wymaganie zostanie ocenione.',
      ],
    ]);
  });

  it('has the metrics of its requirements and its own', () => {
    const users = { ...noUsers, eligible: 9, licensed: 4, active30d: 2 };
    const { dimensions } = buildCopilotReadiness(statusWith({}), { ...nothing, users });
    expect(dimensions.find(({ key }) => key === 'licensing')?.metrics).toEqual({
      eligible: 9,
      licensed: 4,
      active30d: 2,
      'lic.disabled_users/assigned': null,
      'lic.disabled_users/onDisabled': null,
      'lic.disabled_users/onDisabledPct': null,
      'lic.disabled_users/unknown': null,
      'lic.disabled_users/excepted': null,
    });
  });
});

describe('both figures', () => {
  /** One requirement of each of two dimensions is met only because of an exception; of a third one is at risk instead of not met. */
  const [first, second, third] = readinessDimensions.map(({ requirements }) => requirements[0]?.key);
  const excepted = (statusWithout: string) => ({ count: 3, value: 100, statusWithout, inForce: [], inForceCount: 1 });
  const plain = statusWith({ [third ?? '']: ['at_risk', 'measured'] });
  const status: ComplianceStatus = {
    ...plain,
    requirements: plain.requirements.map((one) => {
      if (one.key === first) return { ...one, reason: 'excepted', exceptions: excepted('not_met') };
      if (one.key === second) return { ...one, reason: 'excepted', exceptions: excepted('not_evaluated') };
      return one.key === third ? { ...one, exceptions: excepted('not_met') } : one;
    }),
  };

  it('shows the readiness for an assistant with and without exceptions', () => {
    const readiness = buildCopilotReadiness(status, nothing);
    expect(getCopilotReadiness.record.strict().parse(readiness)).toEqual(readiness);
    const dimension = (key: string | undefined) =>
      readiness.dimensions.find(({ requirementKeys }) => requirementKeys[0] === key);
    expect(dimension(first)).toMatchObject({
      status: 'ready',
      statusWithoutExceptions: 'blocked',
      metWithExceptionsCount: 1,
      findings: [],
    });
    expect(dimension(second)).toMatchObject({ status: 'ready', statusWithoutExceptions: 'unknown' });
    expect(dimension(third)).toMatchObject({
      status: 'attention',
      statusWithoutExceptions: 'blocked',
      metWithExceptionsCount: 0,
      findings: [{ requirementKey: third, status: 'at_risk', statusWithoutExceptions: 'not_met' }],
    });
    const total = readinessDimensions.length;
    expect(readiness).toMatchObject({
      catalogueVersion: status.catalogueVersion,
      evaluatorVersion: status.evaluatorVersion,
      readinessPercent: Math.floor((100 * (total - 1)) / total),
      readinessPercentWithoutExceptions: Math.floor((100 * (total - 3)) / (total - 1)),
    });
    const same = buildCopilotReadiness(plain, nothing);
    expect([same.overallWithoutExceptions, same.readinessPercentWithoutExceptions]).toEqual([
      same.overall,
      same.readinessPercent,
    ]);
  });

  it("shows the service's own score with and without exceptions", () => {
    const score = buildSecurityScore({ newest: null, past: [] }, status);
    expect(getSecurityScore.record.strict().parse(score)).toEqual(score);
    const measured = status.requirements.filter(({ thresholds }) => thresholds !== null);
    const met = measured.filter((one) => one.status === 'met');
    const only = met.filter(({ reason }) => reason === 'excepted').length;
    expect(only).toBeGreaterThan(0);
    expect(score.service).toMatchObject({
      catalogueVersion: status.catalogueVersion,
      percent: Math.floor((100 * met.length) / measured.length),
      percentWithoutExceptions: Math.floor((100 * (met.length - only)) / measured.length),
    });
    const sum = score.service.byArea.reduce((total, { metWithExceptions }) => total + metWithExceptions, 0);
    expect(sum).toBe(only);
  });
});
