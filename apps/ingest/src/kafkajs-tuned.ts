import { createRequire } from 'node:module';

// Two private modules of kafkajs are replaced, here and nowhere else, before its first import. Measured over the whole way from Kafka
// («npm run bench», ingestion): without this file reading costs about half as much again. Refuses any version but the one it was read for.
const require = createRequire(import.meta.url);
const readFor = '2.2.4';
const { version } = require('kafkajs/package.json') as { version: string };
if (version !== readFor)
  throw new Error(
    `kafkajs is ${version}; its record decoder was replaced for ${readFor}. Compare them and raise the number.`,
  );

interface Decoder {
  readInt8(): number;
  readVarInt(): number;
  readVarLong(): { toNumber(): number };
  readVarIntBytes(): Buffer | null;
}

interface BatchContext {
  firstOffset: string;
  firstTimestamp: string;
  magicByte: number;
  isControlBatch?: boolean;
  timestampType?: number;
  maxTimestamp?: string;
}

const logAppendTime = 1;
const names = new Map<string, string>();

/**
 * Decodes one record. Published, it copies the headers object once per header and builds two long integers per record.
 * `headerList` keeps the headers as they lay in the log, since a name may repeat and dead letters keep their order.
 */
function decodeRecord(decoder: Decoder, context: BatchContext): unknown {
  const attributes = decoder.readInt8();
  const timestampDelta = decoder.readVarLong().toNumber();
  const offset = String(Number(context.firstOffset) + decoder.readVarInt());
  const key = decoder.readVarIntBytes();
  const value = decoder.readVarIntBytes();
  const headers: Record<string, Buffer | Buffer[] | null> = {};
  const headerList: [string, Buffer | null][] = [];
  for (let left = decoder.readVarInt(); left > 0; left--) {
    const name = nameOf(decoder.readVarIntBytes() ?? Buffer.alloc(0));
    const content = decoder.readVarIntBytes();
    headerList.push([name, content]);
    const before = Object.hasOwn(headers, name) ? headers[name] : undefined;
    const next = before === undefined ? content : ([before, content].flat() as Buffer[]);
    Object.defineProperty(headers, name, { value: next, enumerable: true, configurable: true, writable: true });
  }
  return {
    magicByte: context.magicByte,
    attributes,
    timestamp:
      context.timestampType === logAppendTime && context.maxTimestamp
        ? context.maxTimestamp
        : String(Number(context.firstTimestamp) + timestampDelta),
    offset,
    key,
    value,
    headers,
    headerList,
    isControlRecord: context.isControlBatch ?? false,
    batchContext: context,
  };
}

/** The same few names come with every record: one string each. */
function nameOf(bytes: Buffer): string {
  const text = bytes.toString('utf8');
  const known = names.get(text);
  if (known !== undefined) return known;
  if (names.size < 1_000) names.set(text, text);
  return text;
}

const decoderPath = require.resolve('kafkajs/src/protocol/recordBatch/record/v0/decoder.js');
require(decoderPath);
const cached = require.cache[decoderPath];
if (cached) cached.exports = decodeRecord;

// Published, the queue of every connection wakes each millisecond for ever, and warns of it on Node 24.
const RequestQueue = require('kafkajs/src/network/requestQueue/index.js') as {
  prototype: { scheduleCheckPendingRequests(this: { pending: unknown[]; throttledUntil: number }): void };
};
const schedule = RequestQueue.prototype.scheduleCheckPendingRequests;
RequestQueue.prototype.scheduleCheckPendingRequests = function scheduleWhenNeeded() {
  if (this.pending.length > 0 || this.throttledUntil > Date.now()) schedule.call(this);
};

/** kafkajs, loaded after its modules were replaced. Everything here takes it from this file. */
export const kafkajs = require('kafkajs') as typeof import('kafkajs');
