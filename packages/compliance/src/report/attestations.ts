import type { ReportCell, ReportContent, RequirementStatus } from '@tenantscope/contract';
import { requirementCatalogue } from '../catalogue/requirement.ts';
import { type ColumnPlan, table } from './content.ts';
import { titleOf } from './judgement.ts';
import type { Say } from './language.ts';

const columns: readonly ColumnPlan[] = [
  ['duty', ['Duty', 'Obowiązek'], 'text'],
  ['verdict', ['Verdict', 'Ocena'], 'status'],
  ['by', ['Attested by', 'Poświadcza'], 'text'],
  ['on', ['On', 'Dnia'], 'date'],
  ['until', ['Valid until', 'Ważne do'], 'date'],
];

const attestedKeys = new Set(requirementCatalogue.filter(({ kind }) => kind === 'attested').map(({ key }) => key));

/** Duties that only a person can vouch for, and whether somebody does. Those without a word come first, then those that end soonest. */
export function attestationTable(say: Say, requirements: readonly RequirementStatus[]): ReportContent {
  const duties = requirements
    .filter(({ key, attestation }) => attestedKeys.has(key) || attestation !== null)
    .toSorted((left, right) => (endOf(left) < endOf(right) ? -1 : endOf(left) > endOf(right) ? 1 : 0));
  return table(say, columns, { rows: duties.map((duty) => rowOf(say, duty)) });
}

function rowOf(say: Say, duty: RequirementStatus): ReportCell[] {
  const { attestation } = duty;
  if (attestation === null)
    return [
      titleOf(say, duty),
      duty.evaluation === 'not_applicable' ? 'not_applicable' : 'unattested',
      null,
      null,
      null,
    ];
  const { verdict, attestedBy, attestedAt, validUntil } = attestation;
  const hasEnded = validUntil !== null && validUntil <= duty.evaluatedAt;
  return [titleOf(say, duty), hasEnded ? 'expired' : verdict, attestedBy, attestedAt, validUntil];
}

const endOf = ({ attestation }: RequirementStatus): string => (attestation ? (attestation.validUntil ?? '9999') : '');
