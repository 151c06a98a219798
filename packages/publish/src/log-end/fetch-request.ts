import { type Connection, fetchV13, type Reader } from '@platformatic/kafka';
import type { AbortedTransaction } from './batch-headers.ts';

/** A part of a log, from the requested offset on. */
export interface LogPage {
  readonly errorCode: number;
  /** The end of the log, with records of open transactions. */
  readonly highWatermark: bigint;
  /** The end of what consumers of committed records can read. */
  readonly lastStableOffset: bigint;
  readonly aborted: readonly AbortedTransaction[];
  /** Record batches, as they are in the log. */
  readonly records: Buffer;
}

export interface LogPageQuery {
  readonly topicId: string;
  readonly partition: number;
  readonly offset: bigint;
  readonly onlyCommitted: boolean;
}

const fetchKey = 1;
/** The first version that names topics by id: the log of a recreated topic is another one. */
const fetchVersion = 13;
const noSession = -1;
const unknownEpoch = -1;
/** A broker returns the first batch whole, however large it is. */
const maxBytes = 65_536;

/** Fetches a part of a log without decompressing anything; the client's own response parser would. */
export function fetchLogPage(connection: Connection, query: LogPageQuery): Promise<LogPage> {
  const { topicId, partition, offset, onlyCommitted } = query;
  const partitions = [
    {
      partition,
      currentLeaderEpoch: unknownEpoch,
      fetchOffset: offset,
      lastFetchedEpoch: unknownEpoch,
      partitionMaxBytes: maxBytes,
    },
  ];
  const isolation = onlyCommitted ? 1 : 0;
  return new Promise((resolve, reject) => {
    connection.send<LogPage>(
      fetchKey,
      fetchVersion,
      () => fetchV13.createRequest(0, 0, maxBytes, isolation, 0, noSession, [{ topicId, partitions }], [], ''),
      (_correlationId, _key, _version, reader) => parseLogPage(reader),
      true,
      true,
      (error, page) => (error ? reject(error) : resolve(page as LogPage)),
    );
  });
}

function parseLogPage(reader: Reader): LogPage {
  reader.readInt32(); // throttle time
  const errorCode = reader.readInt16();
  reader.readInt32(); // session id
  const pages = reader.readArray((topic) => {
    topic.readUUID();
    return topic.readArray((partition): LogPage => {
      partition.readInt32(); // index
      const code = partition.readInt16();
      const highWatermark = partition.readInt64();
      const lastStableOffset = partition.readInt64();
      partition.readInt64(); // start of the log
      const aborted =
        partition.readNullableArray((one) => ({ producerId: one.readInt64(), firstOffset: one.readInt64() })) ?? [];
      partition.readInt32(); // preferred replica
      const records = partition.readNullableBytes() ?? Buffer.alloc(0);
      return { errorCode: code, highWatermark, lastStableOffset, aborted, records };
    });
  });
  const [page] = pages.flat();
  return page ?? { errorCode, highWatermark: -1n, lastStableOffset: -1n, aborted: [], records: Buffer.alloc(0) };
}
