import type { ReportContent } from '@tenantscope/contract';
import { table } from '../content.ts';
import type { Translate } from '../language.ts';
import { readMember, readText, type SectionRows } from '../report-reading.ts';
import { translateValue } from '../value-labels.ts';

/** Threat events of AI systems, the newest first. */
export function buildThreatTable(translate: Translate, { rows, total }: SectionRows): ReportContent {
  return table(
    translate,
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
          readText(row, 'occurredAt'),
          readText(row, 'agentName') ?? readText(row, 'appHost'),
          translateValue(translate, 'threat', readMember(row, 'threatType')),
          translateValue(translate, 'threatOutcome', readMember(row, 'outcome')),
          translateValue(translate, 'severity', readMember(row, 'severity')),
          readText(row, 'followUp.handledAt'),
        ]),
      truncated: total > rows.length,
    },
  );
}
