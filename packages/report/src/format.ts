import type { Cell, Language } from './document.ts';
import { labels, locales, statusLabels, units } from './labels.ts';

/** Formats a value for display. Text is unchanged: the caller escapes it. */
export function formatCell(value: Cell, kind: string | null, lang: Language): string {
  if (value === null || value === '') return labels.unknown[lang];
  if (typeof value === 'boolean') return value ? labels.yes[lang] : labels.no[lang];
  if (typeof value === 'number') return formatNumber(value, kind, lang);
  if (kind === 'date' || kind === 'instant') return formatTime(value, kind, lang);
  if (kind === 'status') return statusLabels[value]?.text[lang] ?? value;
  return value;
}

function formatNumber(value: number, kind: string | null, lang: Language): string {
  const format = new Intl.NumberFormat(locales[lang], {
    maximumFractionDigits: 1,
    signDisplay: kind === 'points' ? 'exceptZero' : 'auto',
    // Polish does not group four digits by default, which misaligns them below five.
    useGrouping: 'always',
  });
  const unit = kind === null ? undefined : units[kind === 'days' && Math.abs(value) === 1 ? 'day' : kind];
  const text = format.format(value).replace('-', '−');
  return unit ? `${text}\u00a0${unit[lang]}` : text;
}

/** Always in UTC, named where hours are shown. An invalid time is unchanged. */
export function formatTime(text: string, kind: 'date' | 'instant', lang: Language): string {
  const at = new Date(text);
  if (Number.isNaN(at.getTime())) return text;
  const day = at.toLocaleDateString(locales[lang], {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    timeZone: 'UTC',
  });
  return kind === 'date' ? day : `${day}, ${at.toISOString().slice(11, 16)} UTC`;
}

/** Kinds whose values are right-aligned. */
export const isNumeric = (kind: string): boolean =>
  ['count', 'bar', 'percent', 'minutes', 'hours', 'days', 'points'].includes(kind);
