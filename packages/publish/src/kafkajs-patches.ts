import { createRequire } from 'node:module';
import { crc32c } from './crc32c.ts';
import { encodeRecord, type RecordInput } from './record-encoder.ts';

const require = createRequire(import.meta.url);
const patchedVersion = '2.2.4';

let isPatched = false;

/** Replaces parts of kafkajs, before its first client. */
export function patchKafkajs(): void {
  if (isPatched) return;
  isPatched = true;
  patchRequestQueue();
  patchEncoding();
}

interface RequestQueue {
  readonly pending: readonly unknown[];
  readonly throttledUntil: number;
  scheduleCheckPendingRequests(): void;
}

/**
 * @NOTE kafkajs 2.2.4 re-arms a timer with a negative delay on each response, forever and once a millisecond, even if
 * no request waits (tulios/kafkajs#1751): 1.7 % of a core and a warning of Node. The timer runs only if a request waits or
 * the broker throttles, since without it a throttled client hangs (#1532).
 */
function patchRequestQueue(): void {
  const RequestQueue = require('kafkajs/src/network/requestQueue/index.js') as { prototype: RequestQueue };
  const schedule = RequestQueue.prototype.scheduleCheckPendingRequests;
  RequestQueue.prototype.scheduleCheckPendingRequests = function (this: RequestQueue) {
    if (this.pending.length > 0 || this.throttledUntil > Date.now()) schedule.call(this);
  };
}

/**
 * How kafkajs encodes what it sends. `tenantscope import` takes 36 instead of 60 µs of processor time per line of 1.5 kB ("npm run bench", import). Requests are loaded
 * when they are first sent, so that they find these modules. In a version that was not compared with them, the original ones stay.
 */
function patchEncoding(): void {
  const { version } = require('kafkajs/package.json') as { version: string };
  if (version !== patchedVersion) return;
  replaceModule<(record: RecordInput) => unknown>('recordBatch/record/v0', (original) => (record) => {
    const { timestampDelta = 0 } = record;
    return Math.abs(timestampDelta) < 2 ** 30 ? encodeRecord(record) : original(record);
  });
  replaceModule<(bytes: Buffer) => number>('recordBatch/crc32C', () => crc32c);
  const { prototype } = require('kafkajs/src/protocol/encoder.js') as { prototype: Encoder };
  prototype.ensureAvailable = ensureAvailable;
}

function replaceModule<Exports>(name: string, replace: (original: Exports) => Exports): void {
  const path = require.resolve(`kafkajs/src/protocol/${name}/index.js`);
  const original = require(path) as Exports;
  const module = require.cache[path];
  if (module !== undefined) module.exports = replace(original);
}

interface Encoder {
  buf: Buffer;
  offset: number;
  ensureAvailable(length: number): void;
}

/** Without zeroing: nothing behind `offset` is sent. */
function ensureAvailable(this: Encoder, length: number): void {
  const needed = this.offset + length;
  if (needed <= this.buf.length) return;
  const grown = Buffer.allocUnsafeSlow(2 ** (32 - Math.clz32(needed)));
  this.buf.copy(grown, 0, 0, this.offset);
  this.buf = grown;
}
