import type { ReportContent } from '@tenantscope/contract';
import { table } from './content.ts';
import type { Say } from './language.ts';
import { memberAt, type SectionRows, textAt } from './reading.ts';
import { spell } from './vocabulary.ts';

/** Threat events of AI systems, the newest first. */
export function threatTable(say: Say, { rows, total }: SectionRows): ReportContent {
  return table(
    say,
    [
      ['at', ['When', 'Kiedy'], 'instant'],
      ['agent', ['AI system', 'System AI'], 'text'],
      ['what', ['What', 'Co'], 'text'],
      ['outcome', ['Outcome', 'Skutek'], 'text'],
      ['severity', ['Severity', 'Ważność'], 'text'],
      ['handled', ['Handled', 'Obsłużono'], 'instant'],
    ],
    {
      rows: rows
        .toReversed()
        .map((row) => [
          textAt(row, 'occurredAt'),
          textAt(row, 'agentName') ?? textAt(row, 'appHost'),
          spell(say, 'threat', memberAt(row, 'threatType')),
          spell(say, 'threatOutcome', memberAt(row, 'outcome')),
          spell(say, 'severity', memberAt(row, 'severity')),
          textAt(row, 'followUp.handledAt'),
        ]),
      truncated: total > rows.length,
    },
  );
}
