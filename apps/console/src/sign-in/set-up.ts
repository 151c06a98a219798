import { createHash, randomBytes } from 'node:crypto';
import { Secret } from 'otpauth';
import * as routes from '../../api/sign-in.ts';
import { handlePublic } from '../http/handler.ts';
import { HttpError } from '../http/http-error.ts';
import { beginSession, signInAuditContext } from './begin-session.ts';
import { hashPassword, localSubject, totpStep } from './local-account.ts';

const recoveryCodeCount = 10;

export const offerFirstPasskey = handlePublic(routes.offerFirstPasskey, async ({ console, input, reply }) =>
  console.webAuthn.offerCreation(reply, { id: null, name: input.name, existing: [] }),
);

export const setUp = handlePublic(routes.setUp, async ({ console, input, request, reply }) => {
  const { token, name, password, totp, passkey } = input;
  if (totp === undefined && passkey === undefined)
    throw new HttpError('INVALID_PARAMETER', 'A second factor is required: an authenticator code or a passkey.');
  const step = totp ? totpStep(totp.secret, totp.code) : null;
  if (totp && step === null)
    throw new HttpError('INVALID_PARAMETER', 'The authenticator code is wrong. Enter the current one.');
  const { store, seal, webAuthn } = console;
  const key = passkey === undefined ? null : await webAuthn.verifyCreation(request, reply, passkey.response);
  const codes = Array.from({ length: recoveryCodeCount }, createRecoveryCode);
  const member = await store.transaction(signInAuditContext(request, 'set-up'), async (transaction) => {
    const organizationId = await store.signIns.useSetUpToken(transaction, token);
    if (organizationId === null)
      throw new HttpError(
        'SIGN_IN_FAILED',
        'The set-up token is unknown, used or expired. Create another on the host.',
      );
    const created = await store.members.upsert(transaction, {
      organizationId,
      name,
      email: null,
      source: 'local',
      subject: localSubject(name),
      role: 'admin',
      tenantIds: null,
    });
    if (created.organizationId !== organizationId)
      throw new HttpError('CONFLICT', 'This name is taken. Choose another.');
    await store.signIns.replaceCredentials(transaction, created.id, [
      { kind: 'password', secret: await hashPassword(password) },
      ...(totp && step !== null ? [{ kind: 'totp' as const, secret: seal.close(totp.secret, created.id), step }] : []),
      ...codes.map((code) => ({
        kind: 'recovery' as const,
        secret: createHash('sha256').update(code.replaceAll('-', '')).digest('hex'),
      })),
    ]);
    if (key !== null && passkey !== undefined)
      if (!(await store.credentials.addPasskey(transaction, created.id, { ...key, name: passkey.name })))
        throw new HttpError('CONFLICT', 'This passkey is already registered.');
    return created;
  });
  await beginSession(console, member, request, reply);
  return { recoveryCodes: codes };
});

/** 80 random bits, in groups that are easy to copy. */
function createRecoveryCode(): string {
  const text = new Secret({ buffer: new Uint8Array(randomBytes(10)).buffer }).base32;
  return text.match(/.{4}/g)?.join('-') ?? text;
}
