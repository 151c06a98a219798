import { readFileSync } from 'node:fs';

/** A requirement as `GET /compliance/status` lists it. */
export interface RequirementRow {
  readonly key: string;
  readonly status: string;
  readonly evaluation: string;
  readonly reason: string | null;
}

/** The verdict on an article, as far as requirements decide it. */
export interface ArticleVerdict {
  readonly id: string;
  readonly status: string;
  readonly isApplicable: boolean;
  readonly coverage: string | null;
  /** Whether a requirement that applies is met only because of exceptions. */
  readonly isExcepted: boolean;
  readonly requirementKeys: readonly string[];
}

const readData = (name: string) =>
  JSON.parse(readFileSync(new URL(`../../packages/compliance/data/${name}.json`, import.meta.url), 'utf8'));

const frameworks: { key: string; articles: { id: string }[] }[] = readData('frameworks').frameworks;
const requirements: { key: string; articles: string[] }[] = readData('requirements').requirements;
const weights: { id: string; main: string[] }[] = readData('article-weights').articles;

/**
 * The verdicts on all articles of all frameworks, from rows of requirements and the data files alone. Written from the
 * rules, without the code of the product:
 *
 * - what does not apply is left out;
 * - the status is the worst of not_met, at_risk, not_evaluated, met;
 * - a requirement that is met because there was nothing to measure covers no article;
 * - the coverage is main if a main requirement is left, indicator if another is left, else null.
 */
export function rollUpArticles(rows: readonly RequirementRow[]): Record<string, ArticleVerdict[]> {
  const verdicts: Record<string, ArticleVerdict[]> = {};
  for (const framework of frameworks) verdicts[framework.key] = framework.articles.map(({ id }) => judge(id, rows));
  return verdicts;
}

function judge(id: string, rows: readonly RequirementRow[]): ArticleVerdict {
  const main = new Set(weights.find((one) => one.id === id)?.main);
  const requirementKeys = requirements.filter(({ articles }) => articles.includes(id)).map(({ key }) => key);
  let status = 'met';
  let coverage: string | null = null;
  let isApplicable = false;
  let isExcepted = false;
  for (const key of requirementKeys) {
    const row = rows.find((one) => one.key === key);
    if (row === undefined) throw new Error(`no row of requirement ${key}`);
    if (row.evaluation === 'not_applicable') continue;
    isApplicable = true;
    if (row.status === 'met' && row.reason === 'excepted') isExcepted = true;
    if (row.status === 'met' && row.reason === 'empty_population') continue;
    if (main.has(key)) coverage = 'main';
    else if (coverage === null) coverage = 'indicator';
    if (row.status === 'not_met') status = 'not_met';
    if (row.status === 'at_risk' && status !== 'not_met') status = 'at_risk';
    if (row.status === 'not_evaluated' && status === 'met') status = 'not_evaluated';
  }
  if (!isApplicable) status = 'not_evaluated';
  return { id, status, isApplicable, coverage, isExcepted, requirementKeys };
}
