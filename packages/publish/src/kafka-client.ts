import { createRequire } from 'node:module';
import { Kafka, logLevel } from 'kafkajs';

/** No broker of the list answered in time. The message names the addresses, which hold no secret. */
export class KafkaSilent extends Error {
  override name = 'KafkaSilent';
}

/**
 * A client for tools that send and administer: it gives up soon and says so by throwing, instead of logging and retrying
 * for minutes as a service would. `timeoutMs` bounds a connection and, sixfold, one request.
 */
export function kafkaClient(options: { brokers: string; clientId: string; timeoutMs?: number }): Kafka {
  const timeoutMs = options.timeoutMs ?? 5_000;
  restRequestQueues();
  return new Kafka({
    brokers: options.brokers.split(',').map((address) => address.trim()),
    clientId: options.clientId,
    connectionTimeout: timeoutMs,
    requestTimeout: timeoutMs * 6,
    retry: { retries: 4, initialRetryTime: 200, maxRetryTime: timeoutMs },
    logLevel: logLevel.NOTHING,
  });
}

/** Waits for a client to connect; throws KafkaSilent when it fails, or after `timeoutMs`: kafkajs would go on for longer than a person waits. */
export async function answers<Result>(brokers: string, timeoutMs: number, work: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<never>((_, reject) => {
    const message = `Kafka at ${brokers} did not answer within ${timeoutMs} ms`;
    timer = setTimeout(() => reject(new KafkaSilent(message)), timeoutMs);
  });
  try {
    return await Promise.race([work, silence]);
  } catch (error) {
    if (error instanceof KafkaSilent) throw error;
    throw new KafkaSilent(`Kafka at ${brokers} cannot be reached`, { cause: error });
  } finally {
    clearTimeout(timer);
  }
}

interface RequestQueue {
  readonly pending: readonly unknown[];
  readonly throttledUntil: number;
  scheduleCheckPendingRequests(): void;
}

let rested = false;

/**
 * @NOTE kafkajs 2.2.4 re-arms a timer with a negative delay on each response, for ever and once a millisecond, also when
 * nothing waits (tulios/kafkajs#1751): 1.7 % of a core and a warning of Node. The timer is kept where something waits or
 * the broker throttles, since without it a throttled client hangs (#1532).
 */
function restRequestQueues(): void {
  if (rested) return;
  rested = true;
  const RequestQueue = createRequire(import.meta.url)('kafkajs/src/network/requestQueue/index.js') as {
    prototype: RequestQueue;
  };
  const schedule = RequestQueue.prototype.scheduleCheckPendingRequests;
  RequestQueue.prototype.scheduleCheckPendingRequests = function (this: RequestQueue) {
    if (this.pending.length > 0 || this.throttledUntil > Date.now()) schedule.call(this);
  };
}
