import type { ComplianceStatus, FrameworkStatus, ReportLanguage, RequirementStatus } from '@tenantscope/contract';
import { formatCell } from '@tenantscope/report';
import { isMetWithExceptions } from '../catalogue/article-weight.ts';
import { renewalDays } from '../evaluation/attestation.ts';
import { isArticleMetWithExceptions } from '../status/framework-status.ts';
import { formatReference } from './article-reference.ts';
import { createTranslate, type LocalizedText, type Translate } from './language.ts';

/** The primary metric of a requirement with its unit, with and without exceptions; null for attested requirements and unknown metrics. */
export function formatMeasuredValue(
  { thresholds, metricsJson, exceptions }: RequirementStatus,
  lang: ReportLanguage,
): string | null {
  const value = thresholds ? metricsJson[thresholds.primaryMetric] : null;
  if (thresholds === null || value == null) return null;
  const measured = formatCell(value, thresholds.unit, lang);
  if (exceptions === null || exceptions.count === 0) return measured;
  const withExceptions = formatCell(exceptions.value, thresholds.unit, lang);
  return `${measured} (${createTranslate(lang)(['with exceptions', 'z odstępstwami'])}: ${withExceptions})`;
}

/** The threshold for met. */
export function formatTarget({ thresholds }: RequirementStatus, lang: ReportLanguage): string | null {
  if (thresholds === null || thresholds.met === null) return null;
  const { met, unit, direction } = thresholds;
  if (Array.isArray(met)) return met.map((bound) => formatCell(bound, unit, lang)).join('–');
  return `${direction === 'lower' ? '≤' : '≥'}\u00a0${formatCell(met, unit, lang)}`;
}

const reasons: Readonly<Record<string, LocalizedText>> = {
  threshold: ['The measured value misses the target', 'Zmierzona wartość nie osiąga celu'],
  empty_population: ['There is nothing to measure', 'Brak elementów do oceny'],
  source_missing: ['A source has not delivered the data needed', 'Źródło nie dostarczyło potrzebnych danych'],
  source_disabled: ['A source is turned off', 'Źródło jest wyłączone'],
  source_stale: ['A source has stopped delivering data', 'Źródło przestało dostarczać dane'],
  excepted: ['Reaches the target only with approved exceptions', 'Osiąga cel tylko dzięki zatwierdzonym odstępstwom'],
  unknown: ['The state of too many subjects is unknown', 'Stan zbyt wielu obiektów jest nieznany'],
  source_gap: ['A source reports a gap in the period', 'Źródło zgłosiło lukę w tym okresie'],
  not_in_scope: ['Declared out of scope', 'Wyłączone z zakresu'],
  attestation_missing: ['Not attested', 'Brak poświadczenia'],
  no_snapshot: ['No snapshot was taken by then', 'Do tego czasu nie wykonano migawki'],
  attestation_withdrawn: ['The attestation was withdrawn', 'Poświadczenie wycofano'],
  attestation_expired: ['The attestation has expired', 'Poświadczenie wygasło'],
};

const verdicts: Readonly<Record<string, LocalizedText>> = {
  compliant: ['Attested as compliant', 'Poświadczono zgodność'],
  partial: ['Attested as partly compliant', 'Poświadczono częściową zgodność'],
  non_compliant: ['Attested as not compliant', 'Poświadczono niezgodność'],
};

/** A compliant verdict is at risk for no other reason than the end of its validity. */
function explainVerdict({ status, attestation }: RequirementStatus, translate: Translate): string | null {
  const verdict = attestation?.verdict;
  if (verdict === 'compliant' && status === 'at_risk')
    return translate([
      `The attestation ends within ${renewalDays} days`,
      `Poświadczenie traci moc w ciągu ${renewalDays} dni`,
    ]);
  const text = verdict && verdicts[verdict];
  return text ? translate(text) : null;
}

/** The reason of a requirement's status, as a sentence. */
export function explainReason(requirement: RequirementStatus, translate: Translate): string | null {
  const { reason, evaluation } = requirement;
  if (reason === null) return evaluation === 'attested' ? explainVerdict(requirement, translate) : null;
  if (reason.startsWith('guard:'))
    return translate(['An additional condition is not met', 'Nie spełniono warunku dodatkowego']);
  const reasonText = reasons[reason];
  return reasonText ? translate(reasonText) : reason;
}

/** Whether a requirement does not apply, and not because an attestation says so: its attestation has no effect. */
export const isExempt = ({ evaluation, attestation }: Pick<RequirementStatus, 'evaluation' | 'attestation'>): boolean =>
  evaluation === 'not_applicable' && attestation?.verdict !== 'not_applicable';

export const translateTitle = (
  translate: Translate,
  { title, titlePl }: Pick<RequirementStatus, 'title' | 'titlePl'>,
): string => translate([title, titlePl]);

const worstFirst = ['not_met', 'at_risk', 'not_evaluated', 'met'];

/** The worst status first, then by the number of articles. */
export function compareUrgency(left: RequirementStatus, right: RequirementStatus): number {
  const rank = worstFirst.indexOf(left.status) - worstFirst.indexOf(right.status);
  return rank || right.articles.length - left.articles.length || (left.key < right.key ? -1 : 1);
}

/** Requirements of these frameworks' articles, each once. */
export function listRequirements(
  status: ComplianceStatus,
  frameworks: readonly FrameworkStatus[],
): RequirementStatus[] {
  const keys = new Set(frameworks.map(({ key }) => key));
  return status.requirements.filter(({ articles }) => articles.some(({ framework }) => keys.has(framework)));
}

/** The citations of a requirement's articles. */
export const formatCitations = ({ articles }: RequirementStatus, framework: string, lang: ReportLanguage): string =>
  articles
    .filter((article) => article.framework === framework)
    .map(({ ref }) => formatReference(ref, lang))
    .join('; ');

export function findRequirement(status: ComplianceStatus, key: string): RequirementStatus | null {
  return status.requirements.find((requirement) => requirement.key === key) ?? null;
}

/** A metric of a requirement; null where it is unknown, also because its sources are missing. */
export function readMetric(status: ComplianceStatus, key: string, metric: string): number | null {
  const requirement = findRequirement(status, key);
  if (requirement === null || requirement.evaluation === 'no_data') return null;
  return requirement.metricsJson[metric] ?? null;
}

export const readRequirementStatus = (status: ComplianceStatus, key: string): string | null =>
  findRequirement(status, key)?.status ?? null;

/** The displayed status: a requirement that does not apply is neither met nor missing. */
export const toDisplayStatus = ({
  status,
  evaluation,
  reason = null,
}: {
  readonly status: string;
  readonly evaluation: string;
  readonly reason?: string | null;
}): string => {
  if (evaluation === 'not_applicable') return 'not_applicable';
  return isMetWithExceptions({ status, reason }) ? 'met_with_exceptions' : status;
};

/** The displayed status of an article: one that rests on indicators alone is never displayed as met. */
export function toArticleStatus(control: FrameworkStatus['controls'][number]): string {
  const shown = toDisplayStatus(control);
  if (isArticleMetWithExceptions(control)) return 'met_with_exceptions';
  if (shown !== 'met' || control.coverage === 'main') return shown;
  return control.coverage === null ? 'nothing_to_measure' : 'indicators_met';
}
