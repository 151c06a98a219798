import type { MeasuredRequirement, Rule } from './catalogue/requirement.ts';
import { isOutOfScope } from './exemption.ts';
import type { Facts } from './facts.ts';
import { applyGuard, isUnknown } from './guard.ts';
import { type Metrics, measured, noData, notApplicable, type Outcome, type Status } from './outcome.ts';
import { printedPercent, reaches, readRatio, type Share, shareOf } from './ratio.ts';
import { sourceFault } from './source-age.ts';

/**
 * The status of what can be counted. The order matters: a dead source must never look as if nothing applied, so what is read from data comes
 * after freshness. What was not looked at is not shown either: counts over a missing source would be zeros that nobody measured.
 */
export function measure(requirement: MeasuredRequirement, facts: Facts): Outcome & { readonly metrics: Metrics } {
  const unseen = namedMetrics(requirement, {});
  if (isOutOfScope(requirement, facts)) return { ...notApplicable('not_in_scope'), metrics: unseen };
  const fault = sourceFault(requirement, facts);
  if (fault) return { ...noData(fault), metrics: unseen };

  const { rule } = requirement;
  const counted = namedMetrics(requirement, facts.metrics[requirement.key] ?? {});
  if (rule.unit !== 'percent') return { ...judge(requirement, counted, null), metrics: counted };
  const share = shareOf(readRatio(rule.expression), counted);
  const metrics = { ...counted, [rule.primaryMetric]: share && printedPercent(share, rule.direction) };
  return { ...judge(requirement, metrics, share), metrics };
}

function namedMetrics({ metricsJson }: MeasuredRequirement, given: Metrics): Metrics {
  return Object.fromEntries(Object.keys(metricsJson).map((name) => [name, given[name] ?? null]));
}

function judge({ rule, notApplicable: exempt }: MeasuredRequirement, metrics: Metrics, share: Share | null): Outcome {
  if (exempt?.kind === 'metric' && metrics[exempt.metric] === exempt.value) return notApplicable('not_in_scope');
  const population = rule.population === undefined ? share && Number(share.denominator) : metrics[rule.population];
  if (population == null) return noData('source_missing');
  if (population <= 0) return emptyPopulation(rule);
  const status = byThreshold(rule, metrics, share);
  if (status === null || rule.guards.some((guard) => isUnknown(guard, metrics))) return noData('source_missing');
  return rule.guards.reduce<Outcome>(
    (outcome, guard) => applyGuard(outcome, guard, metrics),
    measured(status, 'threshold'),
  );
}

function emptyPopulation({ emptyPopulation: meaning }: Rule): Outcome {
  if (meaning === 'not_applicable') return notApplicable('empty_population');
  if (meaning === 'no_data') return noData('empty_population');
  return measured(meaning, 'empty_population');
}

/** Null where the primary metric is not known. */
function byThreshold(rule: Rule, metrics: Metrics, share: Share | null): Status | null {
  const value = metrics[rule.primaryMetric] ?? null;
  if (value === null) return null;
  if (rule.direction === 'range') return graded(rule, ([low, high]) => low <= value && value <= high);
  const { direction } = rule;
  return graded(rule, (bound) => {
    if (share) return reaches(share, bound, direction);
    return direction === 'higher' ? value >= bound : value <= bound;
  });
}

function graded<Bound>(
  { met, atRisk }: { met: Bound; atRisk: Bound | null },
  holds: (bound: Bound) => boolean,
): Status {
  if (holds(met)) return 'met';
  return atRisk !== null && holds(atRisk) ? 'at_risk' : 'not_met';
}
