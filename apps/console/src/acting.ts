import type { Acting, Session } from '@tenantscope/store';
import type { FastifyRequest } from 'fastify';

/** How the audit names who changes something in this request. */
export const actingIn = (session: Session, request: FastifyRequest): Acting => ({
  actor: `person:${session.personId}`,
  sessionId: session.id,
  requestId: request.id,
  address: request.ip,
});
