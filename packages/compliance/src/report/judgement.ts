import type { ComplianceStatus, FrameworkStatus, ReportLanguage, RequirementStatus } from '@tenantscope/contract';
import { show } from '@tenantscope/report';
import type { Say, Words } from './language.ts';

/** The value that a requirement is judged by, with its unit; null where a person attests or nothing was counted. */
export function measuredValue({ thresholds, metricsJson }: RequirementStatus, lang: ReportLanguage): string | null {
  const value = thresholds ? metricsJson[thresholds.primaryMetric] : null;
  return thresholds && value != null ? show(value, thresholds.unit, lang) : null;
}

/** From where on it is met. */
export function targetOf({ thresholds }: RequirementStatus, lang: ReportLanguage): string | null {
  if (thresholds === null || thresholds.met === null) return null;
  const { met, unit, direction } = thresholds;
  if (Array.isArray(met)) return met.map((bound) => show(bound, unit, lang)).join('–');
  return `${direction === 'lower' ? '≤' : '≥'}\u00a0${show(met, unit, lang)}`;
}

const reasons: Readonly<Record<string, Words>> = {
  threshold: ['The measured value misses the target', 'Zmierzona wartość nie osiąga celu'],
  empty_population: ['There is nothing to measure', 'Nie ma czego mierzyć'],
  source_missing: ['A source has never delivered', 'Źródło nigdy nie dostarczyło danych'],
  source_stale: ['A source has stopped delivering', 'Źródło przestało dostarczać dane'],
  not_in_scope: ['Declared out of scope', 'Wyłączone z zakresu'],
  attestation_missing: ['Nobody has attested it', 'Nikt tego nie poświadczył'],
  attestation_expired: ['The attestation has expired', 'Poświadczenie wygasło'],
};

/** Why a requirement stands as it does, in a sentence. */
export function reasonOf({ reason, attestation }: RequirementStatus, say: Say): string | null {
  if (reason === null)
    return attestation ? say(['The verdict of the person who attests', 'Ocena osoby poświadczającej']) : null;
  if (reason.startsWith('guard:'))
    return say(['A safeguard beside the target is not kept', 'Niespełniony warunek dodatkowy obok celu']);
  const words = reasons[reason];
  return words ? say(words) : reason;
}

export const titleOf = (say: Say, { title, titlePl }: Pick<RequirementStatus, 'title' | 'titlePl'>): string =>
  say([title, titlePl]);

const worstFirst = ['not_met', 'at_risk', 'not_evaluated', 'met'];

/** The worst first; of these those that more articles ask for. */
export function byUrgency(left: RequirementStatus, right: RequirementStatus): number {
  const standing = worstFirst.indexOf(left.status) - worstFirst.indexOf(right.status);
  return standing || right.articles.length - left.articles.length || (left.key < right.key ? -1 : 1);
}

/** Requirements that articles of these frameworks ask for, each once. */
export function requirementsIn(status: ComplianceStatus, frameworks: readonly FrameworkStatus[]): RequirementStatus[] {
  const keys = new Set(frameworks.map(({ key }) => key));
  return status.requirements.filter(({ articles }) => articles.some(({ framework }) => keys.has(framework)));
}

/** The articles of a requirement as people cite them. */
export const citationsOf = ({ articles }: RequirementStatus, framework: string): string =>
  articles
    .filter((article) => article.framework === framework)
    .map(({ ref }) => ref)
    .join('; ');

export function requirementNamed(status: ComplianceStatus, key: string): RequirementStatus | null {
  return status.requirements.find((requirement) => requirement.key === key) ?? null;
}

/** A metric of a requirement; null where nothing can be said, also because its sources are missing. */
export function metricOf(status: ComplianceStatus, key: string, metric: string): number | null {
  const requirement = requirementNamed(status, key);
  if (requirement === null || requirement.evaluation === 'no_data') return null;
  return requirement.metricsJson[metric] ?? null;
}

export const statusOf = (status: ComplianceStatus, key: string): string | null =>
  requirementNamed(status, key)?.status ?? null;

/** A standing as it is printed: what does not apply is neither met nor missing. */
export const standing = ({ status, evaluation }: { readonly status: string; readonly evaluation: string }): string =>
  evaluation === 'not_applicable' ? 'not_applicable' : status;
