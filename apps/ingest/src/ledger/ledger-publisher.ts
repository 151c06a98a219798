import { ledgerTopic, topicName } from '@tenantscope/contract';
import { type LedgerTopic, openLedgerTopic } from '@tenantscope/publish';
import { type KafkaConnection, type Log, runPeriodically } from '@tenantscope/runtime';
import {
  closeEpoch,
  compareMessages,
  findCommonEnd,
  findOuterEnds,
  type Ledger,
  markPublished,
  readLedgerPosition,
  readPendingEntries,
  recordComparison,
  withLedgerLock,
} from '@tenantscope/store/ingest';
import type { IngestMetrics } from '../ingest-metrics.ts';

const publishIntervalMs = 500;
const checkIntervalMs = 30_000;
const entriesPerRequest = 200;

export interface LedgerPublisherOptions {
  readonly kafka: KafkaConnection;
  readonly prefix: string;
  /** The first one has the lock: of all processes of a cell, one publishes at a time. */
  readonly ledgers: readonly [Ledger, ...Ledger[]];
  readonly metrics: Pick<IngestMetrics, 'setLedger'>;
  readonly log: Log;
}

export interface LedgerPublisher extends AsyncDisposable {
  /**
   * Whether the database has every entry of the topic. Where it lacks one, it was restored to an earlier time: its epoch is closed, so that nothing serves before
   * "tenantscope restore finish". Throws while Kafka is unavailable.
   */
  isComplete(): Promise<boolean>;
  /** Null while the epoch is open. */
  unreadyReason(): string | null;
}

/** Publishes what triggers recorded in the ledger, in every ingest process, and checks twice a minute that the topic is not ahead of the database. */
export function startLedgerPublisher({
  kafka,
  prefix,
  ledgers,
  metrics,
  log,
}: LedgerPublisherOptions): LedgerPublisher {
  const [locking] = ledgers;
  const topic = openLedgerTopic({
    ...kafka,
    clientId: 'tenantscope-ledger',
    topic: topicName(prefix, ledgerTopic),
    groupPrefix: `${prefix}.ledger`,
  });
  let checkedAtMs = Number.NEGATIVE_INFINITY;
  let failing = false;
  let isOpen = true;

  // Another process may publish while this one reads, which it will have recorded when the lock is free.
  const compare = async (isNewServer: boolean): Promise<boolean> => {
    const verdict = await withLedgerLock(locking, () => compareTopic(topic, ledgers, isNewServer, log));
    return verdict ?? false;
  };

  const publishAndCheck = async () => {
    const positions = await readPositions(ledgers);
    isOpen = positions.every(({ hasOpenEpoch }) => hasOpenEpoch);
    metrics.setLedger({
      oldestSeconds: Math.max(...positions.map(({ oldestSeconds }) => oldestSeconds)),
      hasOpenEpoch: isOpen,
    });
    if (!isOpen) return;
    if (performance.now() - checkedAtMs > checkIntervalMs) {
      if (!(await compare(false))) return;
      checkedAtMs = performance.now();
    }
    if (positions.some(({ pending }) => pending > 0)) await withLedgerLock(locking, () => publishAll(topic, ledgers));
  };
  const publishing = runPeriodically(publishIntervalMs, async () => {
    try {
      await publishAndCheck();
      if (failing) log.info('publishing the ledger resumed');
      failing = false;
    } catch (error) {
      if (!failing) log.warn({ err: error }, 'publishing the ledger failed; retrying every half second');
      failing = true;
    }
  });
  return {
    isComplete: () => compare(true),
    unreadyReason: () =>
      isOpen ? null : 'the database was promoted or restored; after a restore run "tenantscope restore finish"',
    async [Symbol.asyncDispose]() {
      await publishing[Symbol.asyncDispose]();
      await topic[Symbol.asyncDispose]();
    },
  };
}

async function publishAll(topic: LedgerTopic, ledgers: readonly Ledger[]): Promise<void> {
  const before = await readPositions(ledgers);
  for (const ledger of ledgers) await publishPending(topic, ledger);
  // Otherwise the next comparison reads what one of them may lack.
  if (findCommonEnd(before) >= findOuterEnds(before).latest)
    await recordComparisons(ledgers, findOuterEnds(await readPositions(ledgers)).latest);
}

/** A process that is killed in between publishes the same entries again, with the same numbers. */
async function publishPending(topic: LedgerTopic, ledger: Ledger): Promise<void> {
  for (let isFull = true; isFull; ) {
    const entries = await readPendingEntries(ledger, entriesPerRequest);
    isFull = entries.length === entriesPerRequest;
    if (entries.length === 0) return;
    const offsets = await topic.append(entries.map(({ text }) => Buffer.from(text)));
    await markPublished(ledger, { numbers: entries.map(({ number }) => number), offsets });
  }
}

/**
 * Reads only what one of the databases may lack, which is nothing unless a process was killed or a database is another one. False: a database lacks entries, and the
 * epochs are closed.
 */
export async function compareTopic(
  topic: LedgerTopic,
  ledgers: readonly Ledger[],
  isNewServer: boolean,
  log: Log,
): Promise<boolean> {
  const { start, end } = await topic.readBounds();
  const positions = await readPositions(ledgers);
  const { earliest, latest } = findOuterEnds(positions);
  if (end < latest)
    log.error(
      { end: String(end), expectedEnd: String(latest) },
      'the ledger topic lacks published entries; see backup.md',
    );
  const common = findCommonEnd(positions);
  if (common < start) return closeEpochs(ledgers, { entries: Number(start - common) }, log);
  // One database alone may have been restored, to a time before comparisons were recorded.
  const isUnknown = isNewServer && positions.some(({ comparedEnd }) => comparedEnd === null);
  // Of a topic that was created again the databases know no offset.
  const isRecreated = isNewServer && end < latest;
  const firstUnknown = earliest > start && !isRecreated ? earliest : start;
  const from = isUnknown || isRecreated ? firstUnknown : common;
  for await (const messages of topic.read(from, end))
    for (const ledger of ledgers) {
      const own = messages.filter(({ schema }) => schema === ledger.schema);
      const { present, missing, foreign } = await compareMessages(ledger, own);
      if (foreign > 0)
        log.error(
          { schema: ledger.schema, messages: foreign },
          'the ledger topic has messages that this database has not recorded; they are ignored; find out who may write to it',
        );
      if (missing > 0) return closeEpochs(ledgers, { schema: ledger.schema, entries: missing }, log);
      await markPublished(ledger, present);
    }
  await recordComparisons(ledgers, end);
  return true;
}

const readPositions = (ledgers: readonly Ledger[]) => Promise.all(ledgers.map(readLedgerPosition));

async function recordComparisons(ledgers: readonly Ledger[], end: bigint): Promise<void> {
  for (const ledger of ledgers) await recordComparison(ledger, end);
}

async function closeEpochs(ledgers: readonly Ledger[], missing: object, log: Log): Promise<false> {
  for (const each of ledgers) await closeEpoch(each);
  log.error(
    missing,
    'the ledger has entries that the database lacks: it was restored; run "tenantscope restore finish", nothing is served before',
  );
  return false;
}
