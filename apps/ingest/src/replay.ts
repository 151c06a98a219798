import { replayHeaders } from '@tenantscope/contract';
import type { ArrivedRecord } from './reader.ts';

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const textOf = (record: ArrivedRecord, name: string): string | undefined =>
  record.headerList.findLast(([header]) => header === name)?.[1]?.toString('utf8');

/** The dead letter that a record says it replays. */
export function replayedLetterOf(record: ArrivedRecord): string | null {
  const id = textOf(record, replayHeaders.letter);
  return id !== undefined && uuid.test(id) ? id : null;
}

/** The one element of an exploded array that the replay is about. */
export function replayedElementOf(record: ArrivedRecord): number | null {
  if (replayedLetterOf(record) === null) return null;
  const element = textOf(record, replayHeaders.element);
  return element !== undefined && /^\d{1,9}$/.test(element) ? Number(element) : null;
}
