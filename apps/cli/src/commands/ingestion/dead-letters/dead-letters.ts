import { createReplayMessage } from '@tenantscope/publish';
import { describeKafkaError } from '@tenantscope/runtime';
import { type Admin, type DeadLetterSummary, encodeBytes } from '@tenantscope/store/admin';
import { CommandError, usageError } from '../../../command-error.ts';
import { withAdmin } from '../../../connections/admin-connection.ts';
import { readTopicPrefixes } from '../../../connections/cell-topics.ts';
import { readKafkaSettings } from '../../../connections/connection-settings.ts';
import { openPublisher } from '../../../connections/kafka-publisher.ts';
import type { CommandContext } from '../../../context.ts';
import { parseChoice, parseGuid, parseInteger } from '../../../input/option-parsers.ts';
import type { CommandResult } from '../../../output/command-result.ts';
import { formatCount } from '../../../output/count.ts';
import { formatTable } from '../../../output/table.ts';
import { createAddressing } from './bound-replay.ts';
import type { BulkOptions } from './bulk.ts';
import { formatDeadLetter } from './dead-letter-view.ts';
import { type FilterOptions, hasFilter, parseFilter } from './filter-options.ts';
import { createForwarding } from './forwarding.ts';

export interface ListOptions extends FilterOptions {
  readonly limit: string;
  readonly state?: string;
}

const states = ['pending', 'replayed', 'settled', 'discarded'] as const;

/** Counts dead letters by tenant, source and reason; a row for each cause, with an example. */
export async function summarizeDeadLetters(
  options: FilterOptions & { readonly state: string },
  context: CommandContext,
): Promise<CommandResult> {
  const filter = { ...parseFilter(options), state: parseChoice(options.state, states, '--state') };
  const { found, problems } = await withAdmin(context.environment, (admin) => admin.deadLetters.summarize(filter));
  const text = formatTable(
    found.flatMap(listCauses),
    [
      ['count', ({ count }) => count.toLocaleString('en')],
      ['reason', ({ reason }) => reason],
      ['format', ({ format }) => format],
      ['topic', ({ topic }) => topic],
      ['tenant', ({ tenantId }) => tenantId],
      ['first', ({ firstAt }) => firstAt],
      ['last', ({ lastAt }) => lastAt],
      ['example', ({ exampleId }) => exampleId],
      ['detail', ({ detail }) => detail],
    ],
    'No dead letters match.',
  );
  return { document: { data: found }, text, problems };
}

/** The most frequent causes of a group, and the number of dead letters with any other. */
function listCauses({ causes, causeCount, ...group }: DeadLetterSummary): CauseRow[] {
  const others = group.count - causes.reduce((sum, { count }) => sum + count, 0);
  const listed = causes.map((cause) => ({ ...group, ...cause }));
  if (others === 0) return listed;
  const rest = {
    count: others,
    firstAt: null,
    lastAt: null,
    exampleId: null,
    detail: formatCount(causeCount - causes.length, 'other cause'),
  };
  return [...listed, { ...group, ...rest }];
}

type CauseRow = Omit<DeadLetterSummary, 'causes' | 'causeCount' | 'firstAt' | 'lastAt'> & {
  readonly detail: string;
  readonly firstAt: string | null;
  readonly lastAt: string | null;
  readonly exampleId: string | null;
};

export async function listDeadLetters(options: ListOptions, context: CommandContext): Promise<CommandResult> {
  const query = {
    ...parseFilter(options),
    limit: parseInteger(options.limit, '--limit', { from: 1, to: 1_000 }),
    state: options.state === undefined ? undefined : parseChoice(options.state, states, '--state'),
  };
  const { found, problems } = await withAdmin(context.environment, (admin) => admin.deadLetters.list(query));
  const text = formatTable(
    found,
    [
      ['id', (deadLetter) => deadLetter.id],
      ['dead-lettered', (deadLetter) => deadLetter.deadLetteredAt],
      ['state', (deadLetter) => deadLetter.state],
      ['reason', (deadLetter) => deadLetter.reason],
      ['tenant', (deadLetter) => deadLetter.tenantId],
      [
        'message',
        ({ topic, partition, offset, element }) => `${topic}/${partition}@${offset}${element < 0 ? '' : `#${element}`}`,
      ],
      ['stored', (deadLetter) => (deadLetter.truncated ? 'truncated' : 'whole')],
      ['detail', (deadLetter) => deadLetter.detail],
    ],
    'No dead letters match.',
  );
  return { document: { data: found }, text, problems };
}

/** Shows one dead letter with its original bytes: as text if UTF-8, else as base64. */
export async function showDeadLetter(id: string, context: CommandContext): Promise<CommandResult> {
  const deadLetterId = parseGuid(id, 'the id of a dead letter');
  const deadLetter = await withAdmin(context.environment, (admin) => admin.deadLetters.show(deadLetterId));
  if (deadLetter === null) throw unknownDeadLetter(deadLetterId);
  const document = {
    ...deadLetter,
    key: encodeBytes(deadLetter.key),
    value: encodeBytes(deadLetter.value),
    headers: deadLetter.headers.map(([name, value]) => ({ name, value: encodeBytes(value) })),
  };
  return { document, text: formatDeadLetter(deadLetter) };
}

/**
 * Publishes originals to their topic with the same bytes, key and headers, plus the dead letter id, so that only what failed is processed
 * and a new failure updates the same dead letter. A failing one does not prevent the others from being replayed.
 */
export async function replayDeadLetters(
  ids: string[],
  options: BulkOptions,
  context: CommandContext,
): Promise<CommandResult> {
  rejectFilter(options);
  const deadLetterIds = ids.map((id) => parseGuid(id, 'the id of a dead letter'));
  const { connection, topicPrefix } = readKafkaSettings(context.environment);
  await using publisher = await openPublisher(connection, 'tenantscope-replay');
  const replay = async (admin: Admin, id: string): Promise<HandledDeadLetter> => {
    const stored = await admin.deadLetters.beginReplay(id);
    if (stored === null) throw unknownDeadLetter(id);
    const ownPrefix = (await readTopicPrefixes(admin, topicPrefix)).get(stored.cell) ?? topicPrefix;
    const deadLetter = (await createAddressing(admin, ownPrefix))(stored);
    const { topic, isForwarded } = (await createForwarding(admin, topicPrefix))(deadLetter, stored.cell);
    await publisher.send(topic, [createReplayMessage(deadLetter)]).catch((error: unknown) => {
      throw new CommandError(
        `${id} was not replayed: ${describeKafkaError(error, { brokers: connection.brokers, topic })}`,
      );
    });
    if (isForwarded) await admin.deadLetters.settleForwarded(id, stored.cell);
    return { id, state: isForwarded ? 'settled' : deadLetter.state, topic, replays: deadLetter.replays };
  };
  // Awaited here: the publisher must exist until the last message is sent.
  return await handleEach(deadLetterIds, 'replayed', replay, context);
}

export async function discardDeadLetters(
  ids: string[],
  options: BulkOptions,
  context: CommandContext,
): Promise<CommandResult> {
  rejectFilter(options);
  const deadLetterIds = ids.map((id) => parseGuid(id, 'the id of a dead letter'));
  const discard = async (admin: Admin, id: string): Promise<HandledDeadLetter> => {
    if (await admin.deadLetters.discard(id)) return { id, state: 'discarded' };
    const deadLetter = await admin.deadLetters.show(id);
    throw deadLetter === null
      ? unknownDeadLetter(id)
      : new CommandError(`the dead letter ${id} is ${deadLetter.state}`);
  };
  return handleEach(deadLetterIds, 'discarded', discard, context);
}

function rejectFilter(options: BulkOptions): void {
  if (hasFilter(options) || options.dryRun === true)
    throw usageError('ids cannot be combined with a filter or with --dry-run');
}

interface HandledDeadLetter {
  readonly id: string;
  readonly state: string;
  readonly topic?: string;
  readonly replays?: number;
}

/** Handles every dead letter; failures are collected as problems, and the others are still handled. */
async function handleEach(
  ids: readonly string[],
  outcome: string,
  handle: (admin: Admin, id: string) => Promise<HandledDeadLetter>,
  context: CommandContext,
): Promise<CommandResult> {
  const handled: HandledDeadLetter[] = [];
  const problems: string[] = [];
  await withAdmin(context.environment, async (admin) => {
    for (const id of new Set(ids)) {
      try {
        handled.push(await handle(admin, id));
      } catch (error) {
        if (!(error instanceof Error) || !['CommandError', 'DirectoryError', 'CellUnavailable'].includes(error.name))
          throw error;
        problems.push(error.name === 'CellUnavailable' ? `${id} was not found, and ${error.message}` : error.message);
      }
    }
  });
  return { document: { data: handled }, text: handled.map(({ id }) => `${id} ${outcome}.`).join('\n'), problems };
}

function unknownDeadLetter(id: string): CommandError {
  return new CommandError(`there is no dead letter ${id}; see "tenantscope dead-letters list"`);
}
