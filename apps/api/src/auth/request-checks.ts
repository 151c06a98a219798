import { ApiError, type RawParameter } from '@tenantscope/contract';
import type { KeyRecord } from '@tenantscope/store/api-key';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Dependencies } from '../dependencies.ts';
import { acceptsJson } from '../http/content-negotiation.ts';
import { rateLimitExceeded, rateLimitHeaders } from '../throttling/rate-limit-status.ts';
import { authenticate, findKey } from './authentication.ts';

export interface AuthenticationInput {
  readonly parameters: readonly RawParameter[];
  /** Whether the result lists the tenants of the key. */
  readonly listsTenants: boolean;
}

/** Authenticates a request and records the use of its key. Throws as `authenticate` does. */
export async function authenticateRequest(
  service: Dependencies,
  request: FastifyRequest,
  { parameters, listsTenants }: AuthenticationInput,
): Promise<KeyRecord> {
  const onEndedKey = (keyId: string) => service.keyUsage.attachKey(request, { keyId, ended: true });
  const login = { request: request.raw, address: request.ip, parameters, listsTenants, onEndedKey };
  try {
    const key = await authenticate(service.keys, service.failedLogins, login);
    service.keyUsage.attachKey(request, { keyId: key.keyId, ended: false });
    return key;
  } catch (error) {
    if (error instanceof ApiError) service.metrics.authFailures.inc();
    throw error;
  }
}

/** Counts one request against the rate limit of a key. Throws RATE_LIMITED. */
export async function consumeRateLimit(service: Dependencies, key: KeyRecord, reply: FastifyReply): Promise<void> {
  const status = await service.rateLimiter.consume(key.keyId);
  reply.headers(rateLimitHeaders(status));
  if (!status.exceeded) return;
  service.metrics.rateLimited.inc();
  throw rateLimitExceeded(status, 'Rate limit exceeded for this key.');
}

/**
 * Counts a request that is rejected before authentication. With a valid key it costs one request too, and the response carries the rate limit
 * headers.
 */
export async function chargeRejectedRequest(
  service: Dependencies,
  request: FastifyRequest,
  reply: FastifyReply,
  parameters: readonly RawParameter[],
): Promise<void> {
  const key = await findKey(service.keys, { request: request.raw, parameters, listsTenants: false }).catch(() => null);
  if (key && !('endedKeyId' in key)) reply.headers(rateLimitHeaders(await service.rateLimiter.consume(key.keyId)));
}

export function requireAcceptableMediaType({ headers }: FastifyRequest): void {
  if (!acceptsJson(headers.accept))
    throw new ApiError('NOT_ACCEPTABLE', 'Every response is application/json. Accept it, or send no Accept header.');
}
