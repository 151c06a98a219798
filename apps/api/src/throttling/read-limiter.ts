import { serviceUnavailable } from '../http/error-response.ts';
import {
  contendedReads,
  queuedReads,
  queuedReadsTotal,
  readBurstMs,
  readQueueTimeoutMs,
  readsPerKey,
  readsPerTenant,
  readWaitMaxMs,
  sustainedReads,
} from '../limits.ts';
import { type ConcurrencyLimiter, type ConcurrencyObserver, createConcurrencyLimiter } from './concurrency-limit.ts';
import type { TenantContention } from './contention.ts';
import type { StatementPacing } from './statement-pacing.ts';

/** Limits the pages and records that are read at once. What cannot be read in time is refused with 503, since it is shed load. */
export function createReadLimiter(
  concurrency: number,
  options: {
    overloaded(): boolean;
    readonly contention: TenantContention;
    readonly pacing: StatementPacing;
    readonly observer: ConcurrencyObserver;
  },
): ConcurrencyLimiter {
  return createConcurrencyLimiter({
    ...options,
    limits: {
      total: concurrency,
      per: { key: readsPerKey, tenant: readsPerTenant },
      timeBudget: {
        sustained: sustainedReads,
        burstMs: readBurstMs,
        contended: contendedReads,
        isUsualTimeFree: true,
      },
      queued: queuedReads,
      queuedTotal: queuedReadsTotal,
      queueTimeoutMs: readQueueTimeoutMs,
      restsBeforeFirst: false,
      waitMaxMs: readWaitMaxMs,
    },
    refuse({ reason, limit }) {
      if (limit === 'total') return serviceUnavailable('The service is overloaded.');
      const owner = limit === 'key' ? 'key' : 'tenant';
      return serviceUnavailable(
        reason === 'queue_full'
          ? `Too many requests of this ${owner} are queued.`
          : `The request was queued too long behind earlier requests of this ${owner}.`,
      );
    },
  });
}
