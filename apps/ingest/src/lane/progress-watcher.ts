import type { IngestMetrics } from '../ingest-metrics.ts';

const intervalMs = 1_000;
const stallMs = 60_000;

/** Reports a stall when nothing was fetched, written or retried for a minute. */
export function watchProgress(metrics: IngestMetrics, stalled: (error: Error) => void): Disposable {
  const timer = setInterval(() => {
    if (metrics.msSinceProgress() > stallMs) stalled(new Error(`no progress for ${stallMs / 1_000} s`));
  }, intervalMs);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
