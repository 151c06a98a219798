import type { Language } from './document.ts';

/** One thing said in each language: there is none without the other. */
type Words = Readonly<Record<Language, string>>;

/** What the frame of a report says. */
export const frame = {
  period: { en: 'Period', pl: 'Okres' },
  to: { en: 'to', pl: 'do' },
  tenant: { en: 'Organisation', pl: 'Organizacja' },
  prepared: { en: 'Prepared', pl: 'Sporządzono' },
  preparedBy: { en: 'by', pl: 'przez' },
  limitations: { en: 'What this report cannot show', pl: 'Czego ten raport nie pokazuje' },
  integrity: { en: 'Identity of this document', pl: 'Tożsamość dokumentu' },
  reportId: { en: 'Report id', pl: 'Identyfikator raportu' },
  digest: { en: 'Digest', pl: 'Skrót dokumentu' },
  template: { en: 'Template', pl: 'Szablon' },
  version: { en: 'version', pl: 'wersja' },
  page: { en: 'Page', pl: 'Strona' },
  nothing: { en: 'None.', pl: 'Brak.' },
  noData: { en: 'No data in this period.', pl: 'Brak danych z tego okresu.' },
  truncated: { en: 'Only the first rows are shown.', pl: 'Pokazano tylko pierwsze wiersze.' },
  unknown: { en: '–', pl: '–' },
  yes: { en: 'yes', pl: 'tak' },
  no: { en: 'no', pl: 'nie' },
  when: { en: 'When', pl: 'Kiedy' },
  value: { en: 'Value', pl: 'Wartość' },
  newest: { en: 'latest', pl: 'ostatnio' },
  contents: { en: 'Contents', pl: 'Spis treści' },
} satisfies Readonly<Record<string, Words>>;

interface Standing {
  readonly words: Words;
  /** Shape and colour beside the word: none of the three stands alone. */
  readonly shape: '●' | '▲' | '■' | '○';
  readonly look: 'good' | 'middling' | 'bad' | 'open';
}

const standing = (shape: Standing['shape'], look: Standing['look'], en: string, pl: string): Standing => ({
  words: { en, pl },
  shape,
  look,
});

/** Statuses of requirements, of dimensions of readiness, and verdicts of people. */
export const standings: Readonly<Record<string, Standing>> = {
  met: standing('●', 'good', 'Met', 'Spełnione'),
  at_risk: standing('▲', 'middling', 'At risk', 'Zagrożone'),
  not_met: standing('■', 'bad', 'Not met', 'Niespełnione'),
  not_evaluated: standing('○', 'open', 'Not evaluated', 'Nieocenione'),
  not_applicable: standing('○', 'open', 'Not applicable', 'Nie dotyczy'),
  ready: standing('●', 'good', 'Ready', 'Gotowe'),
  attention: standing('▲', 'middling', 'Needs attention', 'Wymaga uwagi'),
  blocked: standing('■', 'bad', 'Blocks', 'Blokuje'),
  unknown: standing('○', 'open', 'Unknown', 'Nieznane'),
  compliant: standing('●', 'good', 'Compliant', 'Zgodne'),
  partial: standing('▲', 'middling', 'Partly compliant', 'Częściowo zgodne'),
  non_compliant: standing('■', 'bad', 'Not compliant', 'Niezgodne'),
  unattested: standing('■', 'bad', 'Not attested', 'Niepoświadczone'),
  expired: standing('■', 'bad', 'Expired', 'Wygasło'),
  complete: standing('●', 'good', 'Complete', 'Kompletne'),
  unproven: standing('▲', 'middling', 'Unproven', 'Niepotwierdzone'),
  gaps: standing('▲', 'middling', 'Gaps reported', 'Zgłoszono luki'),
  missing: standing('■', 'bad', 'Missing', 'Brak danych'),
  off: standing('○', 'open', 'Off', 'Wyłączone'),
  running: standing('▲', 'middling', 'Running', 'Biegnie'),
  passed: standing('○', 'open', 'Deadline passed', 'Termin minął'),
  not_started: standing('○', 'open', 'Not started', 'Nie rozpoczął się'),
};

/** Units behind a number. */
export const units: Readonly<Record<string, Words>> = {
  percent: { en: '%', pl: '%' },
  minutes: { en: 'min', pl: 'min' },
  hours: { en: 'h', pl: 'godz.' },
  day: { en: 'd', pl: 'dzień' },
  days: { en: 'd', pl: 'dni' },
};

export const locales: Readonly<Record<Language, string>> = { en: 'en-GB', pl: 'pl-PL' };
