import type { ImportOutcome, StoredImport } from '@tenantscope/store/admin';
import { formatCount } from '../../../output/count.ts';
import { formatFields } from '../../../output/table.ts';

/** What became of an import's messages. */
export interface ImportResult extends ImportOutcome {
  readonly importId: string;
  readonly tenantId: string;
  readonly format: string;
  readonly topic: string;
  /** Messages in Kafka. */
  readonly published: number;
  /** Whether all files are published. */
  readonly isComplete: boolean;
  /** Whether ingestion has read every published message. */
  readonly isSettled: boolean;
}

export function createResult(stored: StoredImport, outcome: ImportOutcome): ImportResult {
  const { id, tenantId, format, topic, published, publishedAt } = stored;
  return {
    importId: id,
    tenantId,
    format,
    topic,
    published,
    isComplete: publishedAt !== null,
    isSettled: outcome.messages === published,
    ...outcome,
  };
}

const count = (value: number): string => value.toLocaleString('en');

/** Every record is in exactly one of the lines. */
export function formatResult(result: ImportResult): string {
  const reasons = Object.entries(result.deadLetters).toSorted(([, a], [, b]) => b - a);
  return formatFields([
    ['import', result.importId],
    ['published', `${count(result.published)} to ${result.topic}`],
    ...(result.isSettled ? [] : [['settled', `${count(result.messages)} of ${count(result.published)}`] as const]),
    ...(result.records === result.messages ? [] : [['records', count(result.records)] as const]),
    ['rows', count(result.rows)],
    ['duplicates', count(result.duplicates)],
    ['dead letters', count(countDeadLetters(result))],
    ...reasons.map(([reason, amount]) => [`  ${reason}`, count(amount)] as const),
  ]);
}

function countDeadLetters({ deadLetters }: Pick<ImportOutcome, 'deadLetters'>): number {
  return Object.values(deadLetters).reduce((sum, amount) => sum + amount, 0);
}

/** What an operator has to do about the result. */
export function listProblems(result: ImportResult): string[] {
  const dead = countDeadLetters(result);
  const id = result.importId;
  return [
    ...(dead === 0
      ? []
      : [
          `${formatCount(dead, 'dead letter')}; look at ${dead === 1 ? 'it' : 'them'}: tenantscope dead-letters summary --import ${id}`,
        ]),
    ...(result.isComplete
      ? []
      : [
          `the import is not published completely; if its command does not run any more, continue it: tenantscope import --resume ${id}`,
        ]),
  ];
}
