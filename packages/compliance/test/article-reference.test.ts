import { expect, test } from 'vitest';
import { frameworkCatalogue } from '../src/index.ts';
import { formatReference } from '../src/report/article-reference.ts';

test.each([
  ['Art. 26(6)', 'Art. 26(6)', 'art. 26 ust. 6'],
  ['Art. 21(2)(d)', 'Art. 21(2)(d)', 'art. 21 ust. 2 lit. d)'],
  ['Art. 27', 'Art. 27', 'art. 27'],
  ['Art. 6 and Annex III', 'Art. 6 and Annex III', 'art. 6 i załącznik III'],
  ['RTS (EU) 2024/1774 Art. 23', 'RTS (EU) 2024/1774 Art. 23', 'RTS (UE) 2024/1774 art. 23'],
  ['art. 8 ust. 1 pkt 2 lit. n', 'Art. 8(1)(2)(n)', 'art. 8 ust. 1 pkt 2 lit. n'],
  ['art. 8 ust. 1 pkt 2 lit. i-j', 'Art. 8(1)(2)(i)–(j)', 'art. 8 ust. 1 pkt 2 lit. i–j'],
  ['art. 11-12b', 'Art. 11–12b', 'art. 11–12b'],
  ['art. 70 ust. 6, art. 84, art. 107', 'Art. 70(6), Art. 84, Art. 107', 'art. 70 ust. 6, art. 84, art. 107'],
  ['cl. 9.1', 'cl. 9.1', 'pkt 9.1'],
  ['Annex A.6.2.5', 'Annex A.6.2.5', 'załącznik A.6.2.5'],
  ['A.8.15', 'A.8.15', 'A.8.15'],
  ['164.308(a)(1)(ii)(A)', '164.308(a)(1)(ii)(A)', '164.308(a)(1)(ii)(A)'],
])('%s is cited as %s in English and as %s in Polish', (ref, english, polish) => {
  expect([formatReference(ref, 'en'), formatReference(ref, 'pl')]).toEqual([english, polish]);
});

test('no citation of the catalogue has units of the other language', () => {
  for (const { articles } of frameworkCatalogue)
    for (const { ref } of articles) {
      expect(formatReference(ref, 'en')).not.toMatch(/\bart\. |ust\.|pkt|lit\.|rozdz|[ąćęłńóśźż]/);
      expect(formatReference(ref, 'pl')).not.toMatch(/\bArt\. |\bAnnex\b|\(EU\)|\band\b|\bcl\. /);
    }
});
