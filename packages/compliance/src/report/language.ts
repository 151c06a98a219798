import type { ReportLanguage } from '@tenantscope/contract';

/** A text in both languages. */
export type LocalizedText = readonly [en: string, pl: string];

/** Selects the text in the language of the report. */
export type Translate = (text: LocalizedText) => string;

export const createTranslate =
  (lang: ReportLanguage): Translate =>
  ([en, pl]) =>
    lang === 'pl' ? pl : en;
