import { createRequire } from 'node:module';
import { type Place, readBytes, readVarint } from './record-headers.ts';

// Two private modules of kafkajs are replaced, here and nowhere else, before its first import. Measured over the whole way from Kafka
// («npm run bench», ingestion): without this file reading costs about half as much again. Refuses any version but the one it was read for.
const require = createRequire(import.meta.url);
const readFor = '2.2.4';
const { version } = require('kafkajs/package.json') as { version: string };
if (version !== readFor)
  throw new Error(
    `kafkajs is ${version}; its record decoder was replaced for ${readFor}. Compare them and raise the number.`,
  );

interface BatchContext {
  firstOffset: string;
  firstTimestamp: string;
  magicByte: number;
  isControlBatch?: boolean;
  timestampType?: number;
  maxTimestamp?: string;
}

const logAppendTime = 1;

/**
 * Decodes one record. Published, it copies the headers object once per header and builds two long integers per record. Here headers stay
 * the bytes they are; whoever needs one walks over them.
 */
function decodeRecord(decoder: Place, context: BatchContext): unknown {
  const attributes = decoder.buffer.readInt8(decoder.offset++);
  const timestampDelta = readVarint(decoder);
  const offset = String(Number(context.firstOffset) + readVarint(decoder));
  const key = readBytes(decoder);
  const value = readBytes(decoder);
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
    headers: decoder.buffer.subarray(decoder.offset),
    isControlRecord: context.isControlBatch ?? false,
    batchContext: context,
  };
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
