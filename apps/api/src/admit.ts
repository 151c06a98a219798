import { ApiError, type GivenParameter } from '@tenantscope/contract';
import type { KeyRecord } from '@tenantscope/store';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { acceptsJson } from './accept.ts';
import { authenticate, findKey } from './authenticate.ts';
import { budgetExceeded, budgetHeaders } from './budget.ts';
import type { Service } from './service.ts';

export interface Admission {
  readonly parameters: readonly GivenParameter[];
  /** Whether the answer names the tenants of the key. */
  readonly listsTenants: boolean;
}

/** Who asks; counts the use of the key. Throws as `authenticate` does. */
export async function recognise(
  service: Service,
  request: FastifyRequest,
  { parameters, listsTenants }: Admission,
): Promise<KeyRecord> {
  const ended = (keyId: string) => service.usage.note(request, { keyId, ended: true });
  const login = { request: request.raw, address: request.ip, parameters, listsTenants, ended };
  try {
    const key = await authenticate(service.keys, service.failedLogins, login);
    service.usage.note(request, { keyId: key.keyId, ended: false });
    return key;
  } catch (error) {
    if (error instanceof ApiError) service.observations.authFailures.inc();
    throw error;
  }
}

/** One request off the budget of a key, whatever it asks for. Throws RATE_LIMITED. */
export async function spend(service: Service, key: KeyRecord, reply: FastifyReply): Promise<void> {
  const budget = await service.rateLimit.spend(key.keyId);
  reply.headers(budgetHeaders(budget));
  if (!budget.exceeded) return;
  service.observations.rateLimited.inc();
  throw budgetExceeded(budget, 'The request budget of this key is used up.');
}

/**
 * What is refused before the key is asked for is refused whatever the key. With a known one it costs a request all the same, and the answer says
 * what is left.
 */
export async function spendRefused(
  service: Service,
  request: FastifyRequest,
  reply: FastifyReply,
  parameters: readonly GivenParameter[],
): Promise<void> {
  const key = await findKey(service.keys, { request: request.raw, parameters, listsTenants: false }).catch(() => null);
  if (key && !('endedKeyId' in key)) reply.headers(budgetHeaders(await service.rateLimit.spend(key.keyId)));
}

export function requireAcceptance({ headers }: FastifyRequest): void {
  if (!acceptsJson(headers.accept))
    throw new ApiError('NOT_ACCEPTABLE', 'Every answer is application/json. Accept it, or send no Accept header.');
}
