import { createRequire } from 'node:module';
import { type DecodingBudget, decodeFetchedRecords, type FetchedRecord } from './fetched-records.ts';

// Two private modules of kafkajs are replaced, here and nowhere else, before its first import. Measured from Kafka to the read models
// ("npm run bench", ingestion): without this file reading costs about half as much again. Any other version of kafkajs is refused.
const require = createRequire(import.meta.url);
const patchedVersion = '2.2.4';
const { version } = require('kafkajs/package.json') as { version: string };
if (version !== patchedVersion)
  throw new Error(
    `kafkajs is ${version}, but its decoder of fetched records is replaced for ${patchedVersion}. Compare both and update patchedVersion.`,
  );

interface ResponseDecoder {
  readInt32(): number;
  canReadBytes(length: number): boolean;
  readBytes(length: number): Buffer;
}

let maxBatchBytes = 32 * 1_048_576;
const budgets = new WeakMap<ResponseDecoder, DecodingBudget>();

/** The bound of the decompressed size of a batch, for all clients of this process: no setting of a client reaches the decoder. */
export function setMaxBatchBytes(bytes: number): void {
  maxBatchBytes = bytes;
}

/**
 * The records of one partition of a fetch response. The published decoder decompresses without a bound, and one batch that it cannot read
 * fails the whole response: all partitions of the consumer stalled until an operator came.
 */
async function decodeMessages(decoder: ResponseDecoder): Promise<FetchedRecord[]> {
  const size = decoder.readInt32();
  if (size <= 0 || !decoder.canReadBytes(size)) return [];
  // All partitions of a response are read with one decoder.
  const budget = budgets.get(decoder) ?? { remainingBytes: maxBatchBytes, maxBatchBytes };
  budgets.set(decoder, budget);
  return decodeFetchedRecords(decoder.readBytes(size), budget);
}

const decoderPath = require.resolve('kafkajs/src/protocol/requests/fetch/v4/decodeMessages.js');
require(decoderPath);
const cached = require.cache[decoderPath];
if (cached) cached.exports = decodeMessages;

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
