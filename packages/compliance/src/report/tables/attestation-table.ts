import type { ReportCell, ReportContent, RequirementStatus } from '@tenantscope/contract';
import { requirementCatalogue } from '../../catalogue/requirement.ts';
import { type ColumnPlan, table } from '../content.ts';
import type { Translate } from '../language.ts';
import { translateTitle } from '../requirement-cells.ts';

const columns: readonly ColumnPlan[] = [
  ['duty', ['Duty', 'Obowiązek'], 'text'],
  ['verdict', ['Verdict', 'Ocena'], 'status'],
  ['by', ['Attested by', 'Poświadcza'], 'text'],
  ['on', ['On', 'Dnia'], 'date'],
  ['until', ['Valid until', 'Ważne do'], 'date'],
];

const attestedKeys = new Set(requirementCatalogue.filter(({ kind }) => kind === 'attested').map(({ key }) => key));

/**
 * Requirements that need an attestation, and their attestations. Unattested ones come first, then those that expire soonest.
 */
export function buildAttestationTable(translate: Translate, requirements: readonly RequirementStatus[]): ReportContent {
  const duties = requirements
    .filter(({ key, attestation }) => attestedKeys.has(key) || attestation !== null)
    .toSorted((left, right) => (readEnd(left) < readEnd(right) ? -1 : readEnd(left) > readEnd(right) ? 1 : 0));
  return table(translate, columns, { rows: duties.map((duty) => toRow(translate, duty)) });
}

function toRow(translate: Translate, duty: RequirementStatus): ReportCell[] {
  const { attestation } = duty;
  if (attestation === null)
    return [
      translateTitle(translate, duty),
      duty.evaluation === 'not_applicable' ? 'not_applicable' : 'unattested',
      null,
      null,
      null,
    ];
  const { verdict, attestedBy, attestedAt, validUntil } = attestation;
  const hasEnded = validUntil !== null && validUntil <= duty.evaluatedAt;
  return [translateTitle(translate, duty), hasEnded ? 'expired' : verdict, attestedBy, attestedAt, validUntil];
}

const readEnd = ({ attestation }: RequirementStatus): string => (attestation ? (attestation.validUntil ?? '9999') : '');
