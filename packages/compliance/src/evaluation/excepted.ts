import type { Rule } from '../catalogue/requirement.ts';
import type { ExceptedSubjects } from './facts.ts';
import { type Metrics, type Outcome, type Status, toMeasured } from './outcome.ts';
import { roundPercent } from './ratio.ts';
import { assumeInOrder, judgeUnknown, type Measurement, unknownMetric } from './unknown.ts';

/** The metric of failing and unknown subjects that an exception covers. They stay in the population and in its faulty part. */
const exceptedMetric = 'excepted';

/** Moves covered subjects from `unknown` to `excepted`, which is unknown where they were not counted. Metrics that are unknown stay so. */
export function countExcepted(metrics: Metrics, excepted: ExceptedSubjects | null | undefined): Metrics {
  const before = metrics[unknownMetric] ?? null;
  if (excepted === undefined || before === null || !(exceptedMetric in metrics)) return metrics;
  if (excepted === null) return { ...metrics, [exceptedMetric]: null };
  return {
    ...metrics,
    [unknownMetric]: before - excepted.unknown,
    [exceptedMetric]: excepted.failing + excepted.unknown,
  };
}

/** What exceptions change about a status. */
export interface ExceptionEffect {
  /** Units of the metrics that they cover. */
  readonly count: number;
  /** The value that was compared with the thresholds: excepted subjects are not among the faulty ones. */
  readonly value: number | null;
  /** The status without them. */
  readonly statusWithout: Status;
}

/**
 * Judges a measurement with excepted subjects taken as being in order, and without exceptions. Guards read the metrics as they are: an exception
 * does not lift them. Where nothing else is left of the population, nothing shows that the rule is kept: at risk at best.
 *
 * @param population null where subjects are no part of it
 */
export function judgeExcepted(
  rule: Rule,
  measurement: Measurement,
  population: number | null,
  excepted: ExceptedSubjects,
  judge: (measurement: Measurement) => Outcome,
): { readonly outcome: Outcome; readonly effect: ExceptionEffect } {
  const count = excepted.failing + excepted.unknown;
  const without = judgeUnknown(rule, addUnknown(measurement, excepted.unknown), population, judge);
  const judged = assumeInOrder(rule, measurement, count);
  const assessed = population === null ? null : population - count;
  const found = judgeUnknown(rule, judged, assessed, judge);
  const outcome =
    assessed !== null && assessed <= 0 && found.status === 'met' ? toMeasured('at_risk', 'excepted') : found;
  const isDecisive = outcome.status !== without.status && outcome.reason === 'threshold';
  return {
    outcome: isDecisive ? { ...outcome, reason: 'excepted' } : outcome,
    effect: { count, value: readValue(rule, judged), statusWithout: without.status },
  };
}

function addUnknown(measurement: Measurement, unknown: number): Measurement {
  const { metrics } = measurement;
  return { ...measurement, metrics: { ...metrics, [unknownMetric]: (metrics[unknownMetric] ?? 0) + unknown } };
}

function readValue({ primaryMetric, direction }: Rule, { metrics, share }: Measurement): number | null {
  if (share === null || direction === 'range') return metrics[primaryMetric] ?? null;
  return roundPercent(share, direction);
}
