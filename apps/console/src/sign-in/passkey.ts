import type { Member } from '@tenantscope/store/console';
import * as routes from '../../api/sign-in.ts';
import { handlePublic, type PublicRequestContext } from '../http/handler.ts';
import { HttpError } from '../http/http-error.ts';
import { beginSession, disabledAccount, signInAuditContext } from './begin-session.ts';
import { requireLocalSignIn } from './local-account.ts';
import { reserveAttempt } from './sign-in-attempts.ts';

/** Without local sign-in too: the account of a link of the host authenticates again. */
export const offerPasskey = handlePublic(routes.offerPasskeySignIn, async ({ console, reply }) =>
  console.webAuthn.offerAuthentication(reply),
);

export const signInByPasskey = handlePublic(
  routes.signInByPasskey,
  async ({ console, request, reply, input }) => {
    const member = await verifyPasskey({ console, request, reply, response: input.response });
    await beginSession(console, member, request, reply);
    return {};
  },
  requireLocalSignIn,
);

type PasskeyResponse = Omit<PublicRequestContext<unknown>, 'input'> & { readonly response: unknown };

/** The owner of the passkey that signed this browser's challenge. */
export async function verifyPasskey({ console, request, reply, response }: PasskeyResponse): Promise<Member> {
  const { store, webAuthn } = console;
  // Verified before it is counted: a signature cannot be guessed, so failures of other clients of this address do not refuse a valid passkey.
  const verified = await webAuthn.verifyAuthentication(request, reply, response);
  const member = verified === null ? null : await store.members.findById(verified.passkey.memberId);
  if (verified === null || member === null) {
    const attempt = await reserveAttempt(console, request, { source: 'passkey', subject: null });
    await attempt.fail(null);
    throw new HttpError('SIGN_IN_FAILED', 'This passkey is not registered here.');
  }
  if (member.disabledAt !== null) {
    const { organizationId, subject } = member;
    await store.signIns.recordFailure({
      organizationId,
      subject,
      requestId: request.id,
      source: 'passkey',
      address: request.ip,
    });
    throw disabledAccount();
  }
  await store.transaction(signInAuditContext(request, `member:${member.id}`), (transaction) =>
    store.credentials.recordUse(transaction, verified.passkey.id, verified.counter),
  );
  return member;
}
