import type { ReportCell, ReportContent, ReportLanguage, RequirementStatus } from '@tenantscope/contract';
import { formatCell } from '@tenantscope/report';
import { requirementCatalogue } from '../../catalogue/requirement.ts';
import { type ColumnPlan, table } from '../content.ts';
import type { LocalizedText, Translate } from '../language.ts';
import { formatRecorder } from '../recorder.ts';
import type { RenderContext } from '../report-writer.ts';
import { isExempt, translateTitle } from '../requirement-cells.ts';

const columns: readonly ColumnPlan[] = [
  ['duty', ['Duty', 'Obowiązek'], 'text'],
  ['verdict', ['Verdict', 'Ocena'], 'status'],
  ['by', ['Attested by', 'Poświadcza'], 'text'],
  ['on', ['On', 'Dnia'], 'date'],
  ['until', ['Valid until', 'Ważne do'], 'date'],
  ['recorded', ['Recorded by', 'Wpisał(a)'], 'text'],
  ['evidence', ['Evidence', 'Dowody'], 'text'],
  ['notes', ['Notes', 'Uwagi'], 'text'],
];

const attestedKeys = new Set(requirementCatalogue.filter(({ kind }) => kind === 'attested').map(({ key }) => key));

/**
 * Requirements that need an attestation, and their attestations. Unattested ones come first, then those that expire soonest.
 */
export function buildAttestationTable(
  { translate, lang }: Pick<RenderContext, 'translate' | 'lang'>,
  requirements: readonly RequirementStatus[],
): ReportContent {
  const duties = requirements
    .filter(({ key, attestation }) => attestedKeys.has(key) || attestation !== null)
    .toSorted((left, right) => (readEnd(left) < readEnd(right) ? -1 : readEnd(left) > readEnd(right) ? 1 : 0));
  return table(translate, columns, { rows: duties.map((duty) => toRow(translate, duty, lang)) });
}

function toRow(translate: Translate, duty: RequirementStatus, lang: ReportLanguage): ReportCell[] {
  const { attestation } = duty;
  if (attestation === null)
    return [
      translateTitle(translate, duty),
      duty.evaluation === 'not_applicable' ? 'not_applicable' : 'unattested',
      ...columns.slice(2).map(() => null),
    ];
  const { attestedBy, attestedAt, validUntil, recordedBy, evidenceRefs } = attestation;
  return [
    translateTitle(translate, duty),
    isExempt(duty) ? 'not_applicable' : readVerdict(attestation, duty.evaluatedAt),
    attestedBy,
    attestedAt,
    validUntil,
    formatRecorder(translate, recordedBy),
    evidenceRefs.map(formatReference).join('; ') || null,
    [attestation.justification, ...listNotes(attestation, duty.evaluatedAt, lang).map(translate)]
      .filter((note) => note !== null && note !== '')
      .join(' ') || null,
  ];
}

type Attestation = NonNullable<RequirementStatus['attestation']>;

function readVerdict({ verdict, validUntil, withdrawnAt }: Attestation, evaluatedAt: string): string {
  if (withdrawnAt !== null && withdrawnAt <= evaluatedAt) return 'withdrawn';
  return validUntil !== null && validUntil <= evaluatedAt ? 'expired' : verdict;
}

/** The first digits of a digest are enough to tell two documents apart; the status has all of them. */
const digestDigits = 12;

function formatReference({ uri, sha256, title }: Attestation['evidenceRefs'][number]): string {
  const name = title !== null && uri !== null ? `${title} (${uri})` : (title ?? uri ?? '');
  return sha256 === null ? name : `${name}, SHA-256 ${sha256.slice(0, digestDigits)}…`;
}

function listNotes(attestation: Attestation, evaluatedAt: string, lang: ReportLanguage): LocalizedText[] {
  const { withdrawnAt, withdrawnBy, withdrawalReason, statedValidUntil, history } = attestation;
  const formatDay = (instant: string) => formatCell(instant, 'date', lang);
  const because = withdrawalReason === null ? '' : `: ${withdrawalReason}`;
  const [withdrawn, withdrawnPl] =
    withdrawnAt !== null && withdrawnAt > evaluatedAt
      ? ['Withdrawal planned', 'Planowane wycofanie']
      : ['Withdrawn', 'Wycofanie'];
  return [
    ...(withdrawnAt === null
      ? []
      : [
          [
            `${withdrawn} by ${withdrawnBy} on ${formatDay(withdrawnAt)}${because}.`,
            `${withdrawnPl}: ${withdrawnBy}, ${formatDay(withdrawnAt)}${because}.`,
          ] as const,
        ]),
    ...(statedValidUntil === null
      ? []
      : [
          [
            `Stated as valid until ${formatDay(statedValidUntil)}, which is longer than this requirement allows.`,
            `Podano ważność do ${formatDay(statedValidUntil)}, czyli dłuższą, niż dopuszcza to wymaganie.`,
          ] as const,
        ]),
    ...(history.length === 0
      ? []
      : [[`Earlier states: ${history.length}.`, `Wcześniejsze stany: ${history.length}.`] as const]),
  ];
}

const readEnd = ({ attestation }: RequirementStatus): string => (attestation ? (attestation.validUntil ?? '9999') : '');
