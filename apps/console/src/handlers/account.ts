import type { Session } from '@tenantscope/store/console';
import type * as z from 'zod/mini';
import * as routes from '../../api/account.ts';
import { auditContext } from '../http/audit-context.ts';
import { handle, type RequestContext } from '../http/handler.ts';
import { HttpError } from '../http/http-error.ts';
import { hashPassword, requireTotpStep, verifyLocalCredentials } from '../sign-in/local-account.ts';
import { verifyPasskey } from '../sign-in/passkey.ts';
import { requireStrongPassword } from '../sign-in/password-strength.ts';
import { createRecoveryCodes } from '../sign-in/recovery-codes.ts';
import { endAllSessions } from './members.ts';

export const changePassword = handle(routes.changePassword, async (context) => {
  const { store, session, input, request } = context;
  requireLocalAccount(session);
  await verifyCurrentPassword(context);
  requireStrongPassword(input.password, [session.name, session.organizationName]);
  const secret = await hashPassword(input.password);
  const { memberId } = session;
  const ended = await store.transaction(auditContext(session, request), async (transaction) => {
    await store.credentials.replace(transaction, memberId, { kinds: ['password'], by: [{ kind: 'password', secret }] });
    return endAllSessions(store, transaction, session, session.id);
  });
  return { ended };
});

type PasswordChange = RequestContext<z.output<(typeof routes.changePassword)['input']>>;

async function verifyCurrentPassword(context: PasswordChange): Promise<void> {
  const { console, store, session, input, request, reply } = context;
  const subject = (await store.members.findById(session.memberId))?.subject ?? '';
  const passkeyOwner =
    'passkey' in input ? (await verifyPasskey({ console, request, reply, response: input.passkey })).id : null;
  if (passkeyOwner !== null && passkeyOwner !== session.memberId)
    throw new HttpError('SIGN_IN_FAILED', 'These credentials belong to another account. Use your own.');
  const second = 'second' in input ? input.second : null;
  await verifyLocalCredentials(console, request, { subject, password: input.current, second });
}

export const renewRecoveryCodes = handle(routes.renewRecoveryCodes, async ({ store, session, request }) => {
  requireLocalAccount(session);
  const { codes, credentials } = createRecoveryCodes();
  await store.transaction(auditContext(session, request), (transaction) =>
    store.credentials.replace(transaction, session.memberId, { kinds: ['recovery'], by: credentials }),
  );
  return { recoveryCodes: codes };
});

export const addAuthenticator = handle(routes.addAuthenticator, async ({ console, store, session, input, request }) => {
  requireLocalAccount(session);
  const step = requireTotpStep(input.totp);
  const { memberId } = session;
  const secret = console.seal.close(input.totp.secret, memberId);
  const isAdded = await store.transaction(auditContext(session, request), (transaction) =>
    store.credentials.addAuthenticator(transaction, memberId, { name: input.name, secret, step }),
  );
  if (!isAdded)
    throw new HttpError('CONFLICT', 'An account has at most 3 authenticator apps. Remove one of them first.');
  return { credentials: await store.credentials.list(memberId) };
});

/** Throws CONFLICT for an account that signs in elsewhere. */
export function requireLocalAccount({ source }: Session): void {
  if (source !== 'local')
    throw new HttpError('CONFLICT', 'Your account signs in elsewhere; this console has no credentials of it.');
}
