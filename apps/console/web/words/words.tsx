import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from 'react';
import type { Words } from './en.ts';

/** Each by its own name. */
export const languages = { en: 'English', pl: 'Polski' } as const;
export type Language = keyof typeof languages;

// A page loads the language it is in, and another one when it is asked for.
const wordsOf: Readonly<Record<Language, () => Promise<Words>>> = {
  en: () => import('./en.ts').then(({ en }) => en),
  pl: () => import('./pl.ts').then(({ pl }) => pl as Words),
};

interface Speech {
  readonly language: Language;
  readonly words: Words;
}

const Spoken = createContext<(Speech & { readonly speak: (language: Language) => void }) | null>(null);
const place = 'language';

function preferred(): Language {
  const kept = localStorage.getItem(place);
  if (kept === 'en' || kept === 'pl') return kept;
  return navigator.language.startsWith('pl') ? 'pl' : 'en';
}

const known = new Map<Language, Words>();
async function learn(language: Language): Promise<Speech> {
  const words = await wordsOf[language]();
  known.set(language, words);
  return { language, words };
}
const first = learn(preferred());

export function Language({ children }: { children: ReactNode }) {
  const [speech, setSpeech] = useState<Speech | null>(null);
  useEffect(() => void first.then(setSpeech), []);
  const spoken = useMemo(() => {
    if (speech === null) return null;
    document.documentElement.lang = speech.language;
    // A language that cannot be had leaves the page in its own.
    const speak = (next: Language) =>
      void learn(next).then(
        (learned) => {
          localStorage.setItem(place, next);
          setSpeech(learned);
        },
        () => {},
      );
    return { ...speech, speak };
  }, [speech]);
  return spoken && <Spoken value={spoken}>{children}</Spoken>;
}

export function useWords(): Words {
  return useLanguage().words;
}

export function useLanguage() {
  const spoken = useContext(Spoken);
  if (!spoken) throw new TypeError('words are spoken inside <Language>');
  return spoken;
}

const dayMs = 86_400_000;

/** How long ago, in the largest unit that fits. */
export function ago(words: Words, time: string, nowMs = Date.now()): string {
  const seconds = Math.max(0, Math.round((nowMs - Date.parse(time)) / 1_000));
  if (seconds < 5) return words.ago.now;
  if (seconds < 90) return words.ago.seconds(seconds);
  if (seconds < 5_400) return words.ago.minutes(Math.round(seconds / 60));
  if (seconds < 129_600) return words.ago.hours(Math.round(seconds / 3_600));
  return words.ago.days(Math.round(seconds / 86_400));
}

export const inDays = (words: Words, time: string, nowMs = Date.now()): string =>
  words.ago.in(Math.max(0, Math.floor((Date.parse(time) - nowMs) / dayMs)));

/** As the data has it, in UTC: 2026-11-21 17:31:40. */
export const utc = (time: string): string => time.slice(0, 19).replace('T', ' ');
export const clock = (time: string): string => time.slice(11, 23);

/** How long, to a tenth of what it is counted in where that is few. */
export function span(language: Language, ms: number): string {
  const tenths = (value: number, unit: string) => {
    const format = new Intl.NumberFormat(language, { maximumFractionDigits: value < 10 ? 1 : 0 });
    return `${format.format(value)}\u00a0${unit}`;
  };
  if (ms >= 172_800_000) return tenths(ms / dayMs, 'd');
  if (ms >= 5_400_000) return tenths(ms / 3_600_000, 'h');
  if (ms >= 90_000) return tenths(ms / 60_000, 'min');
  if (ms < 50) return known.get(language)?.feeds.instant(tenths(0.1, 's')) ?? tenths(0.1, 's');
  return tenths(ms / 1_000, 's');
}

export const number = (language: Language, value: number): string => new Intl.NumberFormat(language).format(value);

/** Days before months, as the rest of the console has them. */
const locale = (language: Language): string => (language === 'en' ? 'en-GB' : language);

const units = ['byte', 'kilobyte', 'megabyte'] as const;

export function size(language: Language, bytes: number): string {
  const power = bytes < 1_000 ? 0 : bytes < 1_000_000 ? 1 : 2;
  const format = {
    style: 'unit',
    unit: units[power],
    unitDisplay: power === 0 ? 'long' : 'short',
    maximumFractionDigits: 1,
  } as const;
  return new Intl.NumberFormat(language, format).format(bytes / 1_000 ** power);
}

export const day = (language: Language, time: string): string =>
  new Intl.DateTimeFormat(locale(language), { dateStyle: 'medium', timeZone: 'UTC' }).format(new Date(time));

/** To the minute, with its zone: 21 Nov 2027, 23:59 UTC. */
export const moment = (language: Language, time: string): string =>
  `${new Intl.DateTimeFormat(locale(language), { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' }).format(new Date(time))} UTC`;
