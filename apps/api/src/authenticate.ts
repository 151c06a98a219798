import type { IncomingMessage } from 'node:http';
import { ApiError, type GivenParameter, readGuid } from '@tenantscope/contract';
import { type EndedKey, hashSecret, type KeyRecord, type Keys } from '@tenantscope/store';
import { budgetExceeded } from './budget.ts';
import type { FailedLogins } from './failed-logins.ts';
import { presentedKey } from './presented-key.ts';

export interface Login {
  readonly request: IncomingMessage;
  readonly address: string;
  readonly parameters: readonly GivenParameter[];
  /** Whether the operation answers with the tenants of the key. */
  readonly listsTenants: boolean;
  /** Told of a key that was revoked or has expired. */
  readonly ended: (keyId: string) => void;
}

/**
 * Who asks. The directory is asked at every request, so a revocation holds for the next one on every instance.
 * Throws UNAUTHENTICATED, with the same words whatever was wrong, or RATE_LIMITED for an address that failed too often;
 * a recognised key is never refused for its address.
 */
export async function authenticate(keys: Keys, failures: FailedLogins, login: Login): Promise<KeyRecord> {
  const found = await findKey(keys, login);
  if (found && !('endedKeyId' in found)) return found;
  if (found) login.ended(found.endedKeyId);
  const budget = await failures.count(login.address);
  if (budget.exceeded) throw budgetExceeded(budget, 'Too many requests without a valid key came from this address.');
  throw new ApiError(
    'UNAUTHENTICATED',
    'Send a valid API key, once, as Authorization: Bearer API_KEY or as X-API-Key, never in the address.',
    undefined,
    { 'WWW-Authenticate': 'Bearer realm="tenantscope"' },
  );
}

/** The key that a request brings; nothing is counted against its address. */
export async function findKey(
  keys: Keys,
  login: Omit<Login, 'address' | 'ended'>,
): Promise<KeyRecord | EndedKey | null> {
  const secret = presentedKey(login.request, login.parameters);
  if (secret === null) return null;
  return keys.lookUp(hashSecret(secret), readGuid(tenantSelector(login.request) ?? ''), login.listsTenants);
}

/** What X-Tenant-Id says, null without the header; two lines of it come joined and are no id. */
export function tenantSelector(request: IncomingMessage): string | null {
  const value = request.headers['x-tenant-id'];
  return value === undefined ? null : String(value);
}
