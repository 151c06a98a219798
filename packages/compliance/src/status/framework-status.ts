import { type FrameworkStatus, formatTime, type RequirementStatus } from '@tenantscope/contract';
import { articleWeights, determineCoverage, isMetWithExceptions } from '../catalogue/article-weight.ts';
import { listCitedRequirements, requirementsByArticle } from '../catalogue/citations.ts';
import type { Article, Framework } from '../catalogue/framework.ts';
import type { FrameworkSelection } from './framework-selection.ts';
import { isInForce } from './requirement-status.ts';

export type RequirementsByKey = ReadonlyMap<string, RequirementStatus>;

/** A framework in the status document: rolled up from the requirements that cite its articles, each counted once. */
export function buildFrameworkStatus(
  framework: Framework,
  requirements: RequirementsByKey,
  selection: FrameworkSelection | undefined,
  nowMs: number,
): FrameworkStatus {
  const { key, name, namePl, reference, articles } = framework;
  const cited = listCitedRequirements(framework).flatMap((one) => requirements.get(one.key) ?? []);
  const counts = countStatuses(cited);
  const selected = selection?.selected ?? false;
  const controls = articles.map((article) => buildControl(article, requirements, nowMs));
  return {
    key,
    name,
    namePl,
    reference,
    selected,
    selectedAt: selection && selected ? formatTime(selection.changedAtMs) : null,
    readinessPercent: toWholePercent(counts.metCount, countApplicable(counts)),
    coveragePercent: toWholePercent(countApplicable(counts) - counts.notEvaluatedCount, countApplicable(counts)),
    ...counts,
    articleCounts: countArticles(controls),
    controls,
  };
}

export type StatusCounts = Pick<
  FrameworkStatus,
  'metCount' | 'metWithExceptionsCount' | 'atRiskCount' | 'notMetCount' | 'notEvaluatedCount' | 'notApplicableCount'
>;

export function countStatuses(requirements: readonly RequirementStatus[]): StatusCounts {
  const applicable = requirements.filter(isApplicable);
  const count = (status: string) => applicable.filter((one) => one.status === status).length;
  return {
    metCount: count('met'),
    metWithExceptionsCount: applicable.filter(isMetWithExceptions).length,
    atRiskCount: count('at_risk'),
    notMetCount: count('not_met'),
    notEvaluatedCount: count('not_evaluated'),
    notApplicableCount: requirements.length - applicable.length,
  };
}

export const isApplicable = ({ evaluation }: RequirementStatus): boolean => evaluation !== 'not_applicable';

export function countApplicable({ metCount, atRiskCount, notMetCount, notEvaluatedCount }: StatusCounts): number {
  return metCount + atRiskCount + notMetCount + notEvaluatedCount;
}

/** Rounded down to whole percent, so that 100 means all; null where the whole is 0. */
export function toWholePercent(part: number, whole: number): number | null {
  return whole === 0 ? null : Math.floor((100 * part) / whole);
}

const worstFirst = ['not_met', 'at_risk', 'not_evaluated', 'met'];
const weakestFirst = ['no_data', 'manual', 'attested', 'measured'];

const findFirst = (statuses: readonly string[], order: readonly string[]): string | undefined =>
  order.find((word) => statuses.includes(word));

type Control = FrameworkStatus['controls'][number];

function buildControl(article: Article, requirements: RequirementsByKey, nowMs: number): Control {
  const { id, ref, title, titlePl, appliesFrom = null } = article;
  const cited = (requirementsByArticle.get(id) ?? []).flatMap(({ key }) => requirements.get(key) ?? []);
  const applicable = cited.filter(isApplicable);
  const status = findFirst(listStatuses(applicable), worstFirst) ?? 'not_evaluated';
  const deciding = applicable.filter((one) => one.status === status).map(({ evaluation }) => evaluation);
  const weight = articleWeights.get(id);
  return {
    id,
    ref,
    title,
    titlePl,
    status,
    evaluation: findFirst(deciding, weakestFirst) ?? 'not_applicable',
    coverage: determineCoverage(id, applicable),
    coverageNote: weight?.why ?? '',
    coverageNotePl: weight?.whyPl ?? '',
    requirementKeys: cited.map(({ key }) => key),
    appliesFrom,
    inForce: isInForce(article, nowMs),
    metCount: applicable.filter(({ status }) => status === 'met').length,
    metWithExceptionsCount: applicable.filter(isMetWithExceptions).length,
    totalCount: cited.length,
  };
}

const listStatuses = (requirements: readonly RequirementStatus[]) => requirements.map(({ status }) => status);

/** Counted apart: articles that are met, those that are met only because of exceptions, articles whose indicators are in order, and articles with nothing to measure. */
function countArticles(controls: readonly Control[]): FrameworkStatus['articleCounts'] {
  const count = (is: string) =>
    controls.filter((one) => one.evaluation !== 'not_applicable' && one.status === is).length;
  const countMet = (is: string | null) =>
    controls.filter(({ status, coverage }) => status === 'met' && coverage === is).length;
  const withExceptions = controls.filter(isArticleMetWithExceptions).length;
  return {
    met: countMet('main') - withExceptions,
    metWithExceptions: withExceptions,
    indicatorsMet: countMet('indicator'),
    nothingToMeasure: countMet(null),
    atRisk: count('at_risk'),
    notMet: count('not_met'),
    notEvaluated: count('not_evaluated'),
    notApplicable: controls.filter(({ evaluation }) => evaluation === 'not_applicable').length,
  };
}

/** Whether an article is met, on main requirements, and one of its requirements only because of exceptions. */
export const isArticleMetWithExceptions = ({
  status,
  coverage,
  metWithExceptionsCount,
}: Pick<Control, 'status' | 'coverage' | 'metWithExceptionsCount'>): boolean =>
  status === 'met' && coverage === 'main' && metWithExceptionsCount > 0;
