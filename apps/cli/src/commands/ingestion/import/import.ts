import { type TopicName, topicName, topics } from '@tenantscope/contract';
import { type PublishedFormat, publishedFormats } from '@tenantscope/intake';
import { describeKafkaError, findSimilar } from '@tenantscope/runtime';
import type { Admin, StoredImport } from '@tenantscope/store/admin';
import { CommandError, usageError } from '../../../command-error.ts';
import { currentOperator, findOpenTenant, findTenant, withAdmin } from '../../../connections/admin-connection.ts';
import { readTopicPrefixes, readTopicPrefixOf } from '../../../connections/cell-topics.ts';
import { type KafkaSettings, readKafkaSettings } from '../../../connections/connection-settings.ts';
import { openPublisher } from '../../../connections/kafka-publisher.ts';
import type { CommandContext } from '../../../context.ts';
import { type InputSource, openInputs } from '../../../input/input-sources.ts';
import { parseGuid } from '../../../input/option-parsers.ts';
import type { InputKind } from '../../../input/record/record-reader.ts';
import type { CommandResult } from '../../../output/command-result.ts';
import { formatCount } from '../../../output/count.ts';
import { createProgressBar } from '../../../output/progress-bar.ts';
import { previewImport } from './dry-run.ts';
import { createResult, formatResult, listProblems } from './import-result.ts';
import { describeFileProblems, type FileResult, publishSources } from './publication.ts';
import { isSameFormat, recognizeSample, sampleSources } from './sample.ts';
import { describeDelay, waitForSettlement } from './settlement.ts';

export interface ImportOptions {
  readonly tenant?: string;
  readonly format?: string;
  readonly input?: InputKind;
  readonly wait: boolean;
  readonly dryRun?: boolean;
  readonly resume?: string;
}

/** An import that is about to be published. */
interface OpenImport {
  readonly stored: StoredImport;
  readonly format: PublishedFormat;
  readonly sources: readonly InputSource[];
}

/**
 * Publishes every record of the files, and waits until ingestion has settled them: reports rows, duplicates and dead letters by reason, which are exactly the published
 * records. Records that are too long for the topic are reported and make the command fail after everything else is published. An interrupted import is resumed where it was.
 */
export async function importFiles(
  files: string[],
  options: ImportOptions,
  context: CommandContext,
): Promise<CommandResult> {
  if (options.resume === undefined) checkNewImport(files, options);
  if (options.dryRun === true) return previewFiles(files, options, context);
  const kafka = readKafkaSettings(context.environment);
  return withAdmin(context.environment, async (admin) => {
    const open =
      options.resume === undefined
        ? await startImport(admin, files, options, kafka, context)
        : await resumeImport(admin, options.resume, files, kafka, context);
    const interruption = new AbortController();
    process.once('SIGINT', () => interruption.abort());
    const { stored, results } = await publishImport(admin, open, kafka, context, interruption.signal);
    return await reportImport(admin, stored, results, options.wait, context, interruption.signal);
  });
}

function checkNewImport(files: readonly string[], { tenant, format }: ImportOptions): void {
  if (files.length === 0) throw usageError("missing required argument 'file'");
  if (tenant === undefined) throw usageError("required option '--tenant <id>' not specified");
  if (format !== undefined) findFormat(format);
}

function findFormat(name: string): PublishedFormat {
  const format = publishedFormats.get(name);
  if (format !== undefined) return format;
  const similar = findSimilar(name, [...publishedFormats.keys()], 3);
  throw usageError(
    `--format ${name} is unknown; did you mean ${similar.join(', ')}? All: ${[...publishedFormats.keys()].join(', ')}`,
  );
}

async function startImport(
  admin: Admin,
  files: readonly string[],
  options: ImportOptions,
  { topicPrefix }: KafkaSettings,
  context: CommandContext,
): Promise<OpenImport> {
  const { format, sources } = await chooseFormat(await openInputs(files, context.input), options, context);
  const tenant = await findOpenTenant(admin, options.tenant ?? '');
  const stored = await admin.imports.create(
    {
      tenantId: tenant.id,
      format: format.name,
      input: options.input ?? 'auto',
      files: sources.map(({ name, bytes, modifiedAtMs }) => ({ name, bytes, modifiedAtMs })),
      startedBy: currentOperator(),
    },
    async (cell) => topicName(await readTopicPrefixOf(admin, { cell }, topicPrefix), topics[format.topic as TopicName]),
  );
  return { stored, format, sources };
}

/** The format that is given, or else the one that the first records look like; either is compared with them, before anything is published. */
async function chooseFormat(given: readonly InputSource[], options: ImportOptions, context: CommandContext) {
  const { records, source, sources, isEmpty, problem } = await sampleSources(given, options.input ?? null);
  const looksLike = recognizeSample(records);
  if (options.format === undefined && problem !== null) throw problem;
  if (options.format === undefined && isEmpty)
    throw new CommandError(given.length === 1 ? `${source.name} has no records` : 'no file has a record');
  if (options.format === undefined && looksLike === null)
    throw usageError(`${source.name} has records of no format that is recognized; name it with --format`);
  const format = findFormat(options.format ?? looksLike ?? '');
  if (looksLike !== null && (options.format === undefined || !isSameFormat(format.name, looksLike))) {
    const instead = options.format === undefined ? '' : `, not like ${format.name}`;
    context.terminal.write(`tenantscope: this looks like ${looksLike}${instead}\n`);
  }
  return { format, sources, records, looksLike };
}

async function previewFiles(
  files: readonly string[],
  options: ImportOptions,
  context: CommandContext,
): Promise<CommandResult> {
  const inputs = await openInputs(files, context.input);
  const { format, records, looksLike } = await chooseFormat(inputs, options, context);
  const tenant = await withAdmin(context.environment, (admin) => findTenant(admin, options.tenant ?? ''));
  return previewImport(records, format, tenant, looksLike);
}

/** The files must be those of the import: its position counts their records. */
async function resumeImport(
  admin: Admin,
  id: string,
  files: readonly string[],
  { topicPrefix }: KafkaSettings,
  context: CommandContext,
): Promise<OpenImport> {
  const importId = parseGuid(id, '--resume');
  const stored = await admin.imports.find(importId);
  if (stored === null) throw new CommandError(`there is no import ${importId}; see "tenantscope imports list"`);
  if (files.length > 0) throw usageError('--resume reads the files of its import; leave out file names');
  if (stored.publishedAt !== null)
    throw new CommandError(`import ${importId} is published completely; see "tenantscope imports show ${importId}"`);
  await checkCell(admin, stored, topicPrefix);
  const sources = await openInputs(
    stored.files.map(({ name }) => name),
    context.input,
  );
  for (const [index, { name, bytes, modifiedAtMs }] of sources.entries()) {
    const before = stored.files[index];
    if (before?.bytes !== bytes || before.modifiedAtMs !== modifiedAtMs)
      throw new CommandError(`${name} has changed since; import it again: records that are written are duplicates`);
  }
  return { stored, format: findFormat(stored.format), sources };
}

/** The ingest of the cell counts the records of an import: those in the topics of another cell would not be rows. */
async function checkCell(admin: Admin, stored: StoredImport, defaultPrefix: string): Promise<void> {
  const { cell } = await findTenant(admin, stored.tenantId);
  const topic = topics[findFormat(stored.format).topic as TopicName];
  const prefixes = await readTopicPrefixes(admin, defaultPrefix);
  const published = [...prefixes].find(([, prefix]) => topicName(prefix, topic) === stored.topic);
  if (published === undefined || published[0] === cell) return;
  throw new CommandError(
    `the tenant was moved to the cell ${cell}; import the files again: records that are written are duplicates`,
  );
}

async function publishImport(
  admin: Admin,
  { stored, format, sources }: OpenImport,
  { connection }: KafkaSettings,
  context: CommandContext,
  signal: AbortSignal,
): Promise<{ stored: StoredImport; results: readonly FileResult[] }> {
  await using publisher = await openPublisher(connection, 'tenantscope-import');
  const progress = createProgressBar(context.terminal, totalBytes(sources));
  // Reading may wait for input that never comes.
  signal.addEventListener('abort', () => {
    for (const { interrupt } of sources) interrupt(new Error('interrupted'));
  });
  const results: FileResult[] = [];
  let published = stored.published;
  const recordPublished = (count: number) => {
    published = count;
    return admin.imports.recordPublished(stored, count, false);
  };
  const input = stored.input === 'auto' ? null : (stored.input as InputKind);
  try {
    await publishSources(sources, { stored, format, input, publisher, progress, signal, recordPublished }, results);
    if (signal.aborted) throw new Error('interrupted');
    await admin.imports.recordPublished(stored, published, true);
    return { stored: { ...stored, published, publishedAt: new Date().toISOString() }, results };
  } catch (error) {
    const cause =
      error instanceof CommandError
        ? error.message
        : describeKafkaError(error, { brokers: connection.brokers, topic: stored.topic });
    throw new CommandError(`${signal.aborted ? 'interrupted' : cause}; ${describePosition(stored.id, published)}`);
  } finally {
    progress.clear();
    for (const { handle } of sources) await handle?.close().catch(() => {});
  }
}

function describePosition(id: string, published: number): string {
  if (published === 0) return 'nothing was published';
  return `${formatCount(published, 'record was', 'records were')} published; continue: tenantscope import --resume ${id}`;
}

async function reportImport(
  admin: Admin,
  stored: StoredImport,
  files: readonly FileResult[],
  wait: boolean,
  context: CommandContext,
  signal: AbortSignal,
): Promise<CommandResult> {
  const progress = createProgressBar(context.terminal, stored.published, 'settled');
  const { outcome, problems } = wait
    ? await waitForSettlement(admin, stored, stored.published, progress, signal)
    : await admin.imports.readOutcome(stored);
  progress.clear();
  const result = createResult(stored, outcome);
  const delay =
    wait && !result.isSettled ? [await describeDelay(admin, stored.topic, result.published - result.messages)] : [];
  return {
    document: { ...result, blankLines: files.reduce((sum, file) => sum + file.blankLines, 0), files },
    text: formatResult(result),
    problems: [...files.flatMap(describeFileProblems), ...problems, ...delay, ...listProblems(result)],
  };
}

function totalBytes(sources: readonly InputSource[]): number | null {
  return sources.reduce<number | null>((sum, { bytes }) => (sum === null || bytes === null ? null : sum + bytes), 0);
}
