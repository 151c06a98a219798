import type { Rejected } from './prepare.ts';

/** So many failures in a row, of several tenants or of nobody's, are not bad records: a source or we ourselves have changed. */
export const tripAfterFailures = 1_000;

export interface Breaker {
  /** Null: go on. A text: the slice must not be written, and why. */
  judge(outcomes: Uint8Array, rejected: readonly Rejected[]): string | null;
  reset(): void;
}

/** `probing`: it trips again at the first slice that brings nothing at all. `accepted`: failures are let pass until a record is read. */
export type BreakerStart = 'armed' | 'probing' | 'accepted';

/** One tenant's failures never trip it: a bad collector stops nobody else. */
export function createBreaker(start: BreakerStart): Breaker {
  let onProbation = start === 'probing';
  let accepted = start === 'accepted';
  let inRow = 0;
  let tenants = new Set<string | null>();
  let formats = new Set<string>();
  const reset = () => {
    inRow = 0;
    tenants = new Set();
    formats = new Set();
  };
  return {
    reset,
    judge(outcomes, rejected) {
      let next = 0;
      for (const becameRow of outcomes) {
        if (becameRow) {
          onProbation = false;
          accepted = false;
          reset();
          continue;
        }
        const failure = rejected[next++];
        if (!failure || accepted) continue;
        inRow += 1;
        tenants.add(failure.tenantId);
        formats.add(failure.format ?? 'unknown format');
        if (inRow < tripAfterFailures) continue;
        if (tenants.size >= 2 || tenants.has(null)) {
          const named = [...tenants].slice(0, 5).map((tenant) => tenant ?? 'no tenant');
          return `${inRow} records in a row could not be read: ${[...formats].slice(0, 5).join(', ')}; tenants ${named.join(', ')}`;
        }
      }
      return onProbation && rejected.length > 0 ? 'still no record can be read' : null;
    },
  };
}
