import { randomUUID } from 'node:crypto';
import { type Admin, CompressionTypes, type Producer } from 'kafkajs';
import { type ClientOptions, createKafkaClient, waitForBroker } from './kafka-client.ts';
import { type RangeMessage, readRange } from './ledger-range.ts';
import { splitIntoBatches } from './split-batches.ts';

/** What was written to the topic, by whomever. */
export interface LedgerMessage {
  readonly offset: bigint;
  readonly text: string;
  /** Null where the text is not that of a JSON object as PostgreSQL writes it. */
  readonly schema: string | null;
}

/** The ledger's one partition. Its entries have one order, and an offset is a position in it. */
export interface LedgerTopic extends AsyncDisposable {
  /** Resolves with the offset of each value when all in-sync replicas have them. */
  append(values: readonly Buffer[]): Promise<bigint[]>;
  /** The offsets of its first entry and of the next one; both 0 before the topic is created. A retention may have deleted what was before the first. */
  readBounds(): Promise<{ start: bigint; end: bigint }>;
  /** The messages of a range in their order, in pieces of at most 2 MB; a longer message is a piece of its own. The next piece is read when it is requested. */
  read(from: bigint, to: bigint): AsyncIterable<readonly LedgerMessage[]>;
}

export interface LedgerTopicOptions extends ClientOptions {
  readonly topic: string;
  /** Each reading has a consumer group of its own, whose name begins with this. */
  readonly groupPrefix: string;
  /** Reading fails when nothing arrives for as long as this: 60 s by default. */
  readonly stallMs?: number;
}

const partition = 0;
/** A piece and its copies, as text and as a parameter, are in memory. */
const pieceBytes = 2_000_000;

/** Connects on demand: opening does nothing. */
export function openLedgerTopic({ topic, groupPrefix, stallMs = 60_000, ...options }: LedgerTopicOptions): LedgerTopic {
  const { brokers, timeoutMs = 5_000 } = options;
  const kafka = createKafkaClient({ ...options, timeoutMs });
  const connect = async <Client extends Producer | Admin>(client: Client): Promise<Client> => {
    await waitForBroker(brokers, timeoutMs, client.connect());
    return client;
  };
  const producer = connectOnce(() => connect(kafka.producer({ allowAutoTopicCreation: false })));
  const admin = connectOnce(() => connect(kafka.admin()));
  return {
    async append(values) {
      const offsets: bigint[] = [];
      const messages = values.map((value) => ({ key: null, value, headers: {} }));
      for await (const part of splitIntoBatches(messages)) {
        const sent = part.messages.map(({ value }) => ({ value, partition }));
        const send = async () =>
          (await producer.get()).send({ topic, acks: -1, compression: CompressionTypes.GZIP, messages: sent });
        const [written] = await send();
        const first = BigInt(written?.baseOffset ?? -1);
        offsets.push(...part.messages.map((_, index) => first + BigInt(index)));
      }
      return offsets;
    },
    async readBounds() {
      const client = await admin.get();
      if (!(await client.listTopics()).includes(topic)) return { start: 0n, end: 0n };
      const [{ low = '0', high = '0' } = {}] = await client.fetchTopicOffsets(topic);
      return { start: BigInt(low), end: BigInt(high) };
    },
    read: (from, to) =>
      readPieces(
        from < to ? readRange(kafka, { topic, groupId: `${groupPrefix}.${randomUUID()}`, from, to, stallMs }) : [],
      ),
    async [Symbol.asyncDispose]() {
      await Promise.all([producer.close(), admin.close()]);
    },
  };
}

/** A client that is connected when it is first needed, and again after that failed. */
function connectOnce<Client extends { disconnect(): Promise<void> }>(connect: () => Promise<Client>) {
  let connected: Promise<Client> | null = null;
  return {
    get(): Promise<Client> {
      connected ??= connect().catch((error: unknown) => {
        connected = null;
        throw error;
      });
      return connected;
    },
    async close(): Promise<void> {
      await connected?.then((client) => client.disconnect()).catch(() => {});
    },
  };
}

async function* readPieces(
  messages: AsyncIterable<RangeMessage> | Iterable<RangeMessage>,
): AsyncGenerator<LedgerMessage[]> {
  for await (const piece of splitIntoBatches(messages, pieceBytes))
    yield piece.messages.map(({ offset, value }) => ({ offset, ...parseMessage(value.toString('utf8')) }));
}

/** Escapes that JSON has and `jsonb` refuses, and that PostgreSQL never writes. */
const refusedEscape = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/i;

function parseMessage(text: string): Pick<LedgerMessage, 'text' | 'schema'> {
  try {
    const { schema } = (refusedEscape.test(text) ? {} : (JSON.parse(text) ?? {})) as { schema?: unknown };
    return { text, schema: typeof schema === 'string' ? schema : null };
  } catch {
    return { text, schema: null };
  }
}
