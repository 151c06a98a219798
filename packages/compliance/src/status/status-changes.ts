import type { ComplianceChange, ComplianceChanges, ComplianceStatus, RequirementStatus } from '@tenantscope/contract';

/** The snapshot with which a status is compared. */
export interface Baseline {
  readonly snapshotId: string;
  readonly takenAt: string;
  readonly trigger: string;
  readonly catalogueVersion: string;
  /** Null where its format is no longer supported. */
  readonly status: ComplianceStatus | null;
}

/** The parts of a status document that are compared. */
export type ComparedStatus = Pick<
  ComplianceStatus,
  'catalogueVersion' | 'evaluatorVersion' | 'requirements' | 'frameworks'
>;

/**
 * Per framework, how requirements changed since the latest snapshot. A value that changes without changing the status is not
 * a change.
 */
export function compareStatus(baseline: Baseline | null, now: ComparedStatus): ComplianceChanges[] {
  return now.frameworks.map((framework) =>
    baseline?.status
      ? compareFramework(framework, baseline, baseline.status, now)
      : buildEmptyChanges(framework, baseline),
  );
}

function buildEmptyChanges(framework: Framework, baseline: Baseline | null): ComplianceChanges {
  return {
    framework: framework.key,
    baseline: baseline && describeBaseline(baseline),
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

function describeBaseline({ snapshotId, takenAt, trigger, catalogueVersion }: Baseline): ComplianceChanges['baseline'] {
  return { snapshotId, takenAt, trigger, catalogueVersion };
}

type Framework = ComparedStatus['frameworks'][number];

function compareFramework(
  framework: Framework,
  baseline: Baseline,
  status: ComplianceStatus,
  now: ComparedStatus,
): ComplianceChanges {
  const earlier = status.frameworks.find(({ key }) => key === framework.key);
  const before = listCited(framework.key, status);
  const after = listCited(framework.key, now);
  const compared = [...after].flatMap(([key, to]) => {
    const from = before.get(key);
    return from ? [{ kind: classifyChange(from.status, to.status), change: buildChange(from, to) }] : [];
  });
  const listChanges = (kind: Kind) => compared.filter((one) => one.kind === kind).map(({ change }) => change);
  const percentBefore = earlier?.readinessPercent ?? null;
  const percentNow = framework.readinessPercent;
  const selectionChanged = (earlier?.selected ?? false) !== framework.selected;
  return {
    framework: framework.key,
    baseline: describeBaseline(baseline),
    readinessPercentBefore: percentBefore,
    readinessPercentNow: percentNow,
    delta: percentBefore === null || percentNow === null ? null : percentNow - percentBefore,
    comparable:
      baseline.catalogueVersion === now.catalogueVersion &&
      status.evaluatorVersion === now.evaluatorVersion &&
      !selectionChanged &&
      haveSameArticles(earlier, framework),
    improved: listChanges('improved'),
    regressed: listChanges('regressed'),
    evaluatedNow: listChanges('evaluatedNow'),
    lostEvidence: listChanges('lostEvidence'),
    added: [...after.keys()].filter((key) => !before.has(key)).map((key) => ({ key })),
    removed: [...before.keys()].filter((key) => !after.has(key)).map((key) => ({ key })),
    selectionChanged,
  };
}

function listCited(
  framework: string,
  { requirements }: Pick<ComparedStatus, 'requirements'>,
): Map<string, RequirementStatus> {
  const cited = requirements.filter(({ articles }) => articles.some((article) => article.framework === framework));
  return new Map(cited.map((requirement) => [requirement.key, requirement]));
}

function haveSameArticles(earlier: Framework | undefined, now: Framework): boolean {
  const ids = (framework: Framework | undefined) => framework?.controls.map(({ id }) => id).toSorted() ?? [];
  return JSON.stringify(ids(earlier)) === JSON.stringify(ids(now));
}

type Kind = 'improved' | 'regressed' | 'evaluatedNow' | 'lostEvidence' | 'none';

const upward = ['not_met', 'at_risk', 'met'];

function classifyChange(from: string, to: string): Kind {
  const [before, after] = [upward.indexOf(from), upward.indexOf(to)];
  if (before === after) return 'none';
  if (before === -1) return 'evaluatedNow';
  if (after === -1) return 'lostEvidence';
  return after > before ? 'improved' : 'regressed';
}

function buildChange(from: RequirementStatus, to: RequirementStatus): ComplianceChange {
  const name = to.thresholds?.primaryMetric;
  return {
    key: to.key,
    from: { status: from.status, evaluation: from.evaluation },
    to: { status: to.status, evaluation: to.evaluation },
    metric:
      name === undefined ? null : { name, before: from.metricsJson[name] ?? null, after: to.metricsJson[name] ?? null },
  };
}
