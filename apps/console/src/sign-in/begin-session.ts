import type { AuditContext, Member, MemberInput, Session } from '@tenantscope/store/console';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Console } from '../console.ts';
import { auditContext } from '../http/audit-context.ts';
import { HttpError } from '../http/http-error.ts';

const agentMaxLength = 120;

/** How the audit log names the actor of a sign-in. */
export const signInAuditContext = (request: FastifyRequest, actor: string): AuditContext => ({
  actor,
  sessionId: null,
  requestId: request.id,
  address: request.ip,
});

/** Of an account that has no session until an administrator enables it. */
export const disabledAccount = (): HttpError =>
  new HttpError('FORBIDDEN', 'Your account is disabled. Contact an administrator.');

/** Begins a session of an authenticated member, and writes its cookie. The session that this browser had before ends, also that of another member. */
export async function beginSession(
  console: Console,
  member: Member,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  if (member.disabledAt !== null) throw disabledAccount();
  const { store, cookie, recognizedDevice } = console;
  const before = cookie.read(request);
  const last = before === null ? null : await store.sessions.find(before);
  const { secret } = await store.transaction(
    signInAuditContext(request, `member:${member.id}`),
    async (transaction) => {
      if (last?.memberId === member.id) await store.sessions.end(transaction, member.id, last.id);
      return store.sessions.begin(transaction, member.id, {
        address: request.ip,
        agent: request.headers['user-agent']?.replaceAll(/[^\x20-\x7e]/g, '?').slice(0, agentMaxLength) || null,
      });
    },
  );
  // A member may not end the session of another one: its own member signs out.
  if (last !== null && last.memberId !== member.id) await signOutSession(console, last, request);
  cookie.write(reply, secret);
  if (member.source === 'local') recognizedDevice.remember(request, reply, member.subject);
}

/** Ends a session in the name of its member, with an event. */
export function signOutSession({ store }: Console, session: Session, request: FastifyRequest): Promise<void> {
  const { organizationId, memberId } = session;
  return store.transaction(auditContext(session, request), async (transaction) => {
    await store.sessions.end(transaction, memberId, session.id);
    await store.recordEvent(transaction, { organizationId, action: 'signed out', memberId });
  });
}

/** Creates or updates the member who signs in. */
export function upsertMember({ store }: Console, input: MemberInput, request: FastifyRequest): Promise<Member> {
  return store.transaction(signInAuditContext(request, `sign-in:${input.source}`), (transaction) =>
    store.members.upsert(transaction, input),
  );
}
