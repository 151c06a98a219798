import type { Rule } from '../catalogue/requirement.ts';
import { type Metrics, type Outcome, toMeasured, toNoData } from './outcome.ts';
import type { Share } from './ratio.ts';

/** What a rule compares: its metrics, and its share where it is a percentage. */
export interface Measurement {
  readonly metrics: Metrics;
  readonly share: Share | null;
}

/** The metric of subjects whose state is unknown. They belong to the population, and to its faulty part. */
export const unknownMetric = 'unknown';

const severity = ['met', 'at_risk', 'not_met'];

/**
 * Judges a measurement with all unknown subjects taken as faulty and as being in order. What holds in both cases stands; met in the better case
 * alone is at risk. Half of a population says nothing about the other half.
 *
 * @param population null where unknown subjects are no part of it: of events that must not happen one that is known decides
 */
export function judgeUnknown(
  rule: Rule,
  measurement: Measurement,
  population: number | null,
  judge: (measurement: Measurement) => Outcome,
): Outcome {
  const unknown = measurement.metrics[unknownMetric] ?? 0;
  if (unknown <= 0) return judge(measurement);
  if (population !== null && 2 * unknown >= population) return toNoData('unknown');
  const worst = listWorstCases(rule, measurement, unknown).map(judge).reduce(selectWorse);
  const best = judge(assumeInOrder(rule, measurement, unknown));
  if (worst.status === best.status || worst.evaluation !== 'measured') return worst;
  return toMeasured(best.status === 'met' ? 'at_risk' : worst.status, 'unknown');
}

const selectWorse = (left: Outcome, right: Outcome): Outcome =>
  severity.indexOf(right.status) > severity.indexOf(left.status) ? right : left;

/** Unknown subjects are counted as faulty already; in a range they may or may not add to the value. */
function listWorstCases(rule: Rule, measurement: Measurement, unknown: number): readonly Measurement[] {
  return rule.direction === 'range'
    ? [measurement, replacePrimary(rule, measurement, (n) => n + unknown)]
    : [measurement];
}

/** The measurement with so many faulty subjects counted as being in order. */
export function assumeInOrder(rule: Rule, measurement: Measurement, faulty: number): Measurement {
  const { share } = measurement;
  if (rule.direction === 'range') {
    const [low] = rule.met;
    return replacePrimary(rule, measurement, (value) => Math.min(Math.max(low, value), value + faulty));
  }
  if (share === null) return replacePrimary(rule, measurement, (value) => Math.max(0, value - faulty));
  const moved = BigInt(rule.direction === 'higher' ? faulty : -faulty);
  return { ...measurement, share: { ...share, numerator: share.numerator + moved } };
}

function replacePrimary(
  { primaryMetric }: Rule,
  { metrics, share }: Measurement,
  change: (value: number) => number,
): Measurement {
  const value = metrics[primaryMetric] ?? null;
  return { share, metrics: value === null ? metrics : { ...metrics, [primaryMetric]: change(value) } };
}
