import {
  contentionDurationMs,
  contentionFactor,
  contentionMarginMs,
  excessDurationMs,
  otherTenantsActiveMs,
} from '../limits.ts';
import type { SlotOwner } from './group-counter.ts';

/** One key that reads many tenants, and many keys of one tenant, do not contend with themselves. */
export type Requester = Pick<SlotOwner, 'keyId' | 'tenantId'>;

/**
 * Which share of its budgets a tenant has: all, unless another key of another tenant sends requests too, and the service is saturated or the tenant used
 * more than its share when it was.
 */
export interface TenantContention {
  addRequest(requester: Requester): void;
  /** The tenant wants more than its share. Counts while the service is saturated. */
  addExcess(requester: Requester): void;
  /** 1 or `contendedShare`. */
  getShare(requester: Requester): number;
  readonly contendedShare: number;
}

/** Whether the processors of the service are so busy that tenants delay each other. */
export interface Contention extends TenantContention {
  /** Records the duration of a statement that always does the same, many times a second. */
  addRoundTrip(ms: number): void;
  isSaturated(): boolean;
}

const requestersMax = 4;

/** The latest requests, at most one of each tenant and of each key: a flood of one tenant or of one key does not displace the others. */
function createActiveRequesters() {
  let latest: readonly (Requester & { readonly atMs: number })[] = [];
  const differs = (one: Requester, other: Requester) => one.tenantId !== other.tenantId && one.keyId !== other.keyId;
  return {
    add({ keyId, tenantId }: Requester, atMs: number): void {
      const requester = { keyId, tenantId, atMs };
      latest = [requester, ...latest.filter((other) => differs(requester, other))].slice(0, requestersMax);
    },
    hasOther: (requester: Requester, afterMs: number): boolean =>
      latest.some((other) => other.atMs > afterMs && differs(requester, other)),
  };
}

/** The tenants that used more than their share, at most so many, the latest. */
function createExcess() {
  const untilByTenant = new Map<string, number>();
  return {
    add(tenantId: string, untilMs: number): void {
      untilByTenant.delete(tenantId);
      untilByTenant.set(tenantId, untilMs);
      if (untilByTenant.size <= tenantsWithExcessMax) return;
      const [oldest = ''] = untilByTenant.keys();
      untilByTenant.delete(oldest);
    },
    has: (tenantId: string, nowMs: number): boolean => nowMs < (untilByTenant.get(tenantId) ?? nowMs),
  };
}

const tenantsWithExcessMax = 1_000;

/** One median per window is compared with the lowest one of the last two periods. */
const windowMs = 250;
/** One slow round trip is not the median of so many. */
const roundTripsMin = 5;
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
  const active = createActiveRequesters();
  const excess = createExcess();

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
      if (nowMs >= windowEndsAt && roundTrips.length >= roundTripsMin) evaluate(nowMs);
    },
    addRequest: (requester) => active.add(requester, now()),
    addExcess({ tenantId }) {
      const nowMs = now();
      if (nowMs < saturatedUntil) excess.add(tenantId, nowMs + excessDurationMs);
    },
    getShare(requester) {
      const nowMs = now();
      if (nowMs >= saturatedUntil && !excess.has(requester.tenantId, nowMs)) return 1;
      return active.hasOther(requester, nowMs - otherTenantsActiveMs) ? contendedShare : 1;
    },
    contendedShare,
    isSaturated: () => now() < saturatedUntil,
  };
}
