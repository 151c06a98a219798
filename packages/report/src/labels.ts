import type { Language } from './document.ts';

/** A text in each language. */
type LocalizedText = Readonly<Record<Language, string>>;

/** The labels of a report's frame. */
export const labels = {
  period: { en: 'Period', pl: 'Okres' },
  tenant: { en: 'Organisation', pl: 'Organizacja' },
  prepared: { en: 'Prepared', pl: 'Sporządzono' },
  preparedBy: { en: 'by', pl: 'przez' },
  catalogue: { en: 'Catalogue of requirements', pl: 'Katalog wymagań' },
  evaluation: { en: 'evaluation rules', pl: 'reguły oceny' },
  key: { en: 'key', pl: 'klucz' },
  limitations: { en: 'What this report cannot show', pl: 'Czego ten raport nie pokazuje' },
  reportId: { en: 'Report id', pl: 'Identyfikator raportu' },
  digest: { en: 'Digest', pl: 'Skrót dokumentu' },
  template: { en: 'Template', pl: 'Szablon' },
  version: { en: 'version', pl: 'wersja' },
  page: { en: 'Page', pl: 'Strona' },
  empty: { en: 'None.', pl: 'Brak.' },
  noData: { en: 'No data in this period.', pl: 'Brak danych z tego okresu.' },
  truncated: { en: 'Only the first rows are shown.', pl: 'Pokazano tylko pierwsze wiersze.' },
  unknown: { en: '–', pl: '–' },
  yes: { en: 'yes', pl: 'tak' },
  no: { en: 'no', pl: 'nie' },
  when: { en: 'When', pl: 'Kiedy' },
  value: { en: 'Value', pl: 'Wartość' },
} satisfies Readonly<Record<string, LocalizedText>>;

interface StatusLabel {
  readonly text: LocalizedText;
  /** Shape and colour in addition to the text, so that the meaning never depends on one of the three. */
  readonly shape: '●' | '◇' | '▲' | '■' | '○';
  readonly look: 'good' | 'warning' | 'bad' | 'open';
}

const statusLabel = (shape: StatusLabel['shape'], look: StatusLabel['look'], en: string, pl: string): StatusLabel => ({
  text: { en, pl },
  shape,
  look,
});

/** Statuses of requirements and readiness dimensions, and verdicts of attestations. */
export const statusLabels: Readonly<Record<string, StatusLabel>> = {
  met: statusLabel('●', 'good', 'Met', 'Spełnione'),
  /** A requirement or an article that is met only because subjects are excepted: not the shape and colour of met. */
  met_with_exceptions: statusLabel('◇', 'warning', 'Met with exceptions', 'Spełnione z odstępstwami'),
  /** An article without a main requirement: neither the colour nor the shape of met. */
  indicators_met: statusLabel('◇', 'open', 'Indicators in order', 'Wskaźniki w normie'),
  /** An article about which nothing happened that could be measured. */
  nothing_to_measure: statusLabel('○', 'open', 'Nothing to measure', 'Brak zdarzeń do oceny'),
  at_risk: statusLabel('▲', 'warning', 'At risk', 'Zagrożone'),
  not_met: statusLabel('■', 'bad', 'Not met', 'Niespełnione'),
  not_evaluated: statusLabel('○', 'open', 'Not evaluated', 'Nieocenione'),
  not_applicable: statusLabel('○', 'open', 'Not applicable', 'Nie dotyczy'),
  ready: statusLabel('●', 'good', 'Ready', 'Gotowe'),
  attention: statusLabel('▲', 'warning', 'Needs attention', 'Wymaga uwagi'),
  blocked: statusLabel('■', 'bad', 'Blocks', 'Blokuje'),
  unknown: statusLabel('○', 'open', 'Unknown', 'Nieznane'),
  compliant: statusLabel('●', 'good', 'Compliant', 'Zgodne'),
  partial: statusLabel('▲', 'warning', 'Partly compliant', 'Częściowo zgodne'),
  non_compliant: statusLabel('■', 'bad', 'Not compliant', 'Niezgodne'),
  unattested: statusLabel('■', 'bad', 'Not attested', 'Niepoświadczone'),
  expired: statusLabel('■', 'bad', 'Expired', 'Wygasło'),
  withdrawn: statusLabel('■', 'bad', 'Withdrawn', 'Wycofane'),
  complete: statusLabel('●', 'good', 'Complete', 'Kompletne'),
  unproven: statusLabel('▲', 'warning', 'Unproven', 'Niepotwierdzone'),
  stale: statusLabel('■', 'bad', 'Out of date', 'Nieaktualne'),
  gaps: statusLabel('▲', 'warning', 'Gaps reported', 'Zgłoszono luki'),
  missing: statusLabel('■', 'bad', 'Missing', 'Brak danych'),
  off: statusLabel('○', 'open', 'Off', 'Wyłączone'),
  running: statusLabel('▲', 'warning', 'Running', 'W toku'),
  passed: statusLabel('○', 'open', 'Deadline passed', 'Termin minął'),
  not_started: statusLabel('○', 'open', 'Not started', 'Nie rozpoczął się'),
};

/** Units after a number. */
export const units: Readonly<Record<string, LocalizedText>> = {
  percent: { en: '%', pl: '%' },
  minutes: { en: 'min', pl: 'min' },
  hours: { en: 'h', pl: 'godz.' },
  day: { en: 'd', pl: 'dzień' },
  days: { en: 'd', pl: 'dni' },
};

export const locales: Readonly<Record<Language, string>> = { en: 'en-GB', pl: 'pl-PL' };
