import { replayHeaders } from '@tenantscope/publish';
import type { ArrivedRecord } from './reader.ts';
import { lastHeader } from './record-headers.ts';

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The dead letter that a record says it replays. */
export function replayedLetterOf(record: ArrivedRecord): string | null {
  const id = lastHeader(record.headers, replayHeaders.letter);
  return id !== undefined && uuid.test(id) ? id : null;
}

/** The one element of an exploded array that the replay is about. */
export function replayedElementOf(record: ArrivedRecord): number | null {
  if (replayedLetterOf(record) === null) return null;
  const element = lastHeader(record.headers, replayHeaders.element);
  return element !== undefined && /^\d{1,9}$/.test(element) ? Number(element) : null;
}
