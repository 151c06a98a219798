import { type LaneStep, type Ledger, writeInLane } from '@tenantscope/store';
import type { Observations } from './observations.ts';
import { persist } from './persist.ts';

/** Another writer stands in the way once or twice; more often is a mistake of ours. */
const mostRepeats = 50;

/** Writes one step of a lane, again and again while the environment or another writer stands in the way and the lane is ours. */
export async function writeStep(
  around: { ledger: Ledger; observed: Observations; wanted: () => boolean },
  step: LaneStep,
  apply: Parameters<typeof writeInLane>[2],
): Promise<'written' | 'fenced' | 'abandoned'> {
  const { ledger, observed, wanted } = around;
  const outcome = await persist(
    async () => {
      for (let attempt = 1; ; attempt++) {
        const tried = await writeInLane(ledger, step, apply);
        if (tried !== 'again' || !wanted()) return tried;
        if (attempt === mostRepeats)
          throw new Error(`a step of partition ${step.lane.partition} met other writers ${attempt} times in a row`);
      }
    },
    { wanted, paused: observed.waiting },
  );
  return outcome === null || outcome === 'again' ? 'abandoned' : outcome;
}
