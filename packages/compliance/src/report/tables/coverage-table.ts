import type { FrameworkStatus, ReportContent } from '@tenantscope/contract';
import { formatReference } from '../article-reference.ts';
import { table } from '../content.ts';
import type { LocalizedText } from '../language.ts';
import type { RenderContext } from '../report-writer.ts';
import { translateValue } from '../value-labels.ts';
import { planLawColumn } from './law-column.ts';

/** What the status of each article rests on, and what is not measured. */
export function buildCoverageTable(
  { translate, lang }: RenderContext,
  frameworks: readonly FrameworkStatus[],
  heading: LocalizedText,
): ReportContent {
  const law = planLawColumn(frameworks, translate);
  return table(
    translate,
    [
      ...law.columns,
      ['ref', heading, 'text'],
      ['coverage', ['Rests on', 'Na czym się opiera'], 'text'],
      ['note', ['What is measured or attested, and what is not', 'Co się mierzy lub poświadcza, a czego nie'], 'text'],
    ],
    {
      rows: frameworks.flatMap((framework) =>
        framework.controls.map(({ ref, coverage, coverageNote, coverageNotePl }) => [
          ...law.cells(framework),
          formatReference(ref, lang),
          translateValue(translate, 'coverage', coverage),
          translate([coverageNote, coverageNotePl]),
        ]),
      ),
    },
  );
}

/** Explains the status of articles without a main requirement. */
export const indicatorLimitation: LocalizedText = [
  '"Indicators in order" means that everything measured or attested for an article or control is in order, but that no requirement shows whether its core is fulfilled. It does not mean that the article or control is met.',
  '„Wskaźniki w normie” oznacza, że wszystko, co dla danego przepisu lub zabezpieczenia mierzy się lub poświadcza, jest w porządku, ale nic nie wykazuje, czy spełniono jego istotę. Nie oznacza to, że przepis lub zabezpieczenie jest spełnione.',
];
