import type { MeasuredRequirement, Rule } from '../catalogue/requirement.ts';
import { hasPopulation } from '../findings/subjects.ts';
import { countExcepted, type ExceptionEffect, judgeExcepted } from './excepted.ts';
import type { ExceptedSubjects, Facts } from './facts.ts';
import { applyGuard, isUnknown } from './guard.ts';
import { type Metrics, type Outcome, type Status, toMeasured, toNoData, toNotApplicable } from './outcome.ts';
import { computeShare, meetsTarget, parseRatio, roundPercent, type Share } from './ratio.ts';
import { isOutOfScope } from './scope.ts';
import { checkSources } from './source-age.ts';
import { judgeUnknown, type Measurement, unknownMetric } from './unknown.ts';

export interface MeasuredOutcome extends Outcome {
  readonly metrics: Metrics;
  /** Null where no exception is in force for it, or its metrics were not judged. */
  readonly exceptionEffect: ExceptionEffect | null;
}

/**
 * The status of a measured requirement. The order matters: a stale source must never look like an empty population, so
 * freshness is checked before the data. Metrics of a missing source are unknown, not zero.
 */
export function evaluateMeasured(requirement: MeasuredRequirement, facts: Facts): MeasuredOutcome {
  const missing = explainMissingMetrics(requirement, facts);
  if (missing) return { ...missing, metrics: fillMetrics(requirement, {}), exceptionEffect: null };

  const { rule, key } = requirement;
  const excepted = facts.excepted?.[key];
  const counted = countExcepted(fillMetrics(requirement, facts.metrics[key] ?? {}), excepted);
  const share = rule.unit === 'percent' ? computeShare(parseRatio(rule.expression), counted) : null;
  const metrics =
    rule.unit === 'percent'
      ? { ...counted, [rule.primaryMetric]: share && roundPercent(share, rule.direction) }
      : counted;
  return { exceptionEffect: null, ...judgeMetrics(requirement, { metrics, share }, excepted), metrics };
}

/** Why the metrics are not read: the requirement is out of scope, or one of its sources is missing or stale. Null where they are. */
export function explainMissingMetrics(requirement: MeasuredRequirement, facts: Facts): Outcome | null {
  if (isOutOfScope(requirement, facts)) return toNotApplicable('not_in_scope');
  const fault = checkSources(requirement, facts);
  return fault && toNoData(fault);
}

function fillMetrics({ metricsJson }: MeasuredRequirement, given: Metrics): Metrics {
  return Object.fromEntries(Object.keys(metricsJson).map((name) => [name, given[name] ?? null]));
}

function judgeMetrics(
  requirement: MeasuredRequirement,
  measurement: Measurement,
  excepted: ExceptedSubjects | null | undefined,
): Outcome & { readonly exceptionEffect?: ExceptionEffect } {
  const { rule, metricsJson, notApplicable: exempt } = requirement;
  const { metrics, share } = measurement;
  if (exempt?.kind === 'metric' && metrics[exempt.metric] === exempt.value) return toNotApplicable('not_in_scope');
  const population = rule.population === undefined ? share && Number(share.denominator) : metrics[rule.population];
  if (population == null) return toNoData('source_missing');
  if (unknownMetric in metricsJson && metrics[unknownMetric] === null) return toNoData('source_missing');
  if (population <= 0) return judgeEmptyPopulation(rule);
  if (metrics[rule.primaryMetric] === null) return toNoData('source_missing');
  const judge = (one: Measurement) => judgeMeasurement(rule, one);
  const ofSubjects = hasPopulation(requirement.key) ? population : null;
  if (excepted == null) return judgeUnknown(rule, measurement, ofSubjects, judge);
  const { outcome, effect } = judgeExcepted(rule, measurement, ofSubjects, excepted, judge);
  return { ...outcome, exceptionEffect: effect };
}

function judgeMeasurement(rule: Rule, { metrics, share }: Measurement): Outcome {
  const status = compareThreshold(rule, metrics, share);
  if (status === null || rule.guards.some((guard) => isUnknown(guard, metrics))) return toNoData('source_missing');
  return rule.guards.reduce<Outcome>(
    (outcome, guard) => applyGuard(outcome, guard, metrics),
    toMeasured(status, 'threshold'),
  );
}

function judgeEmptyPopulation({ emptyPopulation: meaning }: Rule): Outcome {
  if (meaning === 'not_applicable') return toNotApplicable('empty_population');
  if (meaning === 'no_data') return toNoData('empty_population');
  return toMeasured(meaning, 'empty_population');
}

/** Null where the primary metric is unknown. */
function compareThreshold(rule: Rule, metrics: Metrics, share: Share | null): Status | null {
  const value = metrics[rule.primaryMetric] ?? null;
  if (value === null) return null;
  if (rule.direction === 'range') return gradeBounds(rule, ([low, high]) => low <= value && value <= high);
  const { direction } = rule;
  return gradeBounds(rule, (bound) => {
    if (share) return meetsTarget(share, bound, direction);
    return direction === 'higher' ? value >= bound : value <= bound;
  });
}

function gradeBounds<Bound>(
  { met, atRisk }: { met: Bound; atRisk: Bound | null },
  isReached: (bound: Bound) => boolean,
): Status {
  if (isReached(met)) return 'met';
  return atRisk !== null && isReached(atRisk) ? 'at_risk' : 'not_met';
}
