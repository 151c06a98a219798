import { randomUUID } from 'node:crypto';
import { addAbortSignal } from 'node:stream';
import { topicName, topics } from '@tenantscope/contract';
import { type ActivityFormatName, activityFormats, toEventType } from '@tenantscope/intake';
import { createCloudEventMessage, type Message, splitIntoBatches } from '@tenantscope/publish';
import { describeKafkaError, type KafkaConnection } from '@tenantscope/runtime';
import { CommandError } from '../../command-error.ts';
import { findTenant, withAdmin } from '../../connections/admin-connection.ts';
import { readKafkaSettings } from '../../connections/connection-settings.ts';
import { openPublisher } from '../../connections/kafka-publisher.ts';
import type { CommandContext } from '../../context.ts';
import { type InputSource, openInputs } from '../../input/input-sources.ts';
import { isBlank, readLines } from '../../input/line-reader.ts';
import { parseChoice } from '../../input/option-parsers.ts';
import type { CommandResult } from '../../output/command-result.ts';
import { createProgressBar } from '../../output/progress-bar.ts';

export interface ImportOptions {
  readonly tenant: string;
  readonly format: string;
}

/** The result for one file. A line is published, blank or refused. */
interface FileResult {
  readonly file: string;
  lines: number;
  published: number;
  blankLines: number;
  refusedLines: number;
  /** The first of the refused lines, by number. */
  readonly refused: { line: number; bytes: number }[];
}

/** Ingestion dead-letters longer values as TOO_LARGE; here their line numbers can still be reported. */
const lineMaxBytes = 1_048_576;
const reportedLinesMax = 20;

/**
 * Publishes every line as one record, unchanged and in order, and waits until all replicas have it. Memory is bounded by one
 * send: reading waits for writing. Lines that are too long for the topic are reported and make the command fail after everything
 * else is published: records are identified by content, so the same file can be imported again once it is fixed.
 */
export async function importFiles(
  files: string[],
  options: ImportOptions,
  context: CommandContext,
): Promise<CommandResult> {
  const format = parseChoice(options.format, activityFormats, '--format');
  const kafka = readKafkaSettings(context.environment);
  const sources = await openInputs(files, context.input);
  const tenant = await withAdmin(context.environment, (admin) => findTenant(admin, options.tenant));
  const topic = topicName(kafka.topicPrefix, topics.activity);
  const tallies = await publishAll(sources, { kafka: kafka.connection, topic, format, tenantId: tenant.id }, context);

  const published = sum(tallies, (tally) => tally.published);
  const blankLines = sum(tallies, (tally) => tally.blankLines);
  const document = { tenantId: tenant.id, format, topic, published, blankLines, files: tallies };
  const blank = blankLines > 0 ? ` ${blankLines.toLocaleString('en')} blank lines skipped.` : '';
  const text = `${published.toLocaleString('en')} records published to ${topic} for ${tenant.name}.${blank}`;
  return { document, text, problems: tallies.flatMap(describeRejectedLines) };
}

interface Destination {
  readonly kafka: KafkaConnection;
  readonly topic: string;
  readonly format: ActivityFormatName;
  readonly tenantId: string;
}

async function publishAll(
  sources: readonly InputSource[],
  to: Destination,
  context: CommandContext,
): Promise<FileResult[]> {
  await using publisher = await openPublisher(to.kafka, 'tenantscope-import');
  const progress = createProgressBar(context.terminal, totalBytes(sources));
  const interruption = new AbortController();
  process.once('SIGINT', () => interruption.abort());
  for (const { chunks } of sources) addAbortSignal(interruption.signal, chunks);
  const run = randomUUID();
  const tallies: FileResult[] = [];
  try {
    for (const [index, source] of sources.entries()) {
      const tally = { file: source.name, lines: 0, published: 0, blankLines: 0, refusedLines: 0, refused: [] };
      tallies.push(tally);
      for await (const send of splitIntoBatches(readMessages(source, tally, `${run}/${index}`, to))) {
        await publisher.send(to.topic, send.messages);
        tally.published += send.messages.length;
        progress.advance(
          send.messages.reduce((bytes, { value }) => bytes + (value?.length ?? 0) + 1, 0),
          send.messages.length,
        );
      }
    }
    return tallies;
  } catch (error) {
    const cause =
      error instanceof CommandError
        ? error.message
        : describeKafkaError(error, { brokers: to.kafka.brokers, topic: to.topic });
    const reason = interruption.signal.aborted ? 'interrupted' : cause;
    throw new CommandError(`${reason}; ${describeProgress(sum(tallies, (tally) => tally.published))}`);
  } finally {
    progress.clear();
  }
}

function describeProgress(published: number): string {
  if (published === 0) return 'nothing was published';
  const count = published.toLocaleString('en');
  return `${count} records were published; import the same files again, published records are not written twice`;
}

async function* readMessages(
  source: InputSource,
  tally: FileResult,
  run: string,
  to: Destination,
): AsyncGenerator<Message> {
  const type = toEventType(to.format);
  for await (const { number, bytes, length } of readLines(source.chunks, lineMaxBytes)) {
    tally.lines = number;
    if (bytes === null) {
      tally.refusedLines += 1;
      if (tally.refused.length < reportedLinesMax) tally.refused.push({ line: number, bytes: length });
    } else if (isBlank(bytes)) {
      tally.blankLines += 1;
    } else {
      if (number === 1) rejectNonText(source.name, bytes);
      const id = `${run}/${number}`;
      const { tenantId } = to;
      yield createCloudEventMessage({
        id,
        source: '/collectors/import',
        type,
        tenantId,
        timeMs: Date.now(),
        value: bytes,
      });
    }
  }
}

/** Rejects files whose records would all become dead letters. */
function rejectNonText(file: string, firstLine: Buffer): void {
  const mark = firstLine.subarray(0, 2).toString('hex');
  if (mark === 'fffe' || mark === 'feff') throw new CommandError(`${file} is UTF-16; convert it to UTF-8`);
  if (mark === '1f8b')
    throw new CommandError(`${file} is compressed; decompress it first: zcat FILE | tenantscope import … -`);
}

function describeRejectedLines(tally: FileResult): string[] {
  if (tally.refusedLines === 0) return [];
  const named = tally.refused.map(({ line, bytes }) => `${line} (${bytes.toLocaleString('en')} bytes)`).join(', ');
  const more = tally.refusedLines - tally.refused.length;
  const rest = more > 0 ? ` and ${more.toLocaleString('en')} more` : '';
  return [`${tally.file}: not published, longer than ${lineMaxBytes.toLocaleString('en')} bytes: line ${named}${rest}`];
}

function totalBytes(sources: readonly InputSource[]): number | null {
  return sources.some(({ bytes }) => bytes === null) ? null : sum(sources, ({ bytes }) => bytes ?? 0);
}

function sum<Item>(items: readonly Item[], of: (item: Item) => number): number {
  return items.reduce((total, item) => total + of(item), 0);
}
