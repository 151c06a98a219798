import { randomUUID } from 'node:crypto';
import { addAbortSignal } from 'node:stream';
import { topicName, topics } from '@tenantscope/contract';
import { type FormatName, formats, typeOfFormat } from '@tenantscope/intake';
import { cloudEvent, connectPublisher, cutSends, type Message } from '@tenantscope/publish';
import { findTenant, withAdmin } from './admin.ts';
import type { Answer } from './answer.ts';
import { oneOf } from './arguments.ts';
import { Refusal } from './failure.ts';
import { kafkaFailure } from './kafka-failure.ts';
import { isBlank, readLines } from './lines.ts';
import { drawProgress } from './progress.ts';
import { kafkaSettings } from './settings.ts';
import { openSources, type Source } from './sources.ts';
import type { Surroundings } from './surroundings.ts';

export interface ImportOptions {
  readonly tenant: string;
  readonly format: string;
}

/** What became of one file. A line is published, or blank, or refused. */
interface Tally {
  readonly file: string;
  lines: number;
  published: number;
  blankLines: number;
  refusedLines: number;
  /** The first of the refused lines, by number. */
  readonly refused: { line: number; bytes: number }[];
}

/** Ingestion sets longer values aside as TOO_LARGE; here their lines can still be named. */
const largestLineBytes = 1_048_576;
const refusedLinesNamed = 20;

/**
 * Publishes every line as one record, untouched and in order, and waits until all replicas hold it. Memory stays bounded by one
 * send: what is read waits for what is written. Lines too long for the topic are named and make the command fail, after everything
 * else is published: records are identified by content, so the same file may be imported again once it is mended.
 */
export async function importFiles(files: string[], options: ImportOptions, around: Surroundings): Promise<Answer> {
  const format = oneOf(options.format, formats, '--format');
  const kafka = kafkaSettings(around.environment);
  const sources = await openSources(files, around.input);
  const tenant = await withAdmin(around.environment, (admin) => findTenant(admin, options.tenant));
  const topic = topicName(kafka.topicPrefix, topics.activity);
  const tallies = await publishAll(sources, { ...kafka, topic, format, tenantId: tenant.id }, around);

  const published = sum(tallies, (tally) => tally.published);
  const blankLines = sum(tallies, (tally) => tally.blankLines);
  const document = { tenantId: tenant.id, format, topic, published, blankLines, files: tallies };
  const blank = blankLines > 0 ? ` ${blankLines.toLocaleString('en')} blank lines were skipped.` : '';
  const text = `${published.toLocaleString('en')} records are published to ${topic} for ${tenant.name}.${blank}`;
  return { document, text, problems: tallies.flatMap(refusals) };
}

interface Destination {
  readonly brokers: string;
  readonly topic: string;
  readonly format: FormatName;
  readonly tenantId: string;
}

async function publishAll(sources: readonly Source[], to: Destination, around: Surroundings): Promise<Tally[]> {
  await using publisher = await connectPublisher({ brokers: to.brokers, clientId: 'tenantscope-import' });
  const progress = drawProgress(around.terminal, totalBytes(sources));
  const interruption = new AbortController();
  process.once('SIGINT', () => interruption.abort());
  for (const { chunks } of sources) addAbortSignal(interruption.signal, chunks);
  const run = randomUUID();
  const tallies: Tally[] = [];
  try {
    for (const [index, source] of sources.entries()) {
      const tally = { file: source.name, lines: 0, published: 0, blankLines: 0, refusedLines: 0, refused: [] };
      tallies.push(tally);
      for await (const send of cutSends(messagesOf(source, tally, `${run}/${index}`, to))) {
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
    const why = error instanceof Refusal ? error.message : kafkaFailure(error, to);
    const reason = interruption.signal.aborted ? 'stopped by an interrupt' : why;
    throw new Refusal(`${reason}; ${whatWasDone(sum(tallies, (tally) => tally.published))}`);
  } finally {
    progress.clear();
  }
}

function whatWasDone(published: number): string {
  if (published === 0) return 'nothing is published';
  const count = published.toLocaleString('en');
  return `${count} records are published: import the same files again, what was taken is not written twice`;
}

async function* messagesOf(source: Source, tally: Tally, run: string, to: Destination): AsyncGenerator<Message> {
  const type = typeOfFormat(to.format);
  for await (const { number, bytes, length } of readLines(source.chunks, largestLineBytes)) {
    tally.lines = number;
    if (bytes === null) {
      tally.refusedLines += 1;
      if (tally.refused.length < refusedLinesNamed) tally.refused.push({ line: number, bytes: length });
    } else if (isBlank(bytes)) {
      tally.blankLines += 1;
    } else {
      if (number === 1) refuseWhatIsNoText(source.name, bytes);
      const id = `${run}/${number}`;
      const { tenantId } = to;
      yield cloudEvent({ id, source: '/collectors/import', type, tenantId, timeMs: Date.now(), value: bytes });
    }
  }
}

/** What would become nothing but dead letters is better not sent. */
function refuseWhatIsNoText(file: string, firstLine: Buffer): void {
  const mark = firstLine.subarray(0, 2).toString('hex');
  if (mark === 'fffe' || mark === 'feff') throw new Refusal(`${file} is UTF-16; records are UTF-8`);
  if (mark === '1f8b') throw new Refusal(`${file} is packed; unpack it first: zcat FILE | tenantscope import … -`);
}

function refusals(tally: Tally): string[] {
  if (tally.refusedLines === 0) return [];
  const named = tally.refused.map(({ line, bytes }) => `${line} (${bytes.toLocaleString('en')} bytes)`).join(', ');
  const more = tally.refusedLines - tally.refused.length;
  const rest = more > 0 ? ` and ${more.toLocaleString('en')} more` : '';
  return [`${tally.file}: not published, above ${largestLineBytes.toLocaleString('en')} bytes: line ${named}${rest}`];
}

function totalBytes(sources: readonly Source[]): number | null {
  return sources.some(({ bytes }) => bytes === null) ? null : sum(sources, ({ bytes }) => bytes ?? 0);
}

function sum<Item>(items: readonly Item[], of: (item: Item) => number): number {
  return items.reduce((total, item) => total + of(item), 0);
}
