import { type LaneStep, type Ledger, writeLaneStep } from '@tenantscope/store/ingest';
import type { IngestMetrics } from '../ingest-metrics.ts';
import { retryWhileUnavailable } from '../retry.ts';

/** `fenced`: another worker moved the lane. `abandoned`: the lane was stopped meanwhile. Neither wrote anything. */
export type WriteOutcome = 'written' | 'fenced' | 'abandoned';

export interface WriteOptions {
  readonly metrics: IngestMetrics;
  isActive(): boolean;
}

/** Another writer blocks a lane once or twice; more often is a defect. */
const maxAttempts = 50;

/** Repeats a write while the database is unavailable or another writer blocks it. Null: the lane was stopped meanwhile. */
export async function repeatWrite<Outcome>(
  partition: number,
  { metrics, isActive }: WriteOptions,
  write: () => Promise<Outcome | 'again'>,
): Promise<Outcome | null> {
  return retryWhileUnavailable(
    async () => {
      for (let attempt = 1; isActive(); attempt++) {
        const outcome = await write();
        if (outcome !== 'again') return outcome;
        if (attempt === maxAttempts)
          throw new Error(`partition ${partition}: ${attempt} consecutive writes were blocked by other writers`);
      }
      return null;
    },
    { shouldRetry: isActive, onRetry: metrics.recordRetry },
  );
}

/** Writes one step of a lane. `moved`: a tenant was moved since the step was prepared, and nothing was written. */
export async function writeStep(
  ledger: Ledger,
  options: WriteOptions,
  step: LaneStep,
  apply: Parameters<typeof writeLaneStep>[2],
): Promise<WriteOutcome | 'moved'> {
  const outcome = await repeatWrite(step.lane.partition, options, () => writeLaneStep(ledger, step, apply));
  return outcome ?? 'abandoned';
}
