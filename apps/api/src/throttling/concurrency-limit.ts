import { serviceUnavailable } from '../http/error-response.ts';
import { concurrentReads, queuedReadsPerKey, readQueueTimeoutMs, readsPerKey } from '../limits.ts';

/** Limits the concurrent reads of a key; further requests queue, so that one poller cannot occupy all connections. */
export interface ConcurrencyLimiter {
  run<Value>(keyId: string, work: () => Promise<Value>): Promise<Value>;
  readonly inFlight: number;
}

interface WaitQueue {
  running: number;
  readonly waiting: (() => void)[];
}

export interface ConcurrencyLimits {
  readonly perKey: number;
  readonly queuedPerKey: number;
  readonly total: number;
  readonly queueTimeoutMs: number;
}

const readLimits: ConcurrencyLimits = {
  perKey: readsPerKey,
  queuedPerKey: queuedReadsPerKey,
  total: concurrentReads,
  queueTimeoutMs: readQueueTimeoutMs,
};

/** Rejects with 503 when the queue of a key is full or the wait too long; while `overloaded`, it rejects every new request. */
export function createConcurrencyLimiter(
  overloaded: () => boolean,
  limits: ConcurrencyLimits = readLimits,
): ConcurrencyLimiter {
  const queues = new Map<string, WaitQueue>();
  let inFlight = 0;

  const acquire = async (queue: WaitQueue): Promise<void> => {
    if (queue.running < limits.perKey) {
      queue.running += 1;
      return;
    }
    if (queue.waiting.length >= limits.queuedPerKey)
      throw serviceUnavailable('Too many requests of this key are queued.');
    await new Promise<void>((resolve, reject) => {
      const granted = () => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        queue.waiting.splice(queue.waiting.indexOf(granted), 1);
        reject(serviceUnavailable('The request was queued too long behind earlier requests of this key.'));
      }, limits.queueTimeoutMs);
      queue.waiting.push(granted);
    });
  };

  /** Hands the free slot to the request that has waited longest. */
  const release = (keyId: string, queue: WaitQueue): void => {
    const next = queue.waiting.shift();
    if (next) next();
    else if (queue.running > 1) queue.running -= 1;
    else queues.delete(keyId);
  };

  return {
    get inFlight() {
      return inFlight;
    },
    async run(keyId, work) {
      if (inFlight >= limits.total || overloaded()) throw serviceUnavailable('The service is overloaded.');
      const queue = queues.get(keyId) ?? { running: 0, waiting: [] };
      queues.set(keyId, queue);
      inFlight += 1;
      try {
        await acquire(queue);
        try {
          return await work();
        } finally {
          release(keyId, queue);
        }
      } finally {
        inFlight -= 1;
      }
    },
  };
}
