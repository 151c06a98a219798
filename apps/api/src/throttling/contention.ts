import { contentionDurationMs, contentionFactor, contentionMarginMs, otherTenantsActiveMs } from '../limits.ts';

/** Which share of its budgets a tenant has: all, unless the service is saturated and other tenants send requests too. */
export interface TenantContention {
  addRequest(tenantId: string): void;
  /** 1 or `contendedShare`. */
  getShare(tenantId: string): number;
  readonly contendedShare: number;
}

/** Whether the processors of the service are so busy that tenants delay each other. */
export interface Contention extends TenantContention {
  /** Records the duration of a statement that always does the same, many times a second. */
  addRoundTrip(ms: number): void;
  isSaturated(): boolean;
}

/** One median per window is compared with the lowest one of the last two periods. */
const windowMs = 1_000;
const periodMs = 600_000;

/**
 * Detects saturation by the round trips of one statement: on busy processors of the database server or of this process, it takes several times its
 * time on idle ones. Processor time of another server is not visible to a client.
 */
export function createContention(contendedShare: number, now = () => performance.now()): Contention {
  let roundTrips: number[] = [];
  let windowEndsAt = now() + windowMs;
  let periodEndsAt = now() + periodMs;
  let lowest = Number.POSITIVE_INFINITY;
  let lowestBefore = Number.POSITIVE_INFINITY;
  let saturatedUntil = Number.NEGATIVE_INFINITY;
  let latest = { tenantId: '', atMs: Number.NEGATIVE_INFINITY };
  /** The latest request of any other tenant. */
  let latestOther = latest;

  const evaluate = (nowMs: number): void => {
    const median = roundTrips.sort((one, other) => one - other)[roundTrips.length >> 1] ?? 0;
    const usual = Math.min(lowest, lowestBefore);
    if (median > contentionFactor * usual + contentionMarginMs) saturatedUntil = nowMs + contentionDurationMs;
    if (nowMs >= periodEndsAt) {
      lowestBefore = lowest;
      lowest = Number.POSITIVE_INFINITY;
      periodEndsAt = nowMs + periodMs;
    }
    lowest = Math.min(lowest, median);
    roundTrips = [];
    windowEndsAt = nowMs + windowMs;
  };

  return {
    addRoundTrip(ms) {
      roundTrips.push(ms);
      const nowMs = now();
      if (nowMs >= windowEndsAt) evaluate(nowMs);
    },
    addRequest(tenantId) {
      if (latest.tenantId !== tenantId) latestOther = latest;
      latest = { tenantId, atMs: now() };
    },
    getShare(tenantId) {
      const nowMs = now();
      if (nowMs >= saturatedUntil) return 1;
      const other = latest.tenantId === tenantId ? latestOther : latest;
      return nowMs - other.atMs < otherTenantsActiveMs ? contendedShare : 1;
    },
    contendedShare,
    isSaturated: () => now() < saturatedUntil,
  };
}
