import type pg from 'pg';
import { isRetryable, readErrorCode } from '../../connection/errors.ts';
import { withConnection } from '../../connection/pool.ts';
import { type DeadLetter, type Replay, settleReplays, writeDeadLetters } from './dead-letter.ts';
import { advanceLane, type LaneAdvance, type Ledger, type WrittenLane } from './lane.ts';

export interface LaneStep {
  lane: WrittenLane;
  /** The lane must be at this offset, or nothing is written. */
  fromOffset: bigint;
  toOffset: bigint;
  /** Replays of dead letters that this step applies. */
  settledReplays: readonly Replay[];
  /** Of the list of moving tenants that the step was prepared with; absent where it has no tenants. */
  movesVersion?: string;
}

/** Anything but `written` has changed nothing. `fenced`: read the lane again. `again`: the same step may be retried unchanged. `moved`: prepare it again. */
export type LaneStepOutcome = 'written' | 'fenced' | 'again' | 'moved';

/** Whether the list of moving tenants has changed since a batch was prepared. */
export const areMovesStale = (batch: { readonly movesVersion?: string }, advance: LaneAdvance): boolean =>
  batch.movesVersion !== undefined && batch.movesVersion !== advance.movesVersion;

/**
 * Moves a lane and does `apply` in one transaction; the dead letters it returns are written in the same one. Throws StoreUnavailable, QueryTimedOut,
 * or the server's error when it refuses a row.
 */
export function writeLaneStep(
  ledger: Ledger,
  step: LaneStep,
  apply: (client: pg.PoolClient, advance: LaneAdvance) => Promise<readonly DeadLetter[]>,
): Promise<LaneStepOutcome> {
  return withConnection(ledger.pool, async (client) => {
    try {
      const advance = await advanceLane(client, ledger, step.lane, step.fromOffset, step.toOffset);
      if (!advance) {
        await client.query('rollback');
        return 'fenced';
      }
      if (areMovesStale(step, advance)) {
        await client.query('rollback');
        return 'moved';
      }
      const deadLetters = await apply(client, advance);
      if (deadLetters.length > 0) await writeDeadLetters(client, ledger, deadLetters);
      // A replay that failed again while it was applied is not settled.
      const failed = new Set(deadLetters.map(({ replayOf }) => replayOf));
      const settled = step.settledReplays.filter(({ deadLetterId }) => !failed.has(deadLetterId));
      if (settled.length > 0) await settleReplays(client, ledger, settled);
      await client.query('commit');
      return 'written';
    } catch (error) {
      if (readErrorCode(error) !== '') await client.query('rollback');
      if (!isRetryable(error)) throw error;
      return 'again';
    }
  });
}

/** The stamps of a batch lie within this time. */
export const stampSpreadMs = 1_000;

/** Stamps rise with the offsets, evenly over what the lane had not settled, at most its last second: an instant holds few rows. */
export function spreadStamps(count: number, { beforeMs, stampMs }: LaneAdvance): (rank: number) => number {
  const span = Math.min(stampMs - beforeMs, stampSpreadMs);
  return (rank) => stampMs - span + Math.ceil(((rank + 1) * span) / count);
}
