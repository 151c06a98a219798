import type { RejectedElement } from '../activity/prepare-slice.ts';

/** So many consecutive failures, of several tenants or of records without a tenant, are not bad records: a source, or this code, has changed. */
export const tripAfterFailures = 1_000;

export interface Breaker {
  /** Null: continue. A text: the slice must not be written, and why. */
  evaluate(outcomes: Uint8Array, rejected: readonly RejectedElement[]): string | null;
  reset(): void;
}

/**
 * `probing`: trips again at the first slice of which no record can be read. `accepted`: the first slice with failures is accepted as a whole, since
 * that is what tripped the breaker, and then failures until a record can be read.
 */
export type BreakerStart = 'armed' | 'probing' | 'accepted';

/** The failures of one tenant never trip it: a defective collector must not stop other tenants. */
export function createBreaker(start: BreakerStart): Breaker {
  let probing = start === 'probing';
  let accepted = start === 'accepted';
  let hasAccepted = false;
  let consecutive = 0;
  let tenants = new Set<string | null>();
  let formats = new Set<string>();
  const reset = () => {
    consecutive = 0;
    tenants = new Set();
    formats = new Set();
  };
  return {
    reset,
    evaluate(outcomes, rejected) {
      let next = 0;
      const endsAtRow = hasAccepted;
      hasAccepted ||= accepted && rejected.length > 0;
      for (const becameRow of outcomes) {
        if (becameRow) {
          probing = false;
          if (endsAtRow) accepted = false;
          reset();
          continue;
        }
        const failure = rejected[next++];
        if (!failure || accepted || failure.reason === 'TENANT_CLOSED') continue;
        consecutive += 1;
        tenants.add(failure.tenantId);
        formats.add(failure.format ?? 'unknown format');
        if (consecutive < tripAfterFailures) continue;
        if (tenants.size >= 2 || tenants.has(null)) {
          const tenantNames = [...tenants].slice(0, 5).map((tenant) => tenant ?? 'no tenant');
          return `${consecutive} records in a row could not be read: ${[...formats].slice(0, 5).join(', ')}; tenants ${tenantNames.join(', ')}`;
        }
      }
      return probing && rejected.length > 0 ? 'no record can be read yet' : null;
    },
  };
}
