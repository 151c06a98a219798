import * as routes from '../../api/credentials.ts';
import { auditContext } from '../http/audit-context.ts';
import { handle, requireGuid } from '../http/handler.ts';
import { HttpError } from '../http/http-error.ts';
import { requireLocalAccount } from './account.ts';

const noCredential = 'You have no such credential.';

export const listCredentials = handle(routes.listCredentials, async ({ store, session }) => ({
  credentials: await store.credentials.list(session.memberId),
}));

export const offerPasskeyCreation = handle(routes.offerPasskeyCreation, async ({ console, store, session, reply }) => {
  requireLocalAccount(session);
  const { memberId: id, name } = session;
  return console.webAuthn.offerCreation(reply, { id, name, existing: await store.credentials.passkeys(id) });
});

export const addPasskey = handle(routes.addPasskey, async ({ console, store, session, input, request, reply }) => {
  requireLocalAccount(session);
  const key = await console.webAuthn.verifyCreation(request, reply, input.response);
  const isNew = await store.transaction(auditContext(session, request), (transaction) =>
    store.credentials.addPasskey(transaction, session.memberId, { ...key, name: input.name }),
  );
  if (!isNew) throw new HttpError('CONFLICT', 'This passkey is already registered.');
  return { credentials: await store.credentials.list(session.memberId) };
});

export const removeCredential = handle(routes.removeCredential, async ({ store, session, input, request }) => {
  requireLocalAccount(session);
  const id = requireGuid(input.id, noCredential);
  const outcome = await store.transaction(auditContext(session, request), (transaction) =>
    store.credentials.remove(transaction, session.memberId, id),
  );
  if (outcome === 'missing') throw new HttpError('NOT_FOUND', noCredential);
  if (outcome === 'last')
    throw new HttpError('CONFLICT', 'You could not sign in without it. Add another sign-in method first.');
  return { credentials: await store.credentials.list(session.memberId) };
});
