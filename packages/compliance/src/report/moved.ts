import type {
  ComplianceChange,
  ComplianceChanges,
  ComplianceStatus,
  ReportCell,
  RequirementStatus,
} from '@tenantscope/contract';
import { requirementCatalogue } from '../catalogue/requirement.ts';
import { table } from './content.ts';
import { citationsOf, measuredValue, requirementNamed, targetOf, titleOf } from './judgement.ts';
import type { Words } from './language.ts';
import type { Page } from './writer.ts';

/** A board reads the gravest; the status has them all. */
const changesMax = 15;
const regressionsMax = 5;

/** A requirement that stands otherwise than in the snapshot. */
export interface Moved {
  readonly kind: 'improved' | 'regressed' | 'evaluatedNow' | 'lostEvidence';
  readonly change: ComplianceChange;
}

const kindsWorstFirst = ['regressed', 'lostEvidence', 'evaluatedNow', 'improved'] as const;

const kindWords: Readonly<Record<Moved['kind'], Words>> = {
  regressed: ['Worse', 'Gorzej'],
  lostEvidence: ['Evidence lost', 'Utracone dowody'],
  evaluatedNow: ['Evaluated now', 'Ocenione po raz pierwszy'],
  improved: ['Better', 'Lepiej'],
};

/** A requirement moves once, however many frameworks ask for it. */
export function movedOnce(changes: readonly ComplianceChanges[]): Moved[] {
  const seen = new Set<string>();
  const moved = kindsWorstFirst.flatMap((kind) =>
    changes.flatMap((one) => one[kind]).map((change): Moved => ({ kind, change })),
  );
  return moved.filter(({ change }) => !seen.has(change.key) && seen.add(change.key));
}

export function changesTable({ say }: Page, moved: readonly Moved[], status: ComplianceStatus) {
  return table(
    say,
    [
      ['requirement', ['Requirement', 'Wymaganie'], 'text'],
      ['change', ['Change', 'Zmiana'], 'text'],
      ['was', ['In the snapshot', 'W migawce'], 'status'],
      ['is', ['Now', 'Teraz'], 'status'],
    ],
    {
      rows: moved.slice(0, changesMax).flatMap(({ kind, change }): ReportCell[][] => {
        const requirement = requirementNamed(status, change.key);
        return requirement
          ? [[titleOf(say, requirement), say(kindWords[kind]), change.from.status, change.to.status]]
          : [];
      }),
      truncated: moved.length > changesMax,
    },
  );
}

const weights = new Map(requirementCatalogue.map(({ key, weight }) => [key, weight]));

/** What fell deepest, of these what weighs most, of these what most articles ask for. */
export function regressionsTable(
  { say, lang }: Page,
  moved: readonly Moved[],
  status: ComplianceStatus,
  frameworks: string[],
) {
  const fallen = moved
    .filter(({ kind }) => kind === 'regressed')
    .flatMap(({ change }) => {
      const requirement = requirementNamed(status, change.key);
      return requirement ? [requirement] : [];
    })
    .toSorted((left, right) => gravityOf(right) - gravityOf(left) || (left.key < right.key ? -1 : 1));
  return table(
    say,
    [
      ['requirement', ['Requirement', 'Wymaganie'], 'text'],
      ['status', ['Now', 'Teraz'], 'status'],
      ['value', ['Measured', 'Zmierzono'], 'text'],
      ['target', ['Target', 'Cel'], 'text'],
      ['articles', ['Asked for by', 'Wymagają tego'], 'text'],
    ],
    {
      rows: fallen
        .slice(0, regressionsMax)
        .map((one) => [
          titleOf(say, one),
          one.status,
          measuredValue(one, lang),
          targetOf(one, lang),
          citedBy(one, frameworks, status, say),
        ]),
    },
  );
}

const gravityOf = ({ status, key, articles }: RequirementStatus): number =>
  (status === 'not_met' ? 10_000 : 0) + 1_000 * (weights.get(key) ?? 0) + articles.length;

function citedBy(one: RequirementStatus, frameworks: readonly string[], status: ComplianceStatus, say: Page['say']) {
  const named = status.frameworks.filter(({ key }) => frameworks.includes(key) && citationsOf(one, key) !== '');
  return named.map(({ name, namePl }) => say([name, namePl])).join(', ') || null;
}
