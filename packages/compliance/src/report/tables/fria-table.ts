import type { ReportCell, ReportContent } from '@tenantscope/contract';
import type { Json, JsonObject } from '@tenantscope/proof';
import { table } from '../content.ts';
import type { Translate } from '../language.ts';
import { readMember, readText } from '../report-reading.ts';
import { translateValue } from '../value-labels.ts';

/** The organisation's data for a fundamental-rights impact assessment (FRIA). */
export function buildFriaTable(translate: Translate, rows: readonly JsonObject[]): ReportContent {
  return table(
    translate,
    [
      ['question', ['Question', 'Pytanie'], 'text'],
      ['answer', ['Answer', 'Odpowiedź'], 'text'],
      ['basis', ['Basis', 'Podstawa'], 'text'],
      ['article', ['Article', 'Artykuł'], 'text'],
    ],
    {
      rows: rows.map((row) => [
        translate([readText(row, 'question') ?? '', readText(row, 'questionPl') ?? '']),
        formatValue(readMember(row, 'answer'), translate),
        translateValue(translate, 'basis', readMember(row, 'basis')),
        readText(row, 'article'),
      ]),
    },
  );
}

function formatValue(value: Json, translate: Translate): ReportCell {
  if (typeof value !== 'object' || value === null) return value as ReportCell;
  return Object.entries(value)
    .map(([level, count]) => `${translateValue(translate, 'restriction', level)}: ${String(count)}`)
    .join('; ');
}
