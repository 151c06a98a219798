import { ApiError } from '@tenantscope/contract';
import { serviceUnavailable } from '../http/error-response.ts';
import {
  contendedDocuments,
  documentBurstMs,
  documentRetrySeconds,
  documentWaitMaxMs,
  queuedDocuments,
  queuedDocumentsTotal,
  sustainedDocuments,
} from '../limits.ts';
import { type ConcurrencyLimiter, type ConcurrencyObserver, createConcurrencyLimiter } from './concurrency-limit.ts';
import type { TenantContention } from './contention.ts';
import type { StatementPacing } from './statement-pacing.ts';

export interface DocumentLimits {
  readonly total: number;
  readonly perTenant: number;
  readonly perOrganization: number;
  readonly queueTimeoutMs: number;
}

/**
 * Limits the compliance documents, reports and packs that run at once, in this process. A tenant or organization over its limit gets 429; 503
 * when other callers occupy the service.
 */
export function createDocumentLimiter(
  { total, perTenant, perOrganization, queueTimeoutMs }: DocumentLimits,
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
      total,
      per: { tenant: perTenant, organization: perOrganization },
      timeBudget: {
        sustained: sustainedDocuments,
        burstMs: documentBurstMs,
        contended: contendedDocuments,
        isUsualTimeFree: false,
      },
      queued: queuedDocuments,
      queuedTotal: queuedDocumentsTotal,
      queueTimeoutMs,
      restsBeforeFirst: true,
      waitMaxMs: documentWaitMaxMs,
    },
    refuse({ limit }) {
      if (limit === 'tenant') return concurrencyExceeded(perTenant, limit);
      if (limit === 'organization') return concurrencyExceeded(perOrganization, limit);
      return serviceUnavailable('The service is overloaded with documents.', undefined, documentRetrySeconds);
    },
  });
}

function concurrencyExceeded(count: number, owner: 'tenant' | 'organization'): ApiError {
  return new ApiError(
    'RATE_LIMITED',
    `Concurrency limit exceeded: at most ${count} documents of this ${owner} are created at once, fewer while they take long. Wait ${documentRetrySeconds} s and repeat the request; send one after the other.`,
    undefined,
    { 'Retry-After': String(documentRetrySeconds) },
  );
}
