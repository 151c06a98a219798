import {
  findRequirement,
  hasSubjects,
  type MeasuredRequirement,
  readFindings,
  requirementCatalogue,
} from '@tenantscope/compliance';
import type { ComplianceFinding } from '@tenantscope/contract';
import type { PoolClient } from '@tenantscope/store/connection';
import { expect } from 'vitest';

interface Instant {
  readonly tenantId: string;
  readonly connectedAtMs: number;
  readonly nowMs: number;
}

export const requirementsWithFindings = requirementCatalogue.filter(
  (one): one is MeasuredRequirement => one.kind === 'measured' && hasSubjects(one),
);

/** Every page of a requirement's findings, in order. Throws if a page is larger than its limit, or empty while more follow. */
export async function readAllFindings(
  client: PoolClient,
  instant: Instant,
  key: string,
  limit: number,
  states: readonly ComplianceFinding['state'][] | null = null,
): Promise<readonly ComplianceFinding[]> {
  const requirement = findRequirement(key);
  if (requirement === null) throw new Error(`no requirement ${key}`);
  const findings: ComplianceFinding[] = [];
  for (let after: readonly string[] | null = null; ; ) {
    const page = await readFindings(client, { ...instant, requirement, states, after, limit });
    if (page.findings.length > limit || (page.hasMore && page.findings.length === 0)) throw new Error(`page of ${key}`);
    findings.push(...page.findings);
    if (!page.hasMore) return findings;
    after = page.last;
  }
}

export const countUnits = (findings: readonly ComplianceFinding[], state?: ComplianceFinding['state']): number =>
  findings.filter((one) => state === undefined || one.state === state).reduce((sum, { count }) => sum + count, 0);

type Metrics = Readonly<Record<string, number | null>>;

/** What a status counts as bad, by the expression of the catalogue alone; null where a metric is unknown. */
export function countBad({ rule }: MeasuredRequirement, metrics: Metrics): number | null {
  if (rule.unit !== 'percent') return metrics[rule.primaryMetric] ?? null;
  const [, numerator = '', denominator = ''] = /^100 \* (.+) \/ (.+)$/.exec(rule.expression) ?? [];
  const [part, whole] = [evaluateSum(numerator, metrics), evaluateSum(denominator, metrics)];
  if (part === null || whole === null) return null;
  return rule.direction === 'lower' ? part : whole - part;
}

/** Why the findings of a rule do not add up to its metrics; null if they do. */
export function explainDifference(
  requirement: MeasuredRequirement,
  metrics: Metrics,
  findings: readonly ComplianceFinding[],
): string | null {
  if (!hasSubjects(requirement)) return findings.length === 0 ? null : `${requirement.key} has no subjects`;
  const bad = countBad(requirement, metrics);
  const [failing, unknown, excepted] = [
    countUnits(findings, 'failing'),
    countUnits(findings, 'unknown'),
    countUnits(findings, 'excepted'),
  ];
  // Unknown and excepted subjects are counted as bad, and apart.
  const isEqual =
    (bad === null ? failing === 0 : bad === failing + unknown + excepted) &&
    (metrics.unknown ?? 0) === unknown &&
    (metrics.excepted ?? 0) === excepted;
  if (isEqual) return null;
  const counted = JSON.stringify({ bad, unknown: metrics.unknown, excepted: metrics.excepted });
  return `${requirement.key}: metrics say ${counted}, findings ${JSON.stringify({ failing, unknown, excepted })}`;
}

/** A file that one event read is a subject of its own. */
export function expectDistinctSubjects(findings: readonly ComplianceFinding[]): void {
  const subjects = findings.map(({ subjectType, subjectId, detail }) => [subjectType, subjectId, detail.fileId]);
  expect(new Set(subjects.map((names) => JSON.stringify(names))).size).toBe(findings.length);
}

function evaluateSum(text: string, metrics: Metrics): number | null {
  const terms = text.replace(/[()]/g, '').split(/ (?=[+-])/);
  return terms.reduce<number | null>((sum, term) => {
    const value = metrics[term.replace(/^[+-] /, '')] ?? null;
    return sum === null || value === null ? null : sum + (term.startsWith('-') ? -value : value);
  }, 0);
}
