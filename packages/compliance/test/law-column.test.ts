import { expect, test } from 'vitest';
import { createTranslate } from '../src/report/language.ts';
import { planLawColumn } from '../src/report/tables/law-column.ts';

const [aiAct, kribsi] = [
  { key: 'eu_ai_act', name: 'EU AI Act', namePl: 'Akt w sprawie sztucznej inteligencji (AI Act)' },
  { key: 'kribsi', name: 'Polish Act on AI Systems (KRiBSI)', namePl: 'Ustawa o SI (ustawa o KRiBSI)' },
] as const;

test('a law has its full name in its first row and a short name in the others', () => {
  const read = (lang: 'en' | 'pl') => {
    const { cells } = planLawColumn([aiAct, kribsi], createTranslate(lang));
    return [aiAct, aiAct, kribsi, kribsi].flatMap((framework) => cells(framework));
  };
  expect(read('en')).toEqual(['EU AI Act', 'EU AI Act', 'Polish Act on AI Systems (KRiBSI)', 'KRiBSI']);
  expect(read('pl')).toEqual([aiAct.namePl, 'AI Act', kribsi.namePl, 'ustawa o KRiBSI']);
});

test('a table of one law has no column of laws', () => {
  expect(planLawColumn([aiAct], createTranslate('en')).columns).toEqual([]);
});
