import { createRequire } from 'node:module';
import { type ByteCursor, readBytes, readVarint } from './record-headers.ts';

// Two private modules of kafkajs are replaced, here and nowhere else, before its first import. Measured from Kafka to the read models
// ("npm run bench", ingestion): without this file reading costs about half as much again. Any other version of kafkajs is refused.
const require = createRequire(import.meta.url);
const patchedVersion = '2.2.4';
const { version } = require('kafkajs/package.json') as { version: string };
if (version !== patchedVersion)
  throw new Error(
    `kafkajs is ${version}, but its record decoder is replaced for ${patchedVersion}. Compare both and update patchedVersion.`,
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
 * Decodes one record. The published decoder copies the headers object once per header and builds two long integers per record. Here headers
 * stay bytes; code that needs one walks over them.
 */
function decodeRecord(decoder: ByteCursor, context: BatchContext): unknown {
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

// In the published version the queue of every connection wakes each millisecond for ever, and warns of it on Node 24.
const RequestQueue = require('kafkajs/src/network/requestQueue/index.js') as {
  prototype: { scheduleCheckPendingRequests(this: { pending: unknown[]; throttledUntil: number }): void };
};
const schedule = RequestQueue.prototype.scheduleCheckPendingRequests;
RequestQueue.prototype.scheduleCheckPendingRequests = function schedulePending() {
  if (this.pending.length > 0 || this.throttledUntil > Date.now()) schedule.call(this);
};

/** kafkajs, loaded after its modules were replaced. Import it from this file only. */
export const kafkajs = require('kafkajs') as typeof import('kafkajs');
