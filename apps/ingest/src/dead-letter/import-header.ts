import { importHeader, parseImportHeader } from '@tenantscope/publish';
import type { ImportedMessage } from '@tenantscope/store/ingest';
import type { RejectedElement } from '../activity/prepare-slice.ts';
import type { KafkaRecord } from '../kafka/kafka-reader.ts';
import { lastHeader } from '../kafka/record-headers.ts';
import { readReplayedDeadLetterId } from './replay-headers.ts';

const name = Buffer.from(importHeader);

/** The import that published a record, and the record's number in it. Null for a replay: its import has counted it. */
export function readImportHeader(record: KafkaRecord): { importId: string; sequence: number } | null {
  // Nearly no record has one: a search of the bytes takes a tenth of the time of reading the headers.
  if (!record.headers.includes(name)) return null;
  const text = lastHeader(record.headers, importHeader);
  if (text === undefined || readReplayedDeadLetterId(record) !== null) return null;
  return parseImportHeader(text);
}

/** A record's outcome: of several changes that one element makes, one that was applied makes it a row. */
export interface ElementOutcome {
  readonly record: number;
  readonly element: number;
  readonly isApplied: boolean;
}

/** The messages of imports among the records of a slice, with the outcomes of their elements. */
export function collectImported(
  records: readonly KafkaRecord[],
  outcomes: readonly ElementOutcome[],
  rejected: readonly Pick<RejectedElement, 'record' | 'element' | 'reason'>[],
): ImportedMessage[] {
  const found = new Map<number, ImportedMessage>();
  records.forEach((record, index) => {
    const header = readImportHeader(record);
    if (header !== null) found.set(index, { ...header, rows: 0, duplicates: 0, deadLetters: [] });
  });
  if (found.size === 0) return [];
  const settled = new Set<string>();
  const isFirst = ({ record, element }: { record: number; element: number }) => {
    const key = `${record}/${element}`;
    return settled.size < settled.add(key).size;
  };
  for (const each of rejected) if (isFirst(each)) found.get(each.record)?.deadLetters.push(each.reason);
  for (const each of outcomes.filter(({ isApplied }) => isApplied))
    addOutcome(found.get(each.record), 'rows', isFirst(each));
  for (const each of outcomes) addOutcome(found.get(each.record), 'duplicates', isFirst(each));
  return [...found.values()];
}

function addOutcome(message: ImportedMessage | undefined, outcome: 'rows' | 'duplicates', isFirst: boolean): void {
  if (message !== undefined && isFirst) message[outcome] += 1;
}
