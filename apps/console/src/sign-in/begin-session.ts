import type { AuditContext, Member, MemberInput } from '@tenantscope/store/console';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Console } from '../console.ts';
import { HttpError } from '../http/http-error.ts';

const agentMaxLength = 120;

/** How the audit log names the actor of a sign-in. */
export const signInAuditContext = (request: FastifyRequest, actor: string): AuditContext => ({
  actor,
  sessionId: null,
  requestId: request.id,
  address: request.ip,
});

/** Begins a session of an authenticated member, and writes its cookie. */
export async function beginSession(
  { store, cookie, recognizedDevice }: Console,
  member: Member,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  if (member.disabledAt !== null)
    throw new HttpError('FORBIDDEN', 'Your account is disabled. Contact an administrator.');
  const before = cookie.read(request);
  const last = before === null ? null : await store.sessions.find(before);
  const { secret } = await store.transaction(
    signInAuditContext(request, `member:${member.id}`),
    async (transaction) => {
      if (last) await store.sessions.end(transaction, last.memberId, last.id);
      return store.sessions.begin(transaction, member.id, {
        address: request.ip,
        agent: request.headers['user-agent']?.replaceAll(/[^\x20-\x7e]/g, '?').slice(0, agentMaxLength) ?? null,
      });
    },
  );
  cookie.write(reply, secret);
  if (member.source === 'local') recognizedDevice.remember(request, reply, member.subject);
}

/** Creates or updates the member who signs in. */
export function upsertMember({ store }: Console, input: MemberInput, request: FastifyRequest): Promise<Member> {
  return store.transaction(signInAuditContext(request, `sign-in:${input.source}`), (transaction) =>
    store.members.upsert(transaction, input),
  );
}
