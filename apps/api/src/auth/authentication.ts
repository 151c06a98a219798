import type { IncomingMessage } from 'node:http';
import { ApiError, parseGuid } from '@tenantscope/contract';
import { withSpan } from '@tenantscope/runtime';
import { type EndedKey, hashSecret, type KeyDirectory, type KeyRecord } from '@tenantscope/store/api-key';
import { rateLimitExceeded } from '../throttling/rate-limit-status.ts';
import { readApiKey } from './api-key-header.ts';
import type { FailedLoginLimit } from './failed-login-limit.ts';

export interface AuthenticationAttempt {
  readonly request: IncomingMessage;
  /** Of the request; null: it has no well-formed key. */
  readonly secretSha256: Buffer | null;
  readonly address: string;
  /** Whether the result lists the tenants of the key. */
  readonly listsTenants: boolean;
  /** Called with the id of a key that was revoked or has expired. */
  readonly onEndedKey: (keyId: string) => void;
}

/**
 * Looks up the key of a request. The key directory is queried for every request, so a revocation takes effect with the next one on every
 * instance. Throws UNAUTHENTICATED, with the same message for every cause, or RATE_LIMITED for an address that failed too often;
 * a valid key is never rejected because of its address.
 */
export async function authenticate(
  keys: KeyDirectory,
  failures: FailedLoginLimit,
  login: AuthenticationAttempt,
): Promise<KeyRecord> {
  const found = await findKey(keys, login);
  if (found && !('endedKeyId' in found)) return found;
  if (found) login.onEndedKey(found.endedKeyId);
  return rejectLogin(failures, login.address);
}

/** Counts a failed login. Throws UNAUTHENTICATED, or RATE_LIMITED for an address that failed too often. */
export async function rejectLogin(failures: FailedLoginLimit, address: string): Promise<never> {
  const status = await failures.count(address);
  if (status.exceeded)
    throw rateLimitExceeded(status, 'Rate limit exceeded for requests without a valid key from this address.');
  throw new ApiError(
    'UNAUTHENTICATED',
    'Send a valid API key, once, as Authorization: Bearer API_KEY or as X-API-Key, never in the URL.',
    undefined,
    { 'WWW-Authenticate': 'Bearer realm="tenantscope"' },
  );
}

async function findKey(keys: KeyDirectory, login: AuthenticationAttempt): Promise<KeyRecord | EndedKey | null> {
  const { secretSha256 } = login;
  if (secretSha256 === null) return null;
  const selector = parseGuid(readTenantSelector(login.request) ?? '');
  return withSpan('look up key', {}, () => keys.lookUp(secretSha256, selector, login.listsTenants));
}

/** The SHA-256 of the key of a request; null without a well-formed key. */
export function hashApiKey(request: IncomingMessage): Buffer | null {
  const secret = readApiKey(request);
  return secret === null ? null : hashSecret(secret);
}

/** The value of X-Tenant-Id, null without the header; Node joins repeated headers, which no longer parse as an id. */
export function readTenantSelector(request: IncomingMessage): string | null {
  const value = request.headers['x-tenant-id'];
  return value === undefined ? null : String(value);
}
