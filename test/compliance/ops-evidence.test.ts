import * as input from './input-records.ts';
import { type Case, nowMs, requirementPrefixes, testOutcomes } from './outcomes.ts';
import { insertSnapshots } from './snapshots.ts';

const { dayMs } = input;

const score = (id: string, ageMs: number, currentScore: number, maxScore: number): input.InputRecord => ({
  topic: 'compliance',
  type: 'compliance.securityScore',
  id,
  members: { createdDateTime: input.at(nowMs - ageMs), currentScore, maxScore },
});

/** A chain of snapshots taken at these ages, oldest first. */
const taken = (...agesMs: readonly number[]): Pick<Case, 'records' | 'arrange'> => ({
  records: [],
  arrange: (facts, tenantId) =>
    insertSnapshots(
      facts,
      tenantId,
      agesMs.map((ageMs) => nowMs - ageMs),
    ),
});

testOutcomes(requirementPrefixes.evidence, {
  'ops.evidence.snapshots': {
    met: [
      { ...taken(90 * dayMs + 1, 90 * dayMs, 8 * dayMs), counts: { snapshots: 2, daysSinceLast: 8 } },
      { ...taken(0), counts: { snapshots: 1, daysSinceLast: 0 } },
      { ...taken(-1_000), counts: { snapshots: 1, daysSinceLast: 0 } },
    ],
    at_risk: [
      { ...taken(8 * dayMs + 1), counts: { snapshots: 1, daysSinceLast: 9 } },
      { ...taken(15 * dayMs), counts: { snapshots: 1, daysSinceLast: 15 } },
    ],
    not_met: { ...taken(15 * dayMs + 1), counts: { snapshots: 1, daysSinceLast: 16 } },
    empty: [
      { ...taken(), counts: { snapshots: 0, daysSinceLast: null } },
      { ...taken(90 * dayMs + 1), counts: { snapshots: 0, daysSinceLast: 91 } },
    ],
  },
  'ops.posture.secure_score': {
    met: {
      records: [score('now', 0, 80, 100), score('month', 30 * dayMs, 75.55, 100), score('later', 29 * dayMs, 1, 100)],
      counts: { currentScore: 80, maxScore: 100, scorePct: 80, deltaPct30d: 4.4 },
    },
    at_risk: {
      records: [score('now', 0, 60, 100), score('month', 31 * dayMs, 60.01, 100), score('ahead', -1, 100, 100)],
      counts: { currentScore: 60, maxScore: 100, scorePct: 60, deltaPct30d: -0.1 },
    },
    not_met: {
      records: [score('now', dayMs, 599.9, 1000)],
      counts: { currentScore: 599.9, maxScore: 1000, scorePct: 59.9, deltaPct30d: null },
    },
    empty: { records: [score('now', 0, 0, 0)], counts: { currentScore: 0, maxScore: 0, scorePct: null } },
    untold: { records: [], counts: { currentScore: null, maxScore: null } },
  },
});
