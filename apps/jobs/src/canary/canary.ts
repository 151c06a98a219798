import { randomBytes } from 'node:crypto';
import { type Log, runPeriodically } from '@tenantscope/runtime';
import type { CanaryClient } from './canary-client.ts';
import type { CanaryMetrics } from './canary-metrics.ts';
import { type Contradictions, createComparison } from './comparison.ts';
import { createPollers } from './pollers.ts';

export interface CanaryOptions {
  readonly client: CanaryClient;
  /** Resolves when Kafka has acknowledged the record of the canary's tenant. */
  readonly send: (record: Buffer, id: string, timeMs: number) => Promise<void>;
  readonly metrics: CanaryMetrics;
  readonly log: Log;
  /** Logs a warning at most once a minute. */
  readonly warn: (message: string, error: unknown) => void;
  readonly intervalMs: number;
}

const windowMs = 10_000;

/**
 * Writes a record at each interval and polls the API by cursor, by window and by reading windows again. Every contradiction of the guarantee is counted and logged.
 * What the pollers remember ends with the process: a restart begins with the rows after it.
 */
export function startCanary({ client, send, metrics, log, warn, intervalMs }: CanaryOptions): AsyncDisposable {
  const prefix = `canary-${randomBytes(6).toString('hex')}-`;
  const comparison = createComparison(reportContradictions(metrics, log));
  const readSentAt = (id: string | null) => (id?.startsWith(prefix) ? Number(id.slice(prefix.length)) : null);
  const pollers = createPollers({ client, comparison, metrics, readSentAt, windowMs });
  let lastSentAtMs = 0;
  const write = async () => {
    // A record from before the first window would be in none.
    if (!pollers.isStarted()) return;
    const sentAtMs = Math.max(Date.now(), lastSentAtMs + 1);
    lastSentAtMs = sentAtMs;
    const id = `${prefix}${sentAtMs}`;
    await send(Buffer.from(JSON.stringify(createRecord(id, sentAtMs))), id, sentAtMs);
    comparison.acknowledge(sentAtMs);
  };
  const { follow, readWindow, repeatWindow } = pollers;
  const loops = new AsyncDisposableStack();
  for (const [step, run] of Object.entries({ write, follow, window: readWindow, repeat: repeatWindow })) {
    metrics.failures.inc({ step }, 0);
    // A failure is no contradiction: the step is repeated.
    const failed = (error: unknown) => {
      metrics.failures.inc({ step });
      warn(`canary: ${step} failed; retrying`, error);
    };
    loops.use(runPeriodically(intervalMs, () => run().catch(failed)));
  }
  metrics.enabled.set(1);
  return loops;
}

const loggedIds = 10;

const reportContradictions = (metrics: CanaryMetrics, log: Log): Contradictions => ({
  missed(poller, ids) {
    metrics.missed.inc({ poller }, ids.length);
    log.error({ poller, ids: ids.slice(0, loggedIds), count: ids.length }, 'canary rows missed');
  },
  repeated(ids) {
    metrics.repeated.inc(ids.length);
    log.error({ ids: ids.slice(0, loggedIds), count: ids.length }, 'canary rows repeated by a cursor');
  },
  windowChanged({ fromMs, toMs }) {
    metrics.windowChanged.inc();
    const [from, to] = [fromMs, toMs].map((ms) => new Date(ms).toISOString());
    log.error({ from, to }, 'closed window of the canary changed');
  },
});

/** A Management Activity record. Each has an id and a time of its own; the other members are equal. */
const createRecord = (id: string, atMs: number) => ({
  CreationTime: new Date(atMs).toISOString().slice(0, 19),
  Id: id,
  Operation: 'CanaryWritten',
  RecordType: 6,
  UserType: 0,
  UserId: 'canary@tenantscope.invalid',
  Workload: 'SharePoint',
});
