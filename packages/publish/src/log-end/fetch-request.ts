import { type Connection, fetchV4, fetchV13, type Reader } from '@platformatic/kafka';
import type { AbortedTransaction } from './batch-headers.ts';
import { isDerivedTopicId } from './topic-identity.ts';

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
  readonly topic: string;
  readonly topicId: string;
  readonly partition: number;
  readonly offset: bigint;
  readonly onlyCommitted: boolean;
}

const fetchKey = 1;
/** The first version that names topics by id: the log of a recreated topic is another one. */
const idVersion = 13;
/** The first version with transactions, and the oldest of Kafka 4 and of Azure Event Hubs: it names topics by name. */
const nameVersion = 4;
const noSession = -1;
const unknownEpoch = -1;
/** A broker returns the first batch whole, however large it is. */
const maxBytes = 65_536;

/** Fetches a part of a log without decompressing anything; the client's own response parser would. */
export function fetchLogPage(connection: Connection, query: LogPageQuery): Promise<LogPage> {
  return isDerivedTopicId(query.topicId) ? fetchByName(connection, query) : fetchById(connection, query);
}

function createTopics(name: string, { partition, offset }: LogPageQuery) {
  const fetched = {
    partition,
    currentLeaderEpoch: unknownEpoch,
    fetchOffset: offset,
    lastFetchedEpoch: unknownEpoch,
    partitionMaxBytes: maxBytes,
  };
  return [{ topicId: name, partitions: [fetched] }];
}

const toIsolation = ({ onlyCommitted }: LogPageQuery): number => (onlyCommitted ? 1 : 0);

function fetchById(connection: Connection, query: LogPageQuery): Promise<LogPage> {
  const topics = createTopics(query.topicId, query);
  return send(connection, {
    version: idVersion,
    isFlexible: true,
    createRequest: () => fetchV13.createRequest(0, 0, maxBytes, toIsolation(query), 0, noSession, topics, [], ''),
    parse(reader) {
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
    },
  });
}

async function fetchByName(connection: Connection, query: LogPageQuery): Promise<LogPage> {
  const [page] = await fetchNamedPages(connection, createTopics(query.topic, query), toIsolation(query));
  return (
    page ?? {
      errorCode: unknownTopic,
      highWatermark: -1n,
      lastStableOffset: -1n,
      aborted: [],
      records: Buffer.alloc(0),
    }
  );
}

const unknownTopic = 3;
/** Beyond the end of every log: a broker checks the right to read first and returns no record. */
const beyondEnd = 2n ** 62n;

/** By topic, the error with which a leader returns this partition of it: the code of an offset out of range where the client may read it. */
export async function probeReadAccess(
  connection: Connection,
  probes: readonly { readonly topic: string; readonly partition: number }[],
): Promise<ReadonlyMap<string, number>> {
  const topics = probes.flatMap(({ topic, partition }) =>
    createTopics(topic, { topic, topicId: '', partition, offset: beyondEnd, onlyCommitted: true }),
  );
  const pages = await fetchNamedPages(connection, topics, 1);
  return new Map(pages.map(({ topic, errorCode }) => [topic, errorCode]));
}

function fetchNamedPages(
  connection: Connection,
  topics: ReturnType<typeof createTopics>,
  isolation: number,
): Promise<(LogPage & { readonly topic: string })[]> {
  return send(connection, {
    version: nameVersion,
    isFlexible: false,
    createRequest: () => fetchV4.createRequest(0, 0, maxBytes, isolation, 0, noSession, topics, [], ''),
    parse(reader) {
      reader.readInt32(); // throttle time
      const readList = <Item>(from: Reader, item: (reader: Reader) => Item) => from.readArray(item, false, false);
      return readList(reader, (found) => {
        const topic = found.readString(false);
        return readList(found, (partition) => {
          partition.readInt32(); // index
          const errorCode = partition.readInt16();
          const highWatermark = partition.readInt64();
          const lastStableOffset = partition.readInt64();
          const aborted =
            partition.readNullableArray(
              (one) => ({ producerId: one.readInt64(), firstOffset: one.readInt64() }),
              false,
              false,
            ) ?? [];
          const records = partition.readNullableBytes(false) ?? Buffer.alloc(0);
          return { topic, errorCode, highWatermark, lastStableOffset, aborted, records };
        });
      }).flat();
    },
  });
}

interface FetchRequest<Response> {
  readonly version: number;
  /** Whether the headers of request and response have tagged fields. */
  readonly isFlexible: boolean;
  createRequest(): ReturnType<typeof fetchV13.createRequest>;
  parse(reader: Reader): Response;
}

function send<Response>(connection: Connection, request: FetchRequest<Response>): Promise<Response> {
  const { version, isFlexible } = request;
  return new Promise((resolve, reject) => {
    connection.send<Response>(
      fetchKey,
      version,
      request.createRequest,
      (_correlationId, _key, _version, reader) => request.parse(reader),
      isFlexible,
      isFlexible,
      (error, response) => (error ? reject(error) : resolve(response as Response)),
    );
  });
}
