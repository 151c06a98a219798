import { ledgerTopic, topicName } from '@tenantscope/contract';
import { type LedgerTopic, openLedgerTopic } from '@tenantscope/publish';
import { type KafkaConnection, type Log, runPeriodically } from '@tenantscope/runtime';
import {
  closeEpoch,
  compareMessages,
  type Ledger,
  markPublished,
  readLedgerPosition,
  readPendingEntries,
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
    const positions = await Promise.all(ledgers.map(readLedgerPosition));
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
    if (positions.some(({ pending }) => pending > 0))
      await withLedgerLock(locking, async () => {
        for (const ledger of ledgers) await publishPending(topic, ledger);
      });
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
 * Reads only what the databases do not know yet, which is nothing unless a process was killed or a database is another one. Of a new server it reads
 * from the earlier of the two positions: one database alone may have been restored.
 */
async function compareTopic(
  topic: LedgerTopic,
  ledgers: readonly Ledger[],
  isNewServer: boolean,
  log: Log,
): Promise<boolean> {
  const { start, end } = await topic.readBounds();
  const ends = (await Promise.all(ledgers.map(readLedgerPosition))).map(({ topicEnd }) => topicEnd);
  const [earliest = 0n, latest = earliest] = ends.toSorted((one, other) => (one < other ? -1 : 1));
  if (end < latest)
    log.error(
      { end: String(end), expectedEnd: String(latest) },
      'the ledger topic lacks published entries; see backup.md',
    );
  if (latest < start) return closeEpochs(ledgers, { entries: Number(start - latest) }, log);
  const from = isNewServer && earliest > start ? earliest : isNewServer ? start : latest;
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
  return true;
}

async function closeEpochs(ledgers: readonly Ledger[], missing: object, log: Log): Promise<false> {
  for (const each of ledgers) await closeEpoch(each);
  log.error(
    missing,
    'the ledger has entries that the database lacks: it was restored; run "tenantscope restore finish", nothing is served before',
  );
  return false;
}
