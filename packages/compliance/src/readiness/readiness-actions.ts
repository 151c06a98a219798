import type { CopilotReadiness, RequirementStatus } from '@tenantscope/contract';
import { formatCell } from '@tenantscope/report';
import { readinessDimensions } from '../catalogue/readiness-dimension.ts';
import type { LocalizedText } from '../report/language.ts';

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
      ...describeEffect(requirement),
      link: step.link,
    }));
}

const urgentFirst = ['not_met', 'at_risk', 'not_evaluated'];
const rankUrgency = (status: string): number => urgentFirst.indexOf(status);

type Effect = Pick<CopilotReadiness['actions'][number], 'expectedEffect' | 'expectedEffectPl'>;

const formatPolish = (value: string | number, kind: 'status' | 'count'): string =>
  formatCell(value, kind, 'pl').toLowerCase();

/** From the metrics behind the status, so that the effect can be checked. */
function describeEffect({ title, titlePl, status, metricsJson, thresholds }: RequirementStatus): Effect {
  if (status === 'not_evaluated')
    return {
      expectedEffect: `${title}: will be evaluated.`,
      expectedEffectPl: `${titlePl}: wymaganie zostanie ocenione.`,
    };
  const change = `${title}: met instead of ${status}`;
  const changePl = `${titlePl}: status „spełnione” zamiast „${formatPolish(status, 'status')}”`;
  const value = thresholds ? metricsJson[thresholds.primaryMetric] : null;
  if (!thresholds || value == null) return { expectedEffect: `${change}.`, expectedEffectPl: `${changePl}.` };
  const { primaryMetric } = thresholds;
  const [goal, goalPl] = describeGoal(thresholds);
  return {
    expectedEffect: `${change}, once ${primaryMetric} is ${goal}; it is ${value}.`,
    expectedEffectPl: `${changePl}, gdy ${primaryMetric} wyniesie ${goalPl}; obecnie: ${formatPolish(value, 'count')}.`,
  };
}

function describeGoal({ met, direction }: NonNullable<RequirementStatus['thresholds']>): LocalizedText {
  if (Array.isArray(met)) return [`between ${met.join(' and ')}`, `od ${met.join(' do ')}`];
  return direction === 'higher' ? [`at least ${met}`, `co najmniej ${met}`] : [`at most ${met}`, `najwyżej ${met}`];
}
