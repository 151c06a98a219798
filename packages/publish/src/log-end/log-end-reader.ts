import { Admin } from '@platformatic/kafka';
import { type AdminConnection, createAdminOptions } from './admin-options.ts';
import { findFirstRecord, parseBatchHeaders, type UnreadRecord } from './batch-headers.ts';
import { fetchLogPage, type LogPage } from './fetch-request.ts';
import { identifyTopic } from './topic-identity.ts';

/** A position in the log of a topic-partition. */
export interface LogPosition {
  readonly clusterId: string;
  readonly topicId: string;
  readonly topic: string;
  readonly partition: number;
  readonly position: bigint;
}

/** Where a log ends, and its first record at or after a position. */
export interface LogEnd {
  readonly endOffset: bigint;
  readonly unread: UnreadRecord | null;
}

export interface LogEndReader extends AsyncDisposable {
  /** Null for a log whose broker did not return it. Throws when no broker responds. */
  read(positions: readonly LogPosition[]): Promise<(LogEnd | null)[]>;
}

const connectTimeoutMs = 3_000;
const requestTimeoutMs = 5_000;
/** The first record is normally in the first page; a range of aborted records is continued at the next call. */
const pagesPerCall = 16;
const offsetOutOfRange = 1;
const earliestOffset = -2n;

/**
 * Reads where logs end, from the headers of their record batches: nothing is decompressed, so a batch that no consumer can read is measured like any
 * other. A log that no longer exists (its topic was deleted or recreated, or the cluster is another one) has no unread record.
 */
export function createLogEndReader(connection: AdminConnection): LogEndReader {
  let client: Admin | null = null;
  const scanned = new Map<string, { position: bigint; to: bigint }>();

  const openClient = () =>
    new Admin({
      ...createAdminOptions(connection, 'tenantscope-log-ends'),
      connectTimeout: connectTimeoutMs,
      requestTimeout: requestTimeoutMs,
    });

  const readTopic = async (admin: Admin, topic: string) => {
    const metadata = await admin.metadata({ topics: [topic], forceUpdate: true }).catch((error: unknown) => {
      if (/^Unknown topic/.test((error as Error).message)) return null;
      throw error;
    });
    const found = metadata?.topics.get(topic);
    return metadata && found ? { metadata, found } : null;
  };

  const readEnd = async (admin: Admin, log: LogPosition, topic: Awaited<ReturnType<typeof readTopic>>) => {
    const nothingUnread: LogEnd = { endOffset: log.position, unread: null };
    const identity = topic && identifyTopic(connection, topic.metadata, log.topic);
    if (!topic || identity?.clusterId !== log.clusterId || identity.topicId !== log.topicId) return nothingUnread;
    const broker = topic.metadata.brokers.get(topic.found.partitions[log.partition]?.leader ?? -1);
    if (!broker) return null;
    const leader = await admin.connections.get(broker);
    const fetchFrom = (offset: bigint, onlyCommitted: boolean) =>
      fetchLogPage(leader, { ...log, offset, onlyCommitted });
    const key = `${log.topicId}/${log.partition}`;
    const before = scanned.get(key);
    const from = before?.position === log.position ? before.to : log.position;
    const { end, to } = await scanLog(fetchFrom, log.position, from, () => readEarliest(admin, log));
    if (to > log.position && end?.unread === null) scanned.set(key, { position: log.position, to });
    else scanned.delete(key);
    return end;
  };

  return {
    async read(positions) {
      client ??= openClient();
      const admin = client;
      try {
        const names = [...new Set(positions.map(({ topic }) => topic))];
        const topics = new Map<string, Awaited<ReturnType<typeof readTopic>>>();
        for (const name of names) topics.set(name, await readTopic(admin, name));
        const ends = await Promise.allSettled(
          positions.map((log) => readEnd(admin, log, topics.get(log.topic) ?? null)),
        );
        const failure = ends.find((end) => end.status === 'rejected');
        if (failure && ends.every((end) => end.status === 'rejected')) throw failure.reason;
        return ends.map((end) => (end.status === 'fulfilled' ? end.value : null));
      } catch (error) {
        client = null;
        await admin.close().catch(() => {});
        throw error;
      }
    },
    async [Symbol.asyncDispose]() {
      await client?.close().catch(() => {});
    },
  };
}

async function readEarliest(admin: Admin, { topic, partition }: LogPosition): Promise<bigint | null> {
  const partitions = [{ partitionIndex: partition, timestamp: earliestOffset }];
  const [listed] = await admin.listOffsets({ topics: [{ name: topic, partitions }] });
  return listed?.partitions[0]?.offset ?? null;
}

type FetchPage = (offset: bigint, onlyCommitted: boolean) => Promise<LogPage>;

/** Scans from `from` to the first record; `to` is where a later scan continues. Null: the broker did not return the log. */
async function scanLog(
  fetchPage: FetchPage,
  position: bigint,
  from: bigint,
  readEarliestOffset: () => Promise<bigint | null>,
): Promise<{ end: LogEnd | null; to: bigint }> {
  let to = from;
  let endOffset = position;
  for (let pages = 0; pages < pagesPerCall; pages++) {
    const page = await fetchPage(to, true);
    if (page.errorCode === offsetOutOfRange) {
      const earliest = await readEarliestOffset();
      // The log was truncated: it ends before the position.
      if (earliest === null || earliest <= to) return { end: { endOffset: position, unread: null }, to: position };
      to = earliest;
      continue;
    }
    if (page.errorCode !== 0) return { end: null, to };
    endOffset = page.highWatermark;
    const headers = parseBatchHeaders(page.records);
    const unread = findFirstRecord(headers, page.aborted, position);
    if (unread) return { end: { endOffset, unread }, to };
    const last = headers.at(-1);
    if (last && last.lastOffset >= to) to = last.lastOffset + 1n;
    if (to < page.lastStableOffset && last) continue;
    if (page.lastStableOffset >= page.highWatermark) break;
    // An open transaction: consumers wait for its end, so its records and everything after them are unread.
    const open = await fetchPage(page.lastStableOffset, false);
    return { end: { endOffset, unread: findFirstRecord(parseBatchHeaders(open.records), [], position) }, to };
  }
  return { end: { endOffset, unread: null }, to };
}
