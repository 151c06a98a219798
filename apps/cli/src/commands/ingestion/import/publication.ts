import type { PublishedFormat } from '@tenantscope/intake';
import {
  createCloudEventMessage,
  formatImportHeader,
  type Message,
  type Publisher,
  splitIntoBatches,
} from '@tenantscope/publish';
import type { StoredImport } from '@tenantscope/store/admin';
import { readParts } from '../../../input/input-parts.ts';
import type { InputSource } from '../../../input/input-sources.ts';
import { isBlank } from '../../../input/record/line-reader.ts';
import { type InputKind, readRecords, recordMaxBytes } from '../../../input/record/record-reader.ts';
import type { ProgressBar } from '../../../output/progress-bar.ts';

/** The result for one file, or one file of an archive. A record is published, blank or refused. */
export interface FileResult {
  readonly file: string;
  readonly input: InputKind;
  lines: number;
  published: number;
  blankLines: number;
  refusedLines: number;
  /** The first of the refused records, by number. */
  readonly refused: { line: number; bytes: number }[];
  isTruncated: boolean;
}

const reportedLinesMax = 20;
const recordIntervalMs = 1_000;

export interface Publication {
  readonly stored: StoredImport;
  readonly format: PublishedFormat;
  readonly input: InputKind | null;
  readonly publisher: Publisher;
  readonly progress: ProgressBar;
  /** No further batch is sent; the one that is being sent is awaited. */
  readonly signal: AbortSignal;
  /** Called about once a second with the number of messages that all replicas have. */
  recordPublished(published: number): Promise<void>;
}

/**
 * Publishes every record of the sources as one message, unchanged and in order, behind those that are published already. Files are read while a batch is being sent;
 * memory is bounded by two batches. `published` is exact at every time: one batch is in flight, and it is counted when all replicas have it.
 */
export async function publishSources(
  sources: readonly InputSource[],
  publication: Publication,
  results: FileResult[],
): Promise<number> {
  const { stored, publisher, progress, signal } = publication;
  let published = stored.published;
  let recordedAtMs = performance.now();
  let sending: Promise<void> = Promise.resolve();
  const send = async (messages: readonly NumberedMessage[], bytes: number) => {
    await publisher.send(stored.topic, messages);
    published += messages.length;
    for (const { result } of messages) result.published += 1;
    progress.advance(bytes, messages.length);
    if (performance.now() - recordedAtMs < recordIntervalMs) return;
    recordedAtMs = performance.now();
    await publication.recordPublished(published);
  };
  try {
    for await (const { messages, bytes } of splitIntoBatches(readMessages(sources, publication, results))) {
      await sending;
      if (signal.aborted) break;
      sending = send(messages, bytes);
      // Handled by the next await.
      sending.catch(() => {});
    }
    await sending;
  } finally {
    await sending.catch(() => {});
    await publication.recordPublished(published);
  }
  return published;
}

interface NumberedMessage extends Message {
  readonly result: FileResult;
}

async function* readMessages(
  sources: readonly InputSource[],
  { stored, format, input }: Publication,
  results: FileResult[],
): AsyncGenerator<NumberedMessage> {
  // The same for a record that is sent again: entities without a time of their own have this one.
  const timeMs = Date.parse(stored.startedAt);
  let sequence = 0;
  for (const source of sources) {
    for await (const { name, stream } of readParts(source)) {
      const { kind, records, end } = readRecords(name, stream, input);
      const result: FileResult = {
        file: name,
        input: kind,
        lines: 0,
        published: 0,
        blankLines: 0,
        refusedLines: 0,
        refused: [],
        isTruncated: false,
      };
      results.push(result);
      for await (const { number, bytes, length } of records) {
        result.lines = number;
        if (bytes === null) refuseRecord(result, number, length);
        else if (isBlank(bytes)) result.blankLines += 1;
        else {
          sequence += 1;
          if (sequence <= stored.published) continue;
          const imported = formatImportHeader(stored.id, sequence);
          const { tenantId } = stored;
          const event = { id: imported, imported, source: '/collectors/import', tenantId, timeMs, value: bytes };
          yield { ...createCloudEventMessage({ ...event, ...format.addressRecord(bytes, tenantId) }), result };
        }
      }
      result.isTruncated = end.isTruncated;
    }
  }
}

function refuseRecord(result: FileResult, line: number, bytes: number): void {
  result.refusedLines += 1;
  if (result.refused.length < reportedLinesMax) result.refused.push({ line, bytes });
}

/** What was not published of a file, or only in part. */
export function describeFileProblems(result: FileResult): string[] {
  const unit = result.input === 'ndjson' ? 'line' : 'record';
  const truncated = result.isTruncated ? [`${result.file} ends within a document: it is truncated`] : [];
  if (result.refusedLines === 0) return truncated;
  const named = result.refused.map(({ line, bytes }) => `${line} (${bytes.toLocaleString('en')} bytes)`).join(', ');
  const more = result.refusedLines - result.refused.length;
  const rest = more > 0 ? ` and ${more.toLocaleString('en')} more` : '';
  const maximum = recordMaxBytes.toLocaleString('en');
  return [`${result.file}: not published, longer than ${maximum} bytes: ${unit} ${named}${rest}`, ...truncated];
}
