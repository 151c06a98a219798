import { Kafka, type KafkaConfig, logLevel } from 'kafkajs';
import { patchKafkajs } from './kafkajs-patches.ts';

/** No broker of the list responded in time. The message contains the addresses, which are not secret. */
export class KafkaUnavailable extends Error {
  override name = 'KafkaUnavailable';
}

/** Brokers, host:port, several separated by commas, and how to connect to them: in plaintext without a login by default. */
export interface BrokerConnection extends Pick<KafkaConfig, 'ssl' | 'sasl'> {
  readonly brokers: string;
}

export interface ClientOptions extends BrokerConnection {
  readonly clientId: string;
  readonly timeoutMs?: number;
}

/**
 * Creates a client for producers and administration tools: it fails early with an error, instead of logging and retrying
 * for minutes as a service would. `timeoutMs` bounds a connection and, sixfold, one request.
 */
export function createKafkaClient({ brokers, clientId, timeoutMs = 5_000, ...security }: ClientOptions): Kafka {
  patchKafkajs();
  return new Kafka({
    ...security,
    brokers: brokers.split(',').map((address) => address.trim()),
    clientId,
    connectionTimeout: timeoutMs,
    requestTimeout: timeoutMs * 6,
    retry: { retries: 4, initialRetryTime: 200, maxRetryTime: timeoutMs },
    logLevel: logLevel.ERROR,
    // Not logged: the reason of the last failed attempt, for a deadline that ends before kafkajs gives up.
    logCreator: () => (entry) => lastFailures.set(brokers, entry.log.message),
  });
}

/** By brokers, the last error that a client reported. */
const lastFailures = new Map<string, string>();

/** Waits for a client to connect; throws KafkaUnavailable when it fails, or after `timeoutMs`: kafkajs alone would retry for longer than an operator waits. */
export async function waitForBroker<Result>(
  brokers: string,
  timeoutMs: number,
  work: Promise<Result>,
): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_, reject) => {
    const message = `Kafka at ${brokers} did not respond within ${timeoutMs} ms`;
    const fail = () => reject(new KafkaUnavailable(message, { cause: new Error(lastFailures.get(brokers) ?? '') }));
    timer = setTimeout(fail, timeoutMs);
  });
  try {
    return await Promise.race([work, deadline]);
  } catch (error) {
    if (error instanceof KafkaUnavailable) throw error;
    throw new KafkaUnavailable(`Kafka at ${brokers} is unavailable`, { cause: error });
  } finally {
    clearTimeout(timer);
  }
}
