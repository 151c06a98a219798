import type { ReportLanguage } from '@tenantscope/contract';

/**
 * The citation of an article in the style of the language: acts of the EU are cited in Polish as in the Polish edition of
 * the Official Journal (art. 21 ust. 2 lit. d), acts of Poland in English by the same units in brackets (Art. 8(1)(2)(d)).
 * Identifiers of standards have no language.
 */
export function formatReference(ref: string, lang: ReportLanguage): string {
  return lang === 'pl' ? toPolish(ref) : toEnglish(ref);
}

const polishTexts: Readonly<Record<string, string>> = {
  'Art. 6 and Annex III': 'art. 6 i załącznik III',
  'Art. 27(1)(d), (f)': 'art. 27 ust. 1 lit. d) i f)',
};

function toPolish(ref: string): string {
  const whole = polishTexts[ref];
  if (whole !== undefined) return whole;
  return ref
    .replace(
      /\bArt\. (\d+\w*)((?:\(\w+\))*)/g,
      (_, article: string, units: string) => `art. ${article}${listUnits(units)}`,
    )
    .replace(/(art\. \w+|lit\. \w)-(?=\w)/g, '$1–')
    .replace(/\((EU)\)/g, '(UE)')
    .replace(/^cl\. /, 'pkt ')
    .replace(/^Annex /, 'załącznik ');
}

/** Paragraphs are numbers, points are letters. */
function listUnits(units: string): string {
  return [...units.matchAll(/\((\w+)\)/g)]
    .map(([, unit = '']) => (/^\d/.test(unit) ? ` ust. ${unit}` : ` lit. ${unit})`))
    .join('');
}

/** Citations of acts of Poland that are more than articles and their units. */
const englishTexts: Readonly<Record<string, string>> = {
  'ustawa jako całość; organ: art. 5, 19': 'the law as a whole; authority: Art. 5, 19',
  'AI Act art. 50, egzekwowany przez KRiBSI (kary: art. 104)': 'AI Act Art. 50, enforced by KRiBSI (fines: Art. 104)',
  'rozdz. o kontroli i postępowaniu (w mocy od 28.10.2026, art. 127)':
    'chapter on inspections and proceedings (in force since 28 October 2026, Art. 127)',
  'AI Act art. 26 ust. 5 i art. 73; współpraca z CSIRT: art. 20':
    'AI Act Art. 26(5) and Art. 73; cooperation with CSIRT: Art. 20',
  'art. 8 ust. 1 pkt 2 lit. e, ust. 2': 'Art. 8(1)(2)(e), (2)',
  'art. 8 ust. 1 pkt 2 lit. g i pkt 4, art. 11 ust. 1': 'Art. 8(1)(2)(g) and (1)(4), Art. 11(1)',
};

const polishArticle = /\bart\. (\w+(?:-\w+)?)(?: ust\. (\w+))?(?: pkt (\w+))?(?: lit\. (\w)(?:-(\w))?)?/g;

function toEnglish(ref: string): string {
  return (
    englishTexts[ref] ??
    ref.replace(polishArticle, (_, article, section, point, litera, last) => {
      const units = [section, point, litera].flatMap((unit) => (unit === undefined ? [] : [`(${unit})`])).join('');
      return `Art. ${article.replace('-', '–')}${units}${last === undefined ? '' : `–(${last})`}`;
    })
  );
}
