import type { ReportContent } from '@tenantscope/contract';
import { table } from '../content.ts';
import { readMember, readText, type SectionRows } from '../report-reading.ts';
import type { RenderContext } from '../report-writer.ts';
import { translateValue } from '../value-labels.ts';

/** Threats to systems, and the blocking and unblocking of systems. The newest first. */
export function buildAiIncidentTable(
  { threats, lifecycle }: { readonly threats: SectionRows; readonly lifecycle: SectionRows },
  { translate }: RenderContext,
): ReportContent {
  const stops = lifecycle.rows.filter((row) => ['block', 'unblock', 'undeploy'].includes(readText(row, 'event') ?? ''));
  const rows = [
    ...threats.rows.map((row) => ({
      at: readText(row, 'occurredAt'),
      cells: [
        readText(row, 'agentName') ?? readText(row, 'appHost'),
        translateValue(translate, 'threat', readMember(row, 'threatType')),
        translateValue(translate, 'threatOutcome', readMember(row, 'outcome')),
        readText(row, 'followUp.handledAt'),
      ],
    })),
    ...stops.map((row) => ({
      at: readText(row, 'occurredAt'),
      cells: [
        readText(row, 'agentName'),
        translateValue(translate, 'agentEvent', readMember(row, 'event')),
        translateValue(translate, 'result', readMember(row, 'result')),
        null,
      ],
    })),
  ].toSorted((left, right) => ((left.at ?? '') < (right.at ?? '') ? 1 : -1));
  return table(
    translate,
    [
      ['at', ['When', 'Kiedy'], 'instant'],
      ['system', ['System', 'System'], 'text'],
      ['what', ['What', 'Co'], 'text'],
      ['outcome', ['Outcome', 'Skutek'], 'text'],
      ['handled', ['Handled', 'Obsłużono'], 'instant'],
    ],
    {
      rows: rows.map(({ at, cells }) => [at, ...cells]),
      truncated: threats.total > threats.rows.length || lifecycle.total > lifecycle.rows.length,
    },
  );
}
