import { readFileSync } from 'node:fs';

/**
 * Evaluates a measured requirement from the catalogue's data and the rules of the contract alone: a second reading that shares no code with the
 * product, so that a verdict that rests on missing data is found by comparison.
 */
export interface SourceRecord {
  newestMs: number | null;
  importedMs: number | null;
  enabled: boolean | null;
  licensed: boolean | null;
  gaps: { fromMs: number; toMs: number }[];
}
export type SourceStates = Record<string, SourceRecord>;
type Counts = Record<string, number | null>;
type Verdict = 'met' | 'at_risk' | 'not_met' | 'no_data' | 'not_applicable';

interface CatalogueRule {
  key: string;
  kind: string;
  sources: string[];
  feeds?: Record<string, string[][]>;
  windowDays: number | null;
  notApplicable?: { kind: string; source?: string; metric?: string; value?: unknown };
  rule: {
    primaryMetric: string;
    expression: string;
    unit: string;
    direction: 'higher' | 'lower' | 'range';
    met: number | [number, number];
    atRisk: number | [number, number] | null;
    population?: string;
    emptyPopulation: Verdict;
    maxSourceAgeHours: number | null;
    guards: {
      metric: string;
      op: string;
      value: number;
      and?: { metric: string; op: string; value: number };
      effect: string;
    }[];
  };
}

const catalogue: { requirements: readonly CatalogueRule[] } = JSON.parse(
  readFileSync(new URL('../../packages/compliance/data/requirements.json', import.meta.url), 'utf8'),
);
export const measuredRules = catalogue.requirements.filter(({ kind }) => kind === 'measured');

const hourMs = 3_600_000;
const inner = ['tenant', 'attestations', 'snapshots'];
const withEvents = ['logs', 'detections', 'security_alerts', 'notifications', 'actions', 'policy_scans'];

export function evaluateIndependently(
  one: CatalogueRule,
  sources: SourceStates,
  counts: Counts,
  nowMs: number,
): Verdict {
  const { notApplicable: exempt } = one;
  if (exempt?.kind === 'unlicensed' && sources[exempt.source ?? '']?.licensed === false) return 'not_applicable';
  for (const name of one.sources) if (!inner.includes(name) && !isUsable(one, name, sources, nowMs)) return 'no_data';
  if (exempt?.kind === 'metric' && counts[exempt.metric ?? ''] === exempt.value) return 'not_applicable';
  return judge(one, counts);
}

function isUsable(one: CatalogueRule, name: string, sources: SourceStates, nowMs: number): boolean {
  if (name !== 'logs' || !one.feeds || one.rule.maxSourceAgeHours === null)
    return isFresh(one, name, partsOf(name, sources, one.rule.maxSourceAgeHours === null), nowMs);
  const licensed = Object.keys(sources).filter((key) => key.startsWith('logs/') && sources[key]?.licensed !== false);
  const providers = new Set<string>(
    licensed.map((key) => (key === 'logs/SystemLog' ? 'okta' : key === key.toLowerCase() ? 'google' : 'microsoft')),
  );
  const needed = Object.keys(one.feeds)
    .filter((provider) => providers.has(provider))
    .flatMap((provider) => one.feeds?.[provider] ?? []);
  return (
    needed.length > 0 &&
    needed.every((routes) =>
      isFresh(
        one,
        name,
        routes.flatMap((route) => sources[route] ?? []),
        nowMs,
      ),
    )
  );
}

function partsOf(name: string, sources: SourceStates, isMeasuredItself: boolean): SourceRecord[] {
  const whole = sources[name];
  const reports = Object.entries(sources).filter(
    ([key, { enabled, importedMs }]) => key.startsWith(`${name}/`) && (enabled !== null || importedMs !== null),
  );
  if (isMeasuredItself || reports.length === 0) return whole ? [whole] : [];
  const parts = reports.map(([, part]) => ({ ...part, newestMs: part.newestMs ?? whole?.newestMs ?? null }));
  return whole && (whole.enabled !== null || whole.importedMs !== null) ? [whole, ...parts] : parts;
}

/** The oldest enabled one decides; a report before rows; gaps of events in the window. */
function isFresh(one: CatalogueRule, name: string, states: readonly SourceRecord[], nowMs: number): boolean {
  const limit = one.rule.maxSourceAgeHours;
  const used = states.filter(({ enabled, licensed }) => limit === null || (enabled !== false && licensed !== false));
  if (used.length === 0) return false;
  const fromMs = nowMs - (one.windowDays ?? 0) * 24 * hourMs;
  return used.every(({ importedMs, newestMs, gaps }) => {
    const reachesMs = importedMs === null ? newestMs : importedMs;
    if (reachesMs === null || (limit !== null && reachesMs < nowMs - limit * hourMs)) return false;
    if (one.windowDays === null || !withEvents.includes(name)) return true;
    return gaps.every((gap) => gap.toMs < fromMs || gap.fromMs > nowMs);
  });
}

const ranks: Verdict[] = ['not_met', 'at_risk', 'met'];

/** Rules over events that must not happen: their population is what they are about, not who caused them. */
const countsEventsOnly = [
  'iam.leavers.activity',
  'ai.data.no_ai_reads_of_restricted',
  'ai.data.restriction_no_access_violations',
];

/**
 * `excepted` subjects are in the population and among the faulty ones, like `unknown` ones, and in neither count twice. For the thresholds they are
 * not faulty. They say nothing about the others: of what is left without them, unknown subjects must be fewer than half, and without a rest the
 * rule is at risk at best.
 */
function judge(one: CatalogueRule, counts: Counts): Verdict {
  const { rule } = one;
  const excepted = counts.excepted ?? 0;
  // Nothing has no newest and no oldest.
  if (rule.population && rule.unit !== 'percent' && counts.unknown !== null && (counts[rule.population] ?? 1) <= 0)
    return rule.emptyPopulation;
  const [bad, good] = [readValue(one, counts, 'bad'), readValue(one, counts, 'good')];
  if (bad === null || good === null) return 'no_data';
  const population = rule.population ? counts[rule.population] : bad.of;
  const unknown = counts.unknown ?? 0;
  if (population == null) return 'no_data';
  if (population <= 0) return rule.emptyPopulation;
  if (rule.guards.some(({ metric, and }) => counts[metric] == null || (and && counts[and.metric] == null)))
    return 'no_data';
  // What is unknown is no part of such a population; the verdict with it as bad and as good decides alone.
  const isOfSubjects = !countsEventsOnly.includes(one.key);
  const rest = isOfSubjects ? population - excepted : population;
  if (isOfSubjects && unknown * 2 >= rest && unknown > 0) return 'no_data';
  const values = rule.direction === 'range' ? range(bad.part, bad.part + unknown) : [bad.part, good.part];
  const verdicts = values.map((part) => ranks.indexOf(guarded(one, counts, grade(one, part, bad.of))));
  const [worst, best] = [Math.min(...verdicts), Math.max(...verdicts)];
  if (excepted > 0 && rest <= 0) return ranks[Math.min(worst, 1)] as Verdict;
  if (worst === best) return ranks[worst] as Verdict;
  return best === 2 ? 'at_risk' : (ranks[worst] as Verdict);
}

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, step) => from + step);

/** The compared number, as part of a whole where it is a percentage, with unknown subjects on one side. */
function readValue({ rule }: CatalogueRule, counts: Counts, side: 'bad' | 'good'): { part: number; of: number } | null {
  const sum = (text: string): number | null => {
    let total = 0;
    for (const [, sign, name] of text.matchAll(/([+-]?)\s*([a-z]\w*)/gi)) {
      const value = counts[name as string];
      if (value == null) return null;
      total += sign === '-' ? -value : value;
    }
    return total;
  };
  const moved = (counts.excepted ?? 0) + (side === 'bad' ? 0 : (counts.unknown ?? 0));
  if (rule.unit !== 'percent') {
    const value = counts[rule.primaryMetric];
    return value == null ? null : { part: Math.max(0, value - (rule.direction === 'lower' ? moved : 0)), of: 1 };
  }
  const [top = '', bottom = ''] = rule.expression.replace('100 * ', '').split(' / ');
  const [part, of] = [sum(top), sum(bottom)];
  return part === null || of === null ? null : { part: rule.direction === 'higher' ? part + moved : part - moved, of };
}

function grade({ rule }: CatalogueRule, part: number, of: number): Verdict {
  const reaches = (bound: number | [number, number]): boolean => {
    if (Array.isArray(bound)) return part >= bound[0] && part <= bound[1];
    const [left, right] = rule.unit === 'percent' ? [part * 100, bound * of] : [part, bound];
    return rule.direction === 'higher' ? left >= right : left <= right;
  };
  if (reaches(rule.met)) return 'met';
  return rule.atRisk !== null && reaches(rule.atRisk) ? 'at_risk' : 'not_met';
}

function guarded({ rule }: CatalogueRule, counts: Counts, verdict: Verdict): Verdict {
  const isTrue = ({ metric, op, value }: { metric: string; op: string; value: number }) => {
    const found = counts[metric] as number;
    return op === '>' ? found > value : op === '<' ? found < value : found === value;
  };
  return rule.guards.reduce<Verdict>((now, guard) => {
    if (!isTrue(guard) || (guard.and && !isTrue(guard.and))) return now;
    if (guard.effect === 'force_not_met') return 'not_met';
    if (guard.effect === 'cap_at_risk') return now === 'met' ? 'at_risk' : now;
    return now === 'not_met' ? 'at_risk' : now;
  }, verdict);
}
