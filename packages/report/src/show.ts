import type { Cell, Language } from './document.ts';
import { frame, locales, standings, units } from './words.ts';

/** A value as people read it. Text comes back as it is: escaping is the writer's. */
export function show(value: Cell, kind: string | null, lang: Language): string {
  if (value === null || value === '') return frame.unknown[lang];
  if (typeof value === 'boolean') return value ? frame.yes[lang] : frame.no[lang];
  if (typeof value === 'number') return showNumber(value, kind, lang);
  if (kind === 'date' || kind === 'instant') return showTime(value, kind, lang);
  if (kind === 'status') return standings[value]?.words[lang] ?? value;
  return value;
}

function showNumber(value: number, kind: string | null, lang: Language): string {
  const format = new Intl.NumberFormat(locales[lang], {
    maximumFractionDigits: 1,
    signDisplay: kind === 'points' ? 'exceptZero' : 'auto',
    // Polish leaves four digits together, which stand badly below five.
    useGrouping: 'always',
  });
  const unit = kind === null ? undefined : units[kind === 'days' && Math.abs(value) === 1 ? 'day' : kind];
  const text = format.format(value).replace('-', '−');
  return unit ? `${text}\u00a0${unit[lang]}` : text;
}

/** UTC always, and said so where hours are. What is no time stays as it is. */
export function showTime(text: string, kind: 'date' | 'instant', lang: Language): string {
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

/** Kinds whose values stand at the right, digit under digit. */
export const isNumeric = (kind: string): boolean =>
  ['count', 'bar', 'percent', 'minutes', 'hours', 'days', 'points'].includes(kind);
