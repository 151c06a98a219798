import type { AuditContext, Session } from '@tenantscope/store/console';
import type { FastifyRequest } from 'fastify';

/** How the audit names who changes something in this request. */
export const auditContext = (session: Session, request: FastifyRequest): AuditContext => ({
  actor: `member:${session.memberId}`,
  sessionId: session.id,
  requestId: request.id,
  address: request.ip,
});
