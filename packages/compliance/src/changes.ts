import type { ComplianceChange, ComplianceChanges, ComplianceStatus, RequirementStatus } from '@tenantscope/contract';

/** The snapshot that a status is compared with. */
export interface Baseline {
  readonly snapshotId: string;
  readonly takenAt: string;
  readonly trigger: string;
  readonly catalogueVersion: string;
  /** Null where it has a shape that is not read any more. */
  readonly status: ComplianceStatus | null;
}

/** What of a status document is compared. */
export type Compared = Pick<ComplianceStatus, 'catalogueVersion' | 'requirements' | 'frameworks'>;

/** Per framework, how requirements stand against the latest snapshot. Values that move without changing a status are no change. */
export function changesBetween(baseline: Baseline | null, now: Compared): ComplianceChanges[] {
  return now.frameworks.map((framework) =>
    baseline?.status ? changesOf(framework, baseline, baseline.status, now) : nothingToCompare(framework, baseline),
  );
}

function nothingToCompare(framework: Framework, baseline: Baseline | null): ComplianceChanges {
  return {
    framework: framework.key,
    baseline: baseline && shownBaseline(baseline),
    readinessPercentBefore: null,
    readinessPercentNow: baseline && framework.readinessPercent,
    delta: null,
    comparable: false,
    improved: [],
    regressed: [],
    evaluatedNow: [],
    lostEvidence: [],
    added: [],
    removed: [],
    selectionChanged: false,
  };
}

function shownBaseline({ snapshotId, takenAt, trigger, catalogueVersion }: Baseline): ComplianceChanges['baseline'] {
  return { snapshotId, takenAt, trigger, catalogueVersion };
}

type Framework = Compared['frameworks'][number];

function changesOf(
  framework: Framework,
  baseline: Baseline,
  status: ComplianceStatus,
  now: Compared,
): ComplianceChanges {
  const earlier = status.frameworks.find(({ key }) => key === framework.key);
  const before = citedBy(framework.key, status);
  const after = citedBy(framework.key, now);
  const kept = [...after].flatMap(([key, to]) => {
    const from = before.get(key);
    return from ? [{ kind: kindOf(from.status, to.status), change: changeOf(from, to) }] : [];
  });
  const listed = (kind: Kind) => kept.filter((one) => one.kind === kind).map(({ change }) => change);
  const percentBefore = earlier?.readinessPercent ?? null;
  const percentNow = framework.readinessPercent;
  const selectionChanged = (earlier?.selected ?? false) !== framework.selected;
  return {
    framework: framework.key,
    baseline: shownBaseline(baseline),
    readinessPercentBefore: percentBefore,
    readinessPercentNow: percentNow,
    delta: percentBefore === null || percentNow === null ? null : percentNow - percentBefore,
    comparable:
      baseline.catalogueVersion === now.catalogueVersion && !selectionChanged && haveSameArticles(earlier, framework),
    improved: listed('improved'),
    regressed: listed('regressed'),
    evaluatedNow: listed('evaluatedNow'),
    lostEvidence: listed('lostEvidence'),
    added: [...after.keys()].filter((key) => !before.has(key)).map((key) => ({ key })),
    removed: [...before.keys()].filter((key) => !after.has(key)).map((key) => ({ key })),
    selectionChanged,
  };
}

function citedBy(framework: string, { requirements }: Pick<Compared, 'requirements'>): Map<string, RequirementStatus> {
  const cited = requirements.filter(({ articles }) => articles.some((article) => article.framework === framework));
  return new Map(cited.map((requirement) => [requirement.key, requirement]));
}

function haveSameArticles(earlier: Framework | undefined, now: Framework): boolean {
  const ids = (framework: Framework | undefined) => framework?.controls.map(({ id }) => id).toSorted() ?? [];
  return JSON.stringify(ids(earlier)) === JSON.stringify(ids(now));
}

type Kind = 'improved' | 'regressed' | 'evaluatedNow' | 'lostEvidence' | 'none';

const upward = ['not_met', 'at_risk', 'met'];

function kindOf(from: string, to: string): Kind {
  const [before, after] = [upward.indexOf(from), upward.indexOf(to)];
  if (before === after) return 'none';
  if (before === -1) return 'evaluatedNow';
  if (after === -1) return 'lostEvidence';
  return after > before ? 'improved' : 'regressed';
}

function changeOf(from: RequirementStatus, to: RequirementStatus): ComplianceChange {
  const name = to.thresholds?.primaryMetric;
  return {
    key: to.key,
    from: { status: from.status, evaluation: from.evaluation },
    to: { status: to.status, evaluation: to.evaluation },
    metric:
      name === undefined ? null : { name, before: from.metricsJson[name] ?? null, after: to.metricsJson[name] ?? null },
  };
}
