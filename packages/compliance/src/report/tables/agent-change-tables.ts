import type { ReportContent } from '@tenantscope/contract';
import { table } from '../content.ts';
import type { Translate } from '../language.ts';
import { readMember, readNumber, readText, type SectionRows } from '../report-reading.ts';
import { translateValue } from '../value-labels.ts';

/** Lifecycle events of agents, the newest first. */
export function buildLifecycleTable(translate: Translate, { rows, total }: SectionRows): ReportContent {
  return table(
    translate,
    [
      ['at', ['When', 'Kiedy'], 'instant'],
      ['agent', ['Agent', 'Agent'], 'text'],
      ['event', ['Event', 'Zdarzenie'], 'text'],
      ['by', ['By', 'Kto'], 'text'],
      ['result', ['Result', 'Wynik'], 'text'],
    ],
    {
      rows: rows
        .toReversed()
        .map((row) => [
          readText(row, 'occurredAt'),
          readText(row, 'agentName'),
          translateValue(translate, 'agentEvent', readMember(row, 'event')),
          readText(row, 'actor.name') ?? readText(row, 'actor.id'),
          translateValue(translate, 'result', readMember(row, 'result')),
        ]),
      truncated: total > rows.length,
    },
  );
}

/** Changes of agents' instructions, the newest first. */
export function buildInstructionTable(translate: Translate, { rows, total }: SectionRows): ReportContent {
  return table(
    translate,
    [
      ['at', ['Observed', 'Zauważono'], 'instant'],
      ['agent', ['Agent', 'Agent'], 'text'],
      ['kind', ['Change', 'Zmiana'], 'text'],
      ['added', ['Lines added', 'Dodane wiersze'], 'count'],
      ['removed', ['Lines removed', 'Usunięte wiersze'], 'count'],
      ['by', ['Published by', 'Opublikował(a)'], 'text'],
      ['reviewed', ['Reviewed', 'Sprawdzono'], 'date'],
    ],
    {
      rows: rows
        .toReversed()
        .map((row) => [
          readText(row, 'observedAt'),
          readText(row, 'agentName'),
          translateValue(translate, 'instructionChange', readMember(row, 'changeKind')),
          readNumber(row, 'diffSummary.addedLines'),
          readNumber(row, 'diffSummary.removedLines'),
          readText(row, 'publishedBy.name'),
          readText(row, 'review.reviewedAt'),
        ]),
      truncated: total > rows.length,
    },
  );
}
