import type { ReportCell, ReportContent } from '@tenantscope/contract';
import type { Json, JsonObject } from '@tenantscope/proof';
import { evidenceSections } from '../../catalogue/evidence.ts';
import { formatReference } from '../article-reference.ts';
import { table } from '../content.ts';
import type { Translate } from '../language.ts';
import { readMember, readText } from '../report-reading.ts';
import type { RenderContext } from '../report-writer.ts';
import { translateValue } from '../value-labels.ts';

/** The organisation's data for a fundamental-rights impact assessment (FRIA). */
export function buildFriaTable(
  { translate, lang }: Pick<RenderContext, 'translate' | 'lang'>,
  rows: readonly JsonObject[],
): ReportContent {
  return table(
    translate,
    [
      ['question', ['Question', 'Pytanie'], 'text'],
      ['answer', ['Answer', 'Odpowiedź'], 'text'],
      ['basis', ['Basis', 'Podstawa'], 'text'],
      ['article', ['Article', 'Artykuł'], 'text'],
    ],
    {
      rows: rows
        .toSorted((left, right) => findPlace(left) - findPlace(right))
        .map((row) => [
          translate([readText(row, 'question') ?? '', readText(row, 'questionPl') ?? '']),
          formatValue(readMember(row, 'answer'), translate),
          translateValue(translate, 'basis', readMember(row, 'basis')),
          formatReference(readText(row, 'article') ?? '', lang),
        ]),
    },
  );
}

const summaryEntries = evidenceSections.find(({ key }) => key === 'fria_summary')?.questions ?? [];

/** In the order of the catalogue: questions refer to the ones before them. */
const findPlace = (row: JsonObject): number => summaryEntries.findIndex(({ key }) => key === readText(row, 'key'));

function formatValue(value: Json, translate: Translate): ReportCell {
  if (typeof value !== 'object' || value === null) return value as ReportCell;
  return Object.entries(value)
    .map(([level, count]) => `${translateValue(translate, 'restriction', level)}: ${String(count)}`)
    .join('; ');
}
