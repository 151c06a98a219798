import { ApiError } from '@tenantscope/contract';
import type { KeyRecord } from '@tenantscope/store/api-key';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Dependencies } from '../dependencies.ts';
import { negotiateMediaType } from '../http/content-negotiation.ts';
import { type RateLimitStatus, rateLimitExceeded, rateLimitHeaders } from '../throttling/rate-limit-status.ts';
import { containsApiKey } from './api-key-header.ts';
import { authenticate, hashApiKey, rejectLogin } from './authentication.ts';

/** Rejects a URL with a key, on every route and even with a valid key in the header. Throws as `authenticate` does. */
export async function rejectApiKeyInUrl(service: Dependencies, request: FastifyRequest): Promise<void> {
  if (!containsApiKey(request.raw.url ?? '')) return;
  service.metrics.authFailures.inc();
  await rejectLogin(service.failedLogins, request.ip);
}

/**
 * Authenticates a request and records the use of its key. `listsTenants`: whether the result lists the tenants of the key. Throws as
 * `authenticate` does.
 */
export const authenticateRequest = (
  service: Dependencies,
  request: FastifyRequest,
  listsTenants: boolean,
): Promise<KeyRecord> => authenticateSecret(service, request, hashApiKey(request.raw), listsTenants);

export interface CountedRequest {
  readonly key: KeyRecord;
  /** Of the key, after this request. */
  readonly rateLimit: RateLimitStatus;
}

/**
 * Authenticates a request and counts it against the rate limit of its key. Of a key that was found before the id is known, so that both are done at once: a
 * key that was revoked meanwhile is counted, and rejected. Throws as `authenticate` does.
 */
export async function authenticateAndCount(
  service: Dependencies,
  request: FastifyRequest,
  listsTenants: boolean,
): Promise<CountedRequest> {
  const secretSha256 = hashApiKey(request.raw);
  const keyId = secretSha256 && service.keys.findId(secretSha256);
  const counting = keyId === null ? null : service.rateLimiter.consume(keyId);
  try {
    const key = await authenticateSecret(service, request, secretSha256, listsTenants);
    return { key, rateLimit: await (counting ?? service.rateLimiter.consume(key.keyId)) };
  } catch (error) {
    // The directory did not respond: as without a key that was found before, such a request costs nothing.
    if (keyId !== null && !(error instanceof ApiError)) await service.rateLimiter.takeBack(keyId);
    throw error;
  }
}

async function authenticateSecret(
  service: Dependencies,
  request: FastifyRequest,
  secretSha256: Buffer | null,
  listsTenants: boolean,
): Promise<KeyRecord> {
  const onEndedKey = (keyId: string) => service.keyUsage.attachKey(request, { keyId, ended: true });
  const login = { request: request.raw, secretSha256, address: request.ip, listsTenants, onEndedKey };
  try {
    const key = await authenticate(service.keys, service.failedLogins, login);
    service.keyUsage.attachKey(request, { keyId: key.keyId, ended: false });
    return key;
  } catch (error) {
    if (error instanceof ApiError) service.metrics.authFailures.inc();
    throw error;
  }
}

/** Writes the state of a key's rate limit to the headers. Throws RATE_LIMITED when it is exceeded. */
export function applyRateLimit(service: Dependencies, status: RateLimitStatus, reply: FastifyReply): void {
  reply.headers(rateLimitHeaders(status));
  if (!status.exceeded) return;
  service.metrics.rateLimited.inc();
  throw rateLimitExceeded(status, 'Rate limit exceeded for this key.');
}

/**
 * Counts a request that is rejected before authentication: with a valid key against its rate limit, which the response shows, and in its usage;
 * with any other key against its address. Throws RATE_LIMITED for an address that failed too often.
 */
export async function chargeRejectedRequest(
  service: Dependencies,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  try {
    const { rateLimit } = await authenticateAndCount(service, request, false);
    reply.headers(rateLimitHeaders(rateLimit));
  } catch (error) {
    // Otherwise the rejection itself is the response, also while the key directory is unavailable.
    if (error instanceof ApiError && error.code === 'RATE_LIMITED') throw error;
  }
}

/** The media type of the response: application/json, or one of `others` that the client prefers. Throws NOT_ACCEPTABLE. */
export function requireAcceptableMediaType({ headers }: FastifyRequest, others: readonly string[] = []): string {
  const type = negotiateMediaType(headers.accept, [jsonMediaType, ...others]);
  if (type !== null) return type;
  const offered = [jsonMediaType, ...others].join(' or ');
  throw new ApiError(
    'NOT_ACCEPTABLE',
    others.length === 0
      ? `Every response is ${jsonMediaType}. Accept it, or send no Accept header.`
      : `This response is ${offered}. Accept one of them, or send no Accept header.`,
  );
}

export const jsonMediaType = 'application/json';
