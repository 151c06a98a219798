import { QueryTimedOut } from '@tenantscope/store/connection';
import { type LaneStep, type Ledger, writeLaneStep } from '@tenantscope/store/ingest';
import type { IngestMetrics } from '../ingest-metrics.ts';
import { retryWhileUnavailable } from '../retry.ts';

/** `fenced`: another worker moved the lane. `abandoned`: the lane was stopped meanwhile. Neither wrote anything. */
export type WriteOutcome = 'written' | 'fenced' | 'abandoned';

export interface WriteOptions {
  readonly metrics: IngestMetrics;
  /** Whether the caller can write fewer records at a time, instead of repeating statements that exceed their time. */
  readonly isDivisible?: boolean;
  isActive(): boolean;
}

/** The statements of a divisible slice exceeded their time repeatedly: the caller writes it in halves. */
export class SliceTimedOut extends Error {
  override name = 'SliceTimedOut';
}

/** Another writer blocks a lane once or twice; more often is a defect. */
const maxAttempts = 50;
/** The first time may be a lock that another writer has. */
const maxTimeouts = 2;

/**
 * Repeats a write while the database is unavailable or another writer blocks it. Null: the lane was stopped meanwhile. Throws SliceTimedOut where it is
 * divisible.
 */
export async function repeatWrite<Outcome>(
  partition: number,
  { metrics, isDivisible = false, isActive }: WriteOptions,
  write: () => Promise<Outcome | 'again'>,
): Promise<Outcome | null> {
  let timeouts = 0;
  const writeInTime = () =>
    write().catch((error: unknown) => {
      if (isDivisible && error instanceof QueryTimedOut && ++timeouts >= maxTimeouts)
        throw new SliceTimedOut(`partition ${partition}: not written in time`, { cause: error });
      throw error;
    });
  return retryWhileUnavailable(
    async () => {
      for (let attempt = 1; isActive(); attempt++) {
        const outcome = await writeInTime();
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
