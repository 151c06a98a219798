import * as routes from '../../api/sign-in.ts';
import { handlePublic } from '../http/handler.ts';
import { HttpError } from '../http/http-error.ts';
import { beginSession, signInAuditContext } from './begin-session.ts';
import { hashPassword, localSubject, requireTotpStep } from './local-account.ts';
import { requireStrongPassword } from './password-strength.ts';
import { createRecoveryCodes } from './recovery-codes.ts';

export const readSetUpToken = handlePublic(routes.readSetUpToken, async ({ console, input }) => {
  const token = await console.store.setUpTokens.read(input.token);
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
  requireStrongPassword(password, [name, (await store.setUpTokens.read(token))?.organizationName ?? '']);
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
  await beginSession(console, member, request, reply);
  return { recoveryCodes: recovery.codes };
});

function rejectTakenName(error: unknown): never {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause)
    if ((cause as { code?: string }).code === '23505')
      throw new HttpError('CONFLICT', 'This name is taken. Choose another.');
  throw error;
}
