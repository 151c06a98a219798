import type { CopilotReadiness, RequirementStatus } from '@tenantscope/contract';
import { readinessDimensions } from '../catalogue/readiness-dimension.ts';

/**
 * One step for each requirement that is not met: blocking ones first, then those at risk, then the unknown; dimensions that
 * can block alone come first.
 */
export function listReadinessActions(
  dimensions: CopilotReadiness['dimensions'],
  requirements: ReadonlyMap<string, RequirementStatus>,
): CopilotReadiness['actions'] {
  const steps = readinessDimensions.flatMap((dimension) =>
    dimension.requirements.flatMap((step) => {
      const requirement = requirements.get(step.key);
      const finds = dimensions
        .find(({ key }) => key === dimension.key)
        ?.findings.some(({ requirementKey }) => requirementKey === step.key);
      return requirement && finds ? [{ dimension, step, requirement }] : [];
    }),
  );
  return steps
    .map((one) => ({ ...one, urgency: 2 * rankUrgency(one.requirement.status) + (one.dimension.blocking ? 0 : 1) }))
    .toSorted((left, right) => left.urgency - right.urgency)
    .map(({ dimension, step, requirement }, index) => ({
      rank: index + 1,
      title: step.action,
      titlePl: step.actionPl,
      dimension: dimension.key,
      expectedEffect: describeEffect(requirement),
      link: step.link,
    }));
}

const urgentFirst = ['not_met', 'at_risk', 'not_evaluated'];
const rankUrgency = (status: string): number => urgentFirst.indexOf(status);

/** From the metrics behind the status, so that the effect can be checked. */
function describeEffect({ title, status, metricsJson, thresholds }: RequirementStatus): string {
  if (status === 'not_evaluated') return `${title}: will be evaluated.`;
  const value = thresholds ? metricsJson[thresholds.primaryMetric] : null;
  if (!thresholds || value == null) return `${title}: met instead of ${status}.`;
  const { primaryMetric, direction, met } = thresholds;
  const goal = Array.isArray(met)
    ? `between ${met.join(' and ')}`
    : `${direction === 'higher' ? 'at least' : 'at most'} ${met}`;
  return `${title}: met instead of ${status}, once ${primaryMetric} is ${goal}; it is ${value}.`;
}
