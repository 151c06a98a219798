import type { ReportCell, ReportContent } from '@tenantscope/contract';
import type { Json, JsonObject } from '@tenantscope/proof';
import { table } from './content.ts';
import type { Say } from './language.ts';
import { memberAt, textAt } from './reading.ts';
import { spell } from './vocabulary.ts';

/** What the organisation can answer to the questions of a fundamental-rights impact assessment. */
export function questionTable(say: Say, rows: readonly JsonObject[]): ReportContent {
  return table(
    say,
    [
      ['question', ['Question', 'Pytanie'], 'text'],
      ['answer', ['Answer', 'Odpowiedź'], 'text'],
      ['basis', ['Basis', 'Podstawa'], 'text'],
      ['article', ['Article', 'Artykuł'], 'text'],
    ],
    {
      rows: rows.map((row) => [
        say([textAt(row, 'question') ?? '', textAt(row, 'questionPl') ?? '']),
        answerOf(memberAt(row, 'answer'), say),
        spell(say, 'basis', memberAt(row, 'basis')),
        textAt(row, 'article'),
      ]),
    },
  );
}

function answerOf(answer: Json, say: Say): ReportCell {
  if (typeof answer !== 'object' || answer === null) return answer as ReportCell;
  return Object.entries(answer)
    .map(([level, count]) => `${spell(say, 'restriction', level)}: ${String(count)}`)
    .join('; ');
}
