import { describe, expect, it } from 'vitest';
import { evaluate } from '../src/index.ts';
import { bareFacts, requirementNamed } from './facts.ts';

type Counts = Record<string, number | null>;

/** Metrics as counted without exceptions, and how many of the failing and the unknown subjects are covered. */
function outcome(key: string, metrics: Counts, [failing, unknown]: readonly [number, number]): string {
  const excepted = { [key]: { failing, unknown, byException: {} } };
  const found = evaluate(requirementNamed(key), { ...bareFacts, metrics: { [key]: metrics }, excepted });
  return `${found.status} ${found.reason} ${found.exceptionEffect?.value ?? null} without ${found.exceptionEffect?.statusWithout}`;
}

describe('excepted subjects', () => {
  it.each([
    // Where more is better they count as being in order.
    ['iam.mfa.members', { members: 100, mfaRegistered: 90, unknown: 0 }, [8, 0], 'met excepted 98 without at_risk'],
    [
      'iam.mfa.members',
      { members: 100, mfaRegistered: 90, unknown: 0 },
      [7, 0],
      'at_risk threshold 97 without at_risk',
    ],
    [
      'iam.mfa.members',
      { members: 100, mfaRegistered: 80, unknown: 0 },
      [10, 0],
      'at_risk excepted 90 without not_met',
    ],
    ['iam.mfa.members', { members: 100, mfaRegistered: 98, unknown: 2 }, [0, 2], 'met threshold 100 without met'],
    ['iam.mfa.members', { members: 100, mfaRegistered: 97, unknown: 3 }, [0, 1], 'met excepted 98 without at_risk'],
    [
      'iam.mfa.members',
      { members: 100, mfaRegistered: 40, unknown: 60 },
      [0, 60],
      'met excepted 100 without not_evaluated',
    ],
    // Where less is better they leave the faulty ones.
    [
      'data.links.anonymous',
      { sensitiveFiles: 100, anonymous: 2, unknown: 0 },
      [2, 0],
      'met excepted 0 without not_met',
    ],
    [
      'data.links.anonymous',
      { sensitiveFiles: 100, anonymous: 2, unknown: 1 },
      [1, 0],
      'at_risk unknown 1 without not_met',
    ],
    [
      'ai.agents.store_shelf',
      { shelfAgents: 20, unreviewed: 12, unknown: 0 },
      [2, 0],
      'at_risk excepted 10 without not_met',
    ],
    // Nothing is left that shows that the rule is kept.
    ['iam.mfa.members', { members: 3, mfaRegistered: 0, unknown: 0 }, [3, 0], 'at_risk excepted 100 without not_met'],
    [
      'data.mail.external_forwarding',
      { forwardings: 1, unreviewed: 1, unknown: 0 },
      [1, 0],
      'at_risk excepted 0 without at_risk',
    ],
    // Half of what is left is unknown.
    [
      'iam.mfa.members',
      { members: 10, mfaRegistered: 1, unknown: 1 },
      [8, 0],
      'not_evaluated unknown 90 without not_met',
    ],
    ['iam.mfa.members', { members: 10, mfaRegistered: 2, unknown: 1 }, [7, 0], 'at_risk unknown 90 without not_met'],
    // Of events that must not happen only the faulty ones are known.
    [
      'ai.data.no_ai_reads_of_restricted',
      { restrictionsNoAi: 1, aiReads: 3, aiIdentities: 1, unknown: 0 },
      [3, 0],
      'met excepted 0 without not_met',
    ],
    [
      'ai.data.no_ai_reads_of_restricted',
      { restrictionsNoAi: 1, aiReads: 4, aiIdentities: 1, unknown: 2 },
      [2, 0],
      'at_risk unknown 2 without not_met',
    ],
    // A guard is not lifted.
    [
      'ai.data.restriction_no_access_violations',
      { restrictionsNoAccess: 1, reads: 3, externalReads: 1, unknown: 0 },
      [3, 0],
      'not_met guard:externalReads 0 without not_met',
    ],
  ] as const)('of %s with %o: %o are %s', (key, metrics, covered, found) => {
    expect(outcome(key, { ...metrics, excepted: 0 }, covered)).toBe(found);
  });

  it('change nothing where a metric is unknown', () => {
    const unread = { members: 10, mfaRegistered: null, unknown: 3 };
    expect(outcome('iam.mfa.members', unread, [5, 2])).toMatch(/^not_evaluated source_missing null/);
    expect(outcome('iam.mfa.members', { members: 0, mfaRegistered: 0, unknown: 0 }, [0, 0])).toMatch(
      /^not_evaluated empty_population/,
    );
  });

  it('stay in the metrics as they were counted, and leave the unknown ones', () => {
    const key = 'iam.mfa.members';
    const metrics = { [key]: { members: 100, mfaRegistered: 90, unknown: 4, excepted: 0 } };
    const found = evaluate(requirementNamed(key), {
      ...{ ...bareFacts, metrics },
      excepted: { [key]: { failing: 5, unknown: 3, byException: {} } },
    });
    expect(found.metrics).toEqual({ members: 100, mfaRegistered: 90, mfaPct: 90, unknown: 1, excepted: 8 });
  });
});
