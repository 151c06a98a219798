import { describe, expect, it } from 'vitest';
import { articleWeights } from '../src/catalogue/article-weight.ts';
import { requirementCatalogue } from '../src/index.ts';
import { sourceLabels } from '../src/report/source-labels.ts';

const keysOf = (is: (one: (typeof requirementCatalogue)[number]) => boolean): string[] =>
  requirementCatalogue.filter(is).map(({ key }) => key);

/** Words of English, and of the data, that no Polish text has; "to", "by" and "on" are words of both languages. */
const englishTerms =
  /(?<!\p{L})(the|of|and|or|with|within|that|which|share|for|from|are|is|least|agents|users|files|sites|apps|alerts|devices|owner|label|policy|policies|enabled|trailing|hours|days|tenant|discoveredAt|occurredAt)(?!\p{L})/iu;

/** Calques, and words for which the reports have another one. */
const otherTerms = /agenci|triaż|tenant|(?<!\p{L})wadze|stłumion|(?<!\p{L})ram(y|ach|om|ami)?(?!\p{L})/iu;

describe('the descriptions of requirements', () => {
  it('are in both languages, and no Polish one is the English one', () => {
    expect(requirementCatalogue).toHaveLength(108);
    expect(
      keysOf(
        ({ whatIsMeasured, whatIsMeasuredPl }) =>
          whatIsMeasured.trim() === '' || whatIsMeasuredPl.trim() === '' || whatIsMeasured === whatIsMeasuredPl,
      ),
    ).toEqual([]);
    expect(new Set(requirementCatalogue.map(({ whatIsMeasuredPl }) => whatIsMeasuredPl)).size).toBe(108);
  });

  it('are sentences in Polish, with its diacritics', () => {
    expect(keysOf(({ whatIsMeasuredPl }) => !/^[\p{Lu}\d].*\.$/u.test(whatIsMeasuredPl))).toEqual([]);
    expect(keysOf(({ whatIsMeasuredPl }) => !/[ąćęłńóśźż]/.test(whatIsMeasuredPl))).toEqual([]);
  });

  it('and the titles have no English text in Polish, and use the terms of the reports', () => {
    const found = (pattern: RegExp) =>
      requirementCatalogue.flatMap(({ key, titlePl, whatIsMeasuredPl }) =>
        [titlePl, whatIsMeasuredPl].filter((text) => pattern.test(text)).map((text) => `${key}: ${text}`),
      );
    expect(found(englishTerms)).toEqual([]);
    expect(found(otherTerms)).toEqual([]);
  });

  it('have the same Polish terms as the texts of articles', () => {
    const texts = [...articleWeights.values()].map(({ id, whyPl }) => `${id}: ${whyPl}`);
    // The frameworks of a law are called so in the Polish text of DORA.
    expect(texts.filter((text) => otherTerms.test(text) && !text.startsWith('DORA-6:'))).toEqual([]);
    expect(texts.filter((text) => /skanowani\p{L}+ polityk/u.test(text))).toEqual([]);
  });

  it('are short, and as long in Polish as in English', () => {
    for (const { key, whatIsMeasured, whatIsMeasuredPl } of requirementCatalogue) {
      expect(whatIsMeasuredPl.length, key).toBeGreaterThanOrEqual(30);
      expect(whatIsMeasuredPl.length, key).toBeLessThanOrEqual(340);
      const ratio = whatIsMeasuredPl.length / whatIsMeasured.length;
      expect(ratio, key).toBeGreaterThan(0.6);
      expect(ratio, key).toBeLessThan(1.9);
    }
  });

  it('name in Polish whether the metric is a share or a count', () => {
    const unitOf = (one: (typeof requirementCatalogue)[number]) => (one.kind === 'measured' ? one.rule.unit : null);
    expect(keysOf((one) => unitOf(one) === 'percent' && !/^Odsetek |jako procent /.test(one.whatIsMeasuredPl))).toEqual(
      [],
    );
    expect(keysOf((one) => unitOf(one) === 'count' && !/^Liczba /.test(one.whatIsMeasuredPl))).toEqual([]);
    expect(keysOf((one) => unitOf(one) === null && /^(Odsetek|Liczba) /.test(one.whatIsMeasuredPl))).toEqual([]);
  });

  it('have no operators, ranges with hyphens, abbreviations or names of members', () => {
    const terms = /[<>]=|\d-\d|(?<!\w)'|\bincl\.|(?<!\p{L})[a-z]+[A-Z]\w*|\s\/\s/u;
    expect(keysOf((one) => terms.test(one.whatIsMeasured) || terms.test(one.whatIsMeasuredPl))).toEqual([]);
  });

  it('have the same numbers in both languages', () => {
    const numbers = (text: string) => [...new Set(text.match(/\d+/g) ?? [])].toSorted();
    const differing = keysOf(
      ({ whatIsMeasured, whatIsMeasuredPl }) => numbers(whatIsMeasured).join() !== numbers(whatIsMeasuredPl).join(),
    );
    expect(differing).toEqual([]);
  });
});

describe('the sources of requirements', () => {
  it('have names in both languages', () => {
    const sources = new Set(requirementCatalogue.flatMap((one) => one.sources));
    expect([...sources].filter((source) => !Object.hasOwn(sourceLabels, source))).toEqual([]);
    for (const [source, [en, pl]] of Object.entries(sourceLabels)) {
      expect(en, source).not.toBe(pl);
      expect(pl, source).not.toMatch(englishTerms);
    }
  });
});
