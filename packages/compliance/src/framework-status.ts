import { type FrameworkStatus, type RequirementStatus, showTime } from '@tenantscope/contract';
import { requirementsByArticle, requirementsOf } from './catalogue/citations.ts';
import type { Article, Framework } from './catalogue/framework.ts';
import { isInForce } from './requirement-status.ts';
import type { FrameworkSelection } from './selection.ts';

export type Requirements = ReadonlyMap<string, RequirementStatus>;

/** A framework as the status document shows it: rolled up from the requirements its articles are cited by, each counted once. */
export function frameworkStatus(
  framework: Framework,
  requirements: Requirements,
  selection: FrameworkSelection | undefined,
  nowMs: number,
): FrameworkStatus {
  const { key, name, namePl, reference, articles } = framework;
  const cited = requirementsOf(framework).flatMap((one) => requirements.get(one.key) ?? []);
  const counts = countStatuses(cited);
  const selected = selection?.selected ?? false;
  return {
    key,
    name,
    namePl,
    reference,
    selected,
    selectedAt: selection && selected ? showTime(selection.changedAtMs) : null,
    readinessPercent: percentOf(counts.metCount, applicableCount(counts)),
    coveragePercent: percentOf(applicableCount(counts) - counts.notEvaluatedCount, applicableCount(counts)),
    ...counts,
    controls: articles.map((article) => controlOf(article, requirements, nowMs)),
  };
}

export type Counts = Pick<
  FrameworkStatus,
  'metCount' | 'atRiskCount' | 'notMetCount' | 'notEvaluatedCount' | 'notApplicableCount'
>;

export function countStatuses(requirements: readonly RequirementStatus[]): Counts {
  const applicable = requirements.filter(isApplicable);
  const count = (status: string) => applicable.filter((one) => one.status === status).length;
  return {
    metCount: count('met'),
    atRiskCount: count('at_risk'),
    notMetCount: count('not_met'),
    notEvaluatedCount: count('not_evaluated'),
    notApplicableCount: requirements.length - applicable.length,
  };
}

export const isApplicable = ({ evaluation }: RequirementStatus): boolean => evaluation !== 'not_applicable';

export function applicableCount({ metCount, atRiskCount, notMetCount, notEvaluatedCount }: Counts): number {
  return metCount + atRiskCount + notMetCount + notEvaluatedCount;
}

/** Cut to whole percent, so that 100 means all; null where there is nothing to be part of. */
export function percentOf(part: number, whole: number): number | null {
  return whole === 0 ? null : Math.floor((100 * part) / whole);
}

const worstFirst = ['not_met', 'at_risk', 'not_evaluated', 'met'];
const weakestFirst = ['no_data', 'manual', 'attested', 'measured'];

const first = (words: readonly string[], order: readonly string[]): string | undefined =>
  order.find((word) => words.includes(word));

function controlOf(article: Article, requirements: Requirements, nowMs: number): FrameworkStatus['controls'][number] {
  const { id, ref, title, titlePl, appliesFrom = null } = article;
  const cited = (requirementsByArticle.get(id) ?? []).flatMap(({ key }) => requirements.get(key) ?? []);
  const applicable = cited.filter(isApplicable);
  const status = first(statusesOf(applicable), worstFirst) ?? 'not_evaluated';
  const deciding = applicable.filter((one) => one.status === status).map(({ evaluation }) => evaluation);
  return {
    id,
    ref,
    title,
    titlePl,
    status,
    evaluation: first(deciding, weakestFirst) ?? 'not_applicable',
    requirementKeys: cited.map(({ key }) => key),
    appliesFrom,
    inForce: isInForce(article, nowMs),
    metCount: applicable.filter(({ status }) => status === 'met').length,
    totalCount: cited.length,
  };
}

const statusesOf = (requirements: readonly RequirementStatus[]) => requirements.map(({ status }) => status);
