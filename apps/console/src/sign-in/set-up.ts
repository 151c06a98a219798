import * as routes from '../../api/sign-in.ts';
import type { Console } from '../console.ts';
import { handlePublic } from '../http/handler.ts';
import { HttpError } from '../http/http-error.ts';
import { beginSession, signInAuditContext } from './begin-session.ts';
import { hashPassword, localSubject, requireLocalSignIn, requireTotpStep } from './local-account.ts';
import { requireStrongPassword } from './password-strength.ts';
import { createRecoveryCodes } from './recovery-codes.ts';

export const readSetUpToken = handlePublic(routes.readSetUpToken, async ({ console, input }) => {
  const token = await readAcceptedToken(console, input.token);
  if (token === null) return { state: 'unknown' as const, invitation: null };
  const { state, organizationName: organization, role, name, expiresAt } = token;
  return { state, invitation: { organization, role, name, expiresAt } };
});

export const offerFirstPasskey = handlePublic(routes.offerFirstPasskey, async ({ console, input, reply }) =>
  console.webAuthn.offerCreation(reply, { id: null, name: input.name, existing: [] }),
);

export const setUp = handlePublic(routes.setUp, async ({ console, input, request, reply }) => {
  const { token, name, password, totp, passkey } = input;
  if (totp === undefined && passkey === undefined)
    throw new HttpError('INVALID_PARAMETER', 'A second factor is required: an authenticator code or a passkey.');
  const { store, seal, webAuthn } = console;
  const found = await readAcceptedToken(console, token);
  requireStrongPassword(password, [name, found?.organizationName ?? '']);
  if (found?.state === 'valid' && !found.isInvitation) await requireEnabled(console, name, found.organizationId);
  const step = totp ? requireTotpStep(totp) : null;
  const key = passkey === undefined ? null : await webAuthn.verifyCreation(request, reply, passkey.response);
  const recovery = createRecoveryCodes();
  const memberId = await store.transaction(signInAuditContext(request, 'set-up'), async (transaction) => {
    const created = await store.setUpTokens
      .accept(transaction, token, { name, subject: localSubject(name) })
      .catch(rejectTakenName);
    if (created === null)
      throw new HttpError('SIGN_IN_FAILED', 'This link is unknown, used, revoked or expired. Request another one.');
    await store.credentials.replace(transaction, created, {
      kinds: 'all',
      by: [
        { kind: 'password', secret: await hashPassword(password) },
        ...(totp && step !== null ? [{ kind: 'totp' as const, secret: seal.close(totp.secret, created), step }] : []),
        ...recovery.credentials,
      ],
    });
    if (key !== null && passkey !== undefined)
      if (!(await store.credentials.addPasskey(transaction, created, { ...key, name: passkey.name })))
        throw new HttpError('CONFLICT', 'This passkey is already registered.');
    return created;
  });
  const member = await store.members.findById(memberId);
  if (member === null) throw new TypeError('a created member exists');
  // The account exists: its recovery codes are returned, since they are shown only here, and its owner can sign in.
  await beginSession(console, member, request, reply).catch((error: unknown) =>
    request.log.warn({ err: error, memberId }, 'account created without a session; its owner has to sign in'),
  );
  return { recoveryCodes: recovery.codes };
});

/** Null: no such token. An invitation is refused without local sign-in; a link of the host is the recovery where no other method works. */
async function readAcceptedToken(console: Console, token: string) {
  const found = await console.store.setUpTokens.read(token);
  if (found?.isInvitation) requireLocalSignIn(console);
  return found;
}

/** Otherwise the link would be used up, and the credentials replaced, for an account that cannot begin a session. */
async function requireEnabled({ store }: Console, name: string, organizationId: string): Promise<void> {
  const member = await store.members.find({ source: 'local', subject: localSubject(name) });
  if (member?.organizationId === organizationId && member.disabledAt !== null)
    throw new HttpError(
      'CONFLICT',
      'This account is disabled. Enable it on the page Members, or choose another name. The link was not used.',
    );
}

function rejectTakenName(error: unknown): never {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause)
    if ((cause as { code?: string }).code === '23505')
      throw new HttpError('CONFLICT', 'This name is taken. Choose another.');
  throw error;
}
