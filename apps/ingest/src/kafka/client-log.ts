import type { Log } from '@tenantscope/runtime';
import type { KafkaReaderOptions } from './kafka-reader.ts';

const warningIntervalMs = 10_000;

/** The client's own log: a client without its broker logs many errors a second, so one each ten seconds is a warning, the rest debug. */
export function createClientLog(log: Log): KafkaReaderOptions['log'] {
  let warnedAtMs = Number.NEGATIVE_INFINITY;
  return (level, message) => {
    const isWarning = level === 'error' && performance.now() - warnedAtMs > warningIntervalMs;
    if (isWarning) warnedAtMs = performance.now();
    log[isWarning ? 'warn' : 'debug']({ client: message }, 'message from the Kafka client');
  };
}
