import { setTimeout as pause } from 'node:timers/promises';
import { type TopicName, topicName, topics } from '@tenantscope/contract';
import { findProviderTenant, findRejection, type TenantFacts, wholeMessage } from '@tenantscope/intake';
import { createReplayMessage, type Publisher, splitIntoBatches } from '@tenantscope/publish';
import { describeKafkaError } from '@tenantscope/runtime';
import type { Admin, BulkAction, DeadLetterFilter, OriginalDeadLetter } from '@tenantscope/store/admin';
import { CommandError } from '../../../command-error.ts';
import { withAdmin } from '../../../connections/admin-connection.ts';
import { readTopicPrefixes } from '../../../connections/cell-topics.ts';
import { type KafkaSettings, readKafkaSettings } from '../../../connections/connection-settings.ts';
import { openPublisher } from '../../../connections/kafka-publisher.ts';
import type { CommandContext } from '../../../context.ts';
import type { CommandResult } from '../../../output/command-result.ts';
import { formatCount } from '../../../output/count.ts';
import { createProgressBar, type ProgressBar } from '../../../output/progress-bar.ts';
import { formatFields } from '../../../output/table.ts';
import { createAddressing } from './bound-replay.ts';
import { type BulkOptions, chooseDeadLetters } from './bulk.ts';
import { forEachLedger, type Ledger } from './each-ledger.ts';
import { createForwarding } from './forwarding.ts';
import { listUndecidedPages } from './undecided-pages.ts';

const pageSize = 1_000;
const pageBytes = 8 * 1_048_576;
const pollMs = 250;
const patienceMs = 20_000;
/** Whose states are read at once. A read of 300,000 took 15 s and 0.3 GB on a busy machine, and is made four times a second; one of 10,000 took 2 s. */
const watchedReplays = 10_000;
/** Larger than what ingestion is configured to read, whatever that is: stored messages are at most this long. */
const maxValueBytes = 64 * 1_048_576;

interface ReplayCounts {
  matching: number;
  /** Accepted by the current readers, and published again unless it is a dry run. */
  accepted: number;
  /** Those that the current readers still refuse, by reason. */
  refused: Record<string, number>;
  /** Only the beginning of the message is stored. */
  truncated: number;
}

/**
 * Replays the dead letters of a filter that the current readers accept: after a fix, one command replays what it would now take, and leaves the rest. Waits until
 * ingestion has settled them.
 */
export async function replayMany(options: BulkOptions, context: CommandContext): Promise<CommandResult> {
  const action = chooseDeadLetters(options, 'replay');
  const kafka = readKafkaSettings(context.environment);
  return withAdmin(context.environment, async (admin) => {
    await using publisher =
      options.dryRun === true ? null : await openPublisher(kafka.connection, 'tenantscope-replay');
    const prefixes = await readTopicPrefixes(admin, kafka.topicPrefix);
    const read = await createReader(admin, [...prefixes.values()]);
    const forward = await createForwarding(admin, kafka.topicPrefix);
    const counts: ReplayCounts = { matching: 0, accepted: 0, refused: {}, truncated: 0 };
    const progress = createProgressBar(context.terminal, null, 'read');
    const states = { settled: 0, failed: 0, waiting: 0 };
    const problems = await forEachLedger(admin, async (ledger) => {
      const sent: string[] = [];
      const address = await createAddressing(admin, prefixes.get(ledger.cell) ?? kafka.topicPrefix);
      for await (const originals of walk(ledger, action.filter)) {
        progress.advance(0, originals.length);
        const accepted = selectAccepted(originals.map(address), read, counts);
        if (publisher !== null)
          sent.push(...(await publish(ledger, action, publisher, accepted, { kafka, forward, states })));
      }
      if (publisher !== null) await waitForReplays(ledger, sent, states, progress);
    });
    progress.clear();
    return {
      ...createReplayResult(counts, options.dryRun === true ? null : states),
      problems: [...problems, ...listReplayProblems(states)],
    };
  });
}

interface PublishOptions {
  readonly kafka: KafkaSettings;
  readonly forward: Awaited<ReturnType<typeof createForwarding>>;
  readonly states: { settled: number };
}

type Reader = (deadLetter: OriginalDeadLetter) => { reason: string } | null;

/** Reads a dead letter as ingestion would, with the readers of this version. */
async function createReader(admin: Admin, prefixes: readonly string[]): Promise<Reader> {
  const tenants = new Map<string, TenantFacts>((await admin.tenants.list()).map((tenant) => [tenant.id, tenant]));
  const names = new Map(
    prefixes.flatMap((prefix) =>
      Object.entries(topics).map(([name, topic]) => [topicName(prefix, topic), name as TopicName] as const),
    ),
  );
  return (deadLetter) => {
    const topic = names.get(deadLetter.topic);
    if (topic === undefined) return { reason: 'UNKNOWN_TYPE' };
    const headers = Object.fromEntries(
      Map.groupBy(deadLetter.headers, ([name]) => name.toLowerCase())
        .entries()
        .map(([name, pairs]) => [name, pairs.map(([, value]) => value.toString('utf8'))]),
    );
    const context = {
      findTenant: (tenantId: string) => tenants.get(tenantId),
      findProviderTenant: (providerId: string) => findProviderTenant(tenants, providerId),
      nowMs: Date.now(),
      maxValueBytes,
      onlyElement: deadLetter.element === wholeMessage ? null : deadLetter.element,
    };
    return findRejection(topic, { key: deadLetter.key, value: deadLetter.value, headers }, context);
  };
}

/** All dead letters of a filter with their messages, oldest first, in pages that fit into memory. */
async function* walk(ledger: Ledger, filter: DeadLetterFilter): AsyncGenerator<readonly OriginalDeadLetter[]> {
  for await (const page of listUndecidedPages(ledger, filter, pageSize)) {
    let ids: string[] = [];
    let bytes = 0;
    for (const { id, bytes: size } of page) {
      if (ids.length > 0 && bytes + size > pageBytes) {
        yield await ledger.readOriginals(ids);
        [ids, bytes] = [[], 0];
      }
      ids.push(id);
      bytes += size;
    }
    yield await ledger.readOriginals(ids);
  }
}

function selectAccepted(
  originals: readonly OriginalDeadLetter[],
  read: Reader,
  counts: ReplayCounts,
): OriginalDeadLetter[] {
  counts.matching += originals.length;
  const accepted = originals.filter((deadLetter) => {
    if (deadLetter.truncated) {
      counts.truncated += 1;
      return false;
    }
    const rejection = read(deadLetter);
    if (rejection !== null) counts.refused[rejection.reason] = (counts.refused[rejection.reason] ?? 0) + 1;
    return rejection === null;
  });
  counts.accepted += accepted.length;
  return accepted;
}

/**
 * Counts each replay before it is published: a failure leaves an attempt, and the dead letter can be replayed again. What is sent to another cell is settled
 * here. Returns the others, which ingestion settles.
 */
async function publish(
  ledger: Ledger,
  action: BulkAction,
  publisher: Publisher,
  accepted: readonly OriginalDeadLetter[],
  { kafka: { connection }, forward, states }: PublishOptions,
): Promise<string[]> {
  const begun = await ledger.beginReplays(
    action,
    accepted.map(({ id }) => id),
  );
  const replayed = accepted.filter(({ id }) => begun.has(id));
  const addressed = replayed.map((deadLetter) => ({ ...deadLetter, ...forward(deadLetter, ledger.cell) }));
  for (const [topic, own] of Map.groupBy(addressed, (deadLetter) => deadLetter.topic)) {
    for await (const { messages } of splitIntoBatches(own.map(createReplayMessage)))
      await publisher.send(topic, messages).catch((error: unknown) => {
        throw new CommandError(describeKafkaError(error, { brokers: connection.brokers, topic }));
      });
  }
  const listIds = (isForwarded: boolean) =>
    addressed.filter((each) => each.isForwarded === isForwarded).map(({ id }) => id);
  const forwarded = listIds(true);
  if (forwarded.length > 0) await ledger.settleForwarded(action, forwarded);
  states.settled += forwarded.length;
  return listIds(false);
}

/** Waits until no replay is open, or until nothing has changed for 20 s. */
async function waitForReplays(
  ledger: Ledger,
  sent: readonly string[],
  states: { settled: number; failed: number; waiting: number },
  progress: ProgressBar,
): Promise<void> {
  let movedAtMs = performance.now();
  // In the order in which they were sent, which is about that in which they are read.
  for (let from = 0; from < sent.length; from += watchedReplays) {
    for (let open = sent.slice(from, from + watchedReplays); open.length > 0; ) {
      const found = await ledger.readStates(open);
      const next = found.filter(({ state }) => state === 'replayed').map(({ id }) => id);
      states.settled += found.filter(({ state }) => state === 'settled').length;
      states.failed += found.filter(({ state }) => state === 'pending').length;
      if (next.length < open.length) movedAtMs = performance.now();
      progress.advance(0, 0);
      open = next;
      if (performance.now() - movedAtMs >= patienceMs) {
        states.waiting += open.length;
        break;
      }
      if (open.length > 0) await pause(pollMs);
    }
  }
}

function listReplayProblems({ failed, waiting }: { readonly failed: number; readonly waiting: number }): string[] {
  return [
    ...(failed === 0
      ? []
      : [`${formatCount(failed, 'replayed dead letter')} failed again; see "tenantscope dead-letters summary"`]),
    ...(waiting === 0
      ? []
      : [
          `${formatCount(waiting, 'replayed dead letter is', 'replayed dead letters are')} not read yet; see "tenantscope lanes list" for the lanes of their topics`,
        ]),
  ];
}

function createReplayResult(
  counts: ReplayCounts,
  states: { settled: number; failed: number; waiting: number } | null,
): CommandResult {
  const count = (value: number) => value.toLocaleString('en');
  const refused = Object.values(counts.refused).reduce((sum, amount) => sum + amount, 0);
  const text = formatFields([
    ['dead letters', count(counts.matching)],
    [states === null ? 'would be replayed' : 'replayed', count(counts.accepted)],
    ...(states === null
      ? []
      : ([
          ['  are records now', count(states.settled)],
          ['  failed again', count(states.failed)],
          ['  not read yet', count(states.waiting)],
        ] as const)),
    ['still refused', count(refused)],
    ...Object.entries(counts.refused).map(([reason, amount]) => [`  ${reason}`, count(amount)] as const),
    ...(counts.truncated === 0 ? [] : [['stored in part only', count(counts.truncated)] as const]),
  ]);
  return { document: { dryRun: states === null, ...counts, ...(states ?? {}) }, text };
}
