import type { ReportContent, RequirementStatus } from '@tenantscope/contract';
import { rowsMax, table } from '../content.ts';
import type { LocalizedText } from '../language.ts';
import { formatRecorder } from '../recorder.ts';
import type { RenderContext } from '../report-writer.ts';
import { formatMeasuredValue, translateTitle } from '../requirement-cells.ts';

/** Exceptions in force: what they cover, who approved them and when they end. Those that end soonest come first. */
export function buildExceptionTable(
  { translate, lang }: Pick<RenderContext, 'translate' | 'lang'>,
  requirements: readonly RequirementStatus[],
): ReportContent {
  const found = requirements.flatMap((requirement) =>
    (requirement.exceptions?.inForce ?? []).map((exception) => ({ requirement, exception })),
  );
  const isTruncated = requirements.some(({ exceptions: one }) => one !== null && one.inForceCount > one.inForce.length);
  return table(
    translate,
    [
      ['requirement', ['Requirement', 'Wymaganie'], 'text'],
      ['covered', ['Excepted', 'Objęte'], 'count'],
      ['value', ['Measured', 'Zmierzono'], 'text'],
      ['with', ['Status', 'Status'], 'status'],
      ['without', ['Status without exceptions', 'Status bez odstępstw'], 'status'],
      ['reason', ['Reason', 'Uzasadnienie'], 'text'],
      ['by', ['Approved by', 'Zatwierdził(a)'], 'text'],
      ['from', ['Valid from', 'Ważne od'], 'date'],
      ['until', ['Valid until', 'Ważne do'], 'date'],
      ['recorded', ['Recorded by', 'Wpisał(a)'], 'text'],
    ],
    {
      rows: found
        .toSorted((left, right) => (left.exception.validUntil < right.exception.validUntil ? -1 : 1))
        .map(({ requirement, exception }) => [
          translateTitle(translate, requirement),
          exception.count,
          formatMeasuredValue(requirement, lang),
          requirement.status,
          requirement.exceptions?.statusWithout ?? null,
          exception.reason,
          exception.approvedBy,
          exception.validFrom,
          exception.validUntil,
          formatRecorder(translate, exception.recordedBy),
        ]),
      truncated: isTruncated || found.length > rowsMax,
    },
  );
}

/** Says that statuses rest on exceptions. Empty where none is in force. */
export function listExceptionLimitations(requirements: readonly RequirementStatus[]): LocalizedText[] {
  const excepted = requirements.filter(({ exceptions }) => exceptions !== null && exceptions.count > 0);
  if (excepted.length === 0) return [];
  const changed = excepted.filter(({ status, exceptions }) => status !== exceptions?.statusWithout);
  const subjects = excepted.reduce((sum, { exceptions }) => sum + (exceptions?.count ?? 0), 0);
  return [
    [
      `Approved exceptions are in force. Requirements concerned: ${excepted.length}. Findings that they cover, failing or unknown: ${subjects}. Requirements that would have another status without them: ${changed.length}.`,
      `Zatwierdzone odstępstwa obowiązują dla ${formatRequirements(excepted.length)} i obejmują niezgodności lub pozycje o nieznanym stanie (łącznie: ${subjects}). Liczba wymagań, które bez odstępstw miałyby inny status: ${changed.length}.`,
    ],
  ];
}

/** In the genitive. */
const formatRequirements = (count: number): string => (count === 1 ? '1 wymagania' : `${count} wymagań`);
