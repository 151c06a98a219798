import type { Guard } from '../catalogue/requirement.ts';
import type { Metrics, Outcome, Status } from './outcome.ts';

type Condition = Pick<Guard, 'metric' | 'op' | 'value'>;

const listConditions = (guard: Guard): readonly Condition[] => (guard.and ? [guard, guard.and] : [guard]);

/** Whether one of its metrics is unknown: it might have changed the status. */
export function isUnknown(guard: Guard, metrics: Metrics): boolean {
  return listConditions(guard).some(({ metric }) => (metrics[metric] ?? null) === null);
}

const effects: Record<Guard['effect'], (status: Status) => Status> = {
  cap_at_risk: (status) => (status === 'met' ? 'at_risk' : status),
  force_not_met: () => 'not_met',
  lift_to_at_risk: (status) => (status === 'not_met' ? 'at_risk' : status),
};

/** Applies a guard to the result of the thresholds; the reason names the guard where it changed the status. */
export function applyGuard(outcome: Outcome, guard: Guard, metrics: Metrics): Outcome {
  if (!listConditions(guard).every((condition) => isSatisfied(condition, metrics))) return outcome;
  const status = effects[guard.effect](outcome.status);
  return status === outcome.status ? outcome : { ...outcome, status, reason: `guard:${guard.metric}` };
}

function isSatisfied({ metric, op, value }: Condition, metrics: Metrics): boolean {
  const found = metrics[metric] ?? null;
  if (found === null) return false;
  if (op === '=') return found === value;
  return op === '>' ? found > value : found < value;
}
