import type {
  ComplianceChange,
  ComplianceChanges,
  ComplianceStatus,
  ReportCell,
  RequirementStatus,
} from '@tenantscope/contract';
import { requirementCatalogue } from '../../catalogue/requirement.ts';
import { table } from '../content.ts';
import type { LocalizedText } from '../language.ts';
import type { RenderContext } from '../report-writer.ts';
import {
  findRequirement,
  formatMeasuredValue,
  formatTarget,
  toDisplayStatus,
  translateTitle,
} from '../requirement-cells.ts';

/** The most severe ones; the status document has all of them. */
const changesMax = 15;
const regressionsMax = 5;

/** A requirement whose status differs from the snapshot. */
export interface RequirementChange {
  readonly kind: 'improved' | 'regressed' | 'evaluatedNow' | 'lostEvidence';
  readonly change: ComplianceChange;
}

const kindsWorstFirst = ['regressed', 'lostEvidence', 'evaluatedNow', 'improved'] as const;

const kindLabels: Readonly<Record<RequirementChange['kind'], LocalizedText>> = {
  regressed: ['Worse', 'Gorzej'],
  lostEvidence: ['Evidence lost', 'Utracone dowody'],
  evaluatedNow: ['Evaluated now', 'Teraz ocenione'],
  improved: ['Better', 'Lepiej'],
};

/** Lists each requirement once, even if several frameworks contain it. */
export function deduplicateChanges(changes: readonly ComplianceChanges[]): RequirementChange[] {
  const seen = new Set<string>();
  const changed = kindsWorstFirst.flatMap((kind) =>
    changes.flatMap((one) => one[kind]).map((change): RequirementChange => ({ kind, change })),
  );
  return changed.filter(({ change }) => !seen.has(change.key) && seen.add(change.key));
}

/** A requirement that does not apply any more needs no evidence. */
const describeChange = (kind: RequirementChange['kind'], { to }: ComplianceChange): LocalizedText =>
  kind === 'lostEvidence' && to.evaluation === 'not_applicable'
    ? ['No longer applicable', 'Już nie dotyczy']
    : kindLabels[kind];

export function buildChangesTable(
  { translate }: RenderContext,
  changed: readonly RequirementChange[],
  status: ComplianceStatus,
) {
  return table(
    translate,
    [
      ['requirement', ['Requirement', 'Wymaganie'], 'text'],
      ['change', ['Change', 'Zmiana'], 'text'],
      ['was', ['In the snapshot', 'W migawce'], 'status'],
      ['is', ['Now', 'Teraz'], 'status'],
    ],
    {
      rows: changed.slice(0, changesMax).flatMap(({ kind, change }): ReportCell[][] => {
        const requirement = findRequirement(status, change.key);
        return requirement
          ? [
              [
                translateTitle(translate, requirement),
                translate(describeChange(kind, change)),
                toDisplayStatus(change.from),
                toDisplayStatus(requirement),
              ],
            ]
          : [];
      }),
      truncated: changed.length > changesMax,
    },
  );
}

const weights = new Map(requirementCatalogue.map(({ key, weight }) => [key, weight]));

/** Regressions: the worst status first, then the highest weight, then the most articles. */
export function buildRegressionsTable(
  { translate, lang }: RenderContext,
  changed: readonly RequirementChange[],
  status: ComplianceStatus,
  frameworks: string[],
) {
  const regressed = changed
    .filter(({ kind }) => kind === 'regressed')
    .flatMap(({ change }) => {
      const requirement = findRequirement(status, change.key);
      return requirement ? [requirement] : [];
    })
    .toSorted((left, right) => rankGravity(right) - rankGravity(left) || (left.key < right.key ? -1 : 1));
  return table(
    translate,
    [
      ['requirement', ['Requirement', 'Wymaganie'], 'text'],
      ['status', ['Now', 'Teraz'], 'status'],
      ['value', ['Measured', 'Zmierzono'], 'text'],
      ['target', ['Target', 'Cel'], 'text'],
      ['articles', ['Required by', 'Wymagane przez'], 'text'],
    ],
    {
      rows: regressed
        .slice(0, regressionsMax)
        .map((one) => [
          translateTitle(translate, one),
          one.status,
          formatMeasuredValue(one, lang),
          formatTarget(one, lang),
          formatCitingFrameworks(one, frameworks, status, translate),
        ]),
    },
  );
}

const rankGravity = ({ status, key, articles }: RequirementStatus): number =>
  (status === 'not_met' ? 10_000 : 0) + 1_000 * (weights.get(key) ?? 0) + articles.length;

function formatCitingFrameworks(
  one: RequirementStatus,
  frameworks: readonly string[],
  status: ComplianceStatus,
  translate: RenderContext['translate'],
) {
  const named = status.frameworks.filter(
    ({ key }) => frameworks.includes(key) && one.articles.some(({ framework }) => framework === key),
  );
  return named.map(({ name, namePl }) => translate([name, namePl])).join(', ') || null;
}
