import type { Log } from '@tenantscope/runtime';
import { type ClaimedStream, claimStream } from '@tenantscope/store/collect';
import type { CollectMetrics } from '../collect-metrics.ts';
import { type RunDependencies, type RunSummary, runStream } from './stream-run.ts';

/** Of the runs of a process, at most this share is of streams whose last run failed: those of a provider that does not respond take the time of its requests. */
const failedShare = 0.5;
/** How often the database is searched for due streams: one statement of a few rows. */
const pollMs = 500;

export interface SchedulerOptions extends RunDependencies {
  readonly concurrency: number;
  readonly worker: string;
  readonly log: Log;
  readonly metrics: CollectMetrics;
}

/** Disposing interrupts the runs behind the page that they publish, and waits for them. */
export interface Scheduler extends AsyncDisposable {
  /** For how long it has not searched for due streams. */
  stalledMs(): number;
  /** For how long no search for due streams has succeeded. */
  failingMs(): number;
}

/** Runs the streams that are due, a limited number in parallel. Processes share the streams by leases in the database. */
export function startScheduler(options: SchedulerOptions): Scheduler {
  const stopping = new AbortController();
  const stopped = Promise.withResolvers<void>();
  const running = new Map<Promise<void>, ClaimedStream>();
  let passedAtMs = performance.now();
  let succeededAtMs = passedAtMs;
  const loop = (async () => {
    while (!stopping.signal.aborted) {
      const isSuccess = await startDueStreams(options, running, stopping.signal);
      passedAtMs = performance.now();
      if (isSuccess) succeededAtMs = passedAtMs;
      await pause(
        pollMs,
        running.size < options.concurrency ? [stopped.promise] : [stopped.promise, ...running.keys()],
      );
    }
    await Promise.all(running.keys());
  })();
  return {
    stalledMs: () => performance.now() - passedAtMs,
    failingMs: () => performance.now() - succeededAtMs,
    async [Symbol.asyncDispose]() {
      stopping.abort(new Error('the process stops'));
      stopped.resolve();
      await loop;
    },
  };
}

/** False where the database cannot be searched. */
async function startDueStreams(
  options: SchedulerOptions,
  running: Map<Promise<void>, ClaimedStream>,
  signal: AbortSignal,
): Promise<boolean> {
  const { control, providers, leaseMs, worker, log } = options;
  const failedMax = Math.max(1, Math.floor(options.concurrency * failedShare));
  while (running.size < options.concurrency && !signal.aborted) {
    const failed = running.values().filter(({ failureCount }) => failureCount > 0);
    const withoutFailed = [...failed].length >= failedMax;
    // A tenant with many streams, whose runs take a minute each, does not delay those of others.
    const runningTenants = [...new Set(running.values().map(({ tenantId }) => tenantId))];
    const claim = { providers: Object.keys(providers), leaseMs, worker, withoutFailed, runningTenants };
    const claimed = await claimStream(control, claim).catch((error: unknown) => {
      log.warn({ err: error }, 'database unavailable; retrying');
      return undefined;
    });
    if (!claimed) return claimed === null;
    const run = runStream(claimed, options, signal).then(
      (summary) => recordRun(options, claimed, summary),
      (error: unknown) => log.warn({ err: error, ...identify(claimed) }, 'run ended; its lease expires'),
    );
    const ended = run.finally(() => running.delete(ended));
    running.set(ended, claimed);
  }
  return true;
}

function recordRun({ log, metrics }: SchedulerOptions, claimed: ClaimedStream, summary: RunSummary): void {
  const { outcome, records, dueInMs } = summary;
  metrics.recordRun(claimed.provider, summary);
  const fields = { ...identify(claimed), records, dueInMs };
  if (outcome.kind !== 'failed') log.debug({ ...fields, outcome: outcome.kind }, 'run ended');
  else if (outcome.failure.kind === 'throttled')
    log.info({ ...fields, reason: outcome.failure.message }, 'provider limits the rate; retrying');
  else log.warn({ ...fields, kind: outcome.failure.kind, reason: outcome.failure.message }, 'run failed; retrying');
}

const identify = ({ collectorId, tenantId, provider, stream }: ClaimedStream) => ({
  collectorId,
  tenantId,
  provider,
  stream,
});

async function pause(ms: number, earlier: readonly Promise<void>[]): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([timeout, ...earlier]);
  clearTimeout(timer);
}
