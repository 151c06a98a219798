import type pg from 'pg';
import { withConnection } from './connection.ts';
import { type DeadLetter, type Replay, setAside, settleReplays } from './dead-letter.ts';
import { codeOf, isWorthRepeating } from './failure.ts';
import { advanceLane, type LaneAdvance, type LaneIdentity, type Ledger } from './lane.ts';

export interface LaneStep {
  lane: LaneIdentity;
  /** The lane must stand here, or nothing is written. */
  fromOffset: bigint;
  toOffset: bigint;
  /** Replays of letters that this step applies. */
  settledLetters: readonly Replay[];
}

/** Anything but `written` has changed nothing. `fenced`: read the lane again. `again`: the same step may be written again as it is. */
export type LaneStepOutcome = 'written' | 'fenced' | 'again';

/**
 * Moves a lane and does `apply` in one transaction; what it gives back is set aside in the same one. Throws StoreUnavailable, QueryTimedOut,
 * or the server's error when it refuses a row.
 */
export function writeInLane(
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
      const letters = await apply(client, advance);
      if (letters.length > 0) await setAside(client, ledger, letters);
      if (step.settledLetters.length > 0) await settleReplays(client, ledger, step.settledLetters);
      await client.query('commit');
      return 'written';
    } catch (error) {
      if (codeOf(error) !== '') await client.query('rollback');
      if (!isWorthRepeating(error)) throw error;
      return 'again';
    }
  });
}

const spreadMs = 1_000;

/** Stamps rise with the offsets, evenly over what the lane had not settled, at most its last second: an instant holds few rows. */
export function spreadStamps(count: number, { beforeMs, stampMs }: LaneAdvance): (rank: number) => number {
  const span = Math.min(stampMs - beforeMs, spreadMs);
  return (rank) => stampMs - span + Math.ceil(((rank + 1) * span) / count);
}
