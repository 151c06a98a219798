import type { ReportLanguage } from '@tenantscope/contract';

/** One thing said in both languages: there is none without the other. */
export type Words = readonly [en: string, pl: string];

/** Says a thing in the language of the report. */
export type Say = (words: Words) => string;

export const speaker =
  (lang: ReportLanguage): Say =>
  ([en, pl]) =>
    lang === 'pl' ? pl : en;
