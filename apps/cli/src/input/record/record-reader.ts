import { CommandError } from '../../command-error.ts';
import type { PeekedStream } from '../container/peek.ts';
import { findRecordColumn, readCsv } from './csv-reader.ts';
import { findPageList, type JsonEnd, splitJson } from './json-splitter.ts';
import { isBlank, type Line, readLines } from './line-reader.ts';

/** How a file is split into records: one JSON document per line, JSON documents and arrays, or rows of a CSV export. */
export const inputKinds = ['ndjson', 'json', 'csv'] as const;
export type InputKind = (typeof inputKinds)[number];

/** Ingestion dead-letters longer values as TOO_LARGE; here their line numbers can still be reported. */
export const recordMaxBytes = 1_048_576;
/** Enough for the first record. */
export const headBytes = recordMaxBytes + 1;

export interface RecordStream {
  readonly kind: InputKind;
  readonly records: AsyncGenerator<Line>;
  readonly end: JsonEnd;
}

/** Splits a decompressed stream into records. The kind is that of its first bytes unless it is given. */
export function readRecords(
  name: string,
  { head, isWhole, chunks }: PeekedStream,
  given: InputKind | null,
): RecordStream {
  rejectUtf16(name, head);
  const kind = given ?? detectInputKind(head, isWhole);
  const end: JsonEnd = { isTruncated: false };
  if (kind === 'ndjson') return { kind, end, records: readLines(chunks, recordMaxBytes) };
  if (kind === 'json') {
    const start = skipByteOrderMark(head);
    const list = head.length < recordMaxBytes ? -1 : findPageList(head.subarray(start));
    const records = splitJson(dropBytes(chunks, start + Math.max(0, list)), recordMaxBytes, end, list >= 0);
    return { kind, end, records };
  }
  if (findRecordColumn(firstLine(head)) === null)
    throw new CommandError(`${name} has no column AuditData; only CSV exports of the unified audit log are read`);
  return { kind, end, records: readCsv(chunks, recordMaxBytes) };
}

/**
 * By the first bytes. A file is one document per line unless it cannot be: a wrong line must not take the lines behind it along, so a document is only assumed where the
 * first line is an array, or ends as a formatted document does, or does not end.
 */
export function detectInputKind(head: Buffer, isWhole: boolean): InputKind {
  const line = firstLine(head);
  const isLineWhole = isWhole || line.length < head.length - skipByteOrderMark(head);
  const text = line.trim();
  if (text.startsWith('[')) return 'json';
  if (text.startsWith('{')) return !isLineWhole || /[[{,]$/.test(text) ? 'json' : 'ndjson';
  return findRecordColumn(line) === null ? 'ndjson' : 'csv';
}

/** The first line that is not blank, one character per byte. */
function firstLine(head: Buffer): string {
  for (let from = skipByteOrderMark(head); from < head.length; ) {
    const feed = head.indexOf(0x0a, from);
    const end = feed === -1 ? head.length : feed;
    const line = head.subarray(from, end);
    if (!isBlank(line)) return line.toString('latin1').replace(/\r$/, '');
    from = end + 1;
  }
  return '';
}

const skipByteOrderMark = (head: Buffer): number => (head.subarray(0, 3).toString('hex') === 'efbbbf' ? 3 : 0);

function rejectUtf16(name: string, head: Buffer): void {
  const mark = head.subarray(0, 2).toString('hex');
  if (mark === 'fffe' || mark === 'feff') throw new CommandError(`${name} is UTF-16; convert it to UTF-8`);
}

async function* dropBytes(chunks: AsyncIterable<Buffer>, count: number): AsyncGenerator<Buffer> {
  let left = count;
  for await (const chunk of chunks) {
    if (left < chunk.length) yield left === 0 ? chunk : chunk.subarray(left);
    left = Math.max(0, left - chunk.length);
  }
}
