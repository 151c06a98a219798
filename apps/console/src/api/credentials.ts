import type { Session } from '@tenantscope/store';
import { z } from 'zod';
import { actingIn } from '../acting.ts';
import { Refusal } from '../refusal.ts';
import { everybody, guidOf, route } from '../route.ts';
import { passkeyName } from '../sign-in/set-up.ts';

/** By what the person proves itself; never the secrets. */
export const listCredentials = route({
  method: 'GET',
  path: '/credentials',
  roles: everybody,
  answer: async ({ store, session }) => ({ credentials: await store.credentials.list(session.personId) }),
});

export const offerPasskeyCreation = route({
  method: 'POST',
  path: '/credentials/passkey/options',
  roles: everybody,
  body: z.strictObject({}),
  isDangerous: () => true,
  async answer({ console, store, session, reply }) {
    requireLocal(session);
    const { personId: id, name } = session;
    return console.passkeys.offerCreation(reply, { id, name, has: await store.credentials.passkeys(id) });
  },
});

export const addPasskey = route({
  method: 'POST',
  path: '/credentials/passkey',
  roles: everybody,
  body: z.strictObject({ name: passkeyName, response: z.unknown() }),
  isDangerous: () => true,
  async answer({ console, store, session, body, request, reply }) {
    requireLocal(session);
    const key = await console.passkeys.created(request, reply, body.response);
    const isNew = await store.change(actingIn(session, request), (transaction) =>
      store.credentials.addPasskey(transaction, session.personId, { ...key, name: body.name }),
    );
    if (!isNew) throw new Refusal('CONFLICT', 'That passkey is known already.');
    return { credentials: await store.credentials.list(session.personId) };
  },
});

export const removeCredential = route({
  method: 'POST',
  path: '/credentials/:id/remove',
  roles: everybody,
  body: z.strictObject({}),
  isDangerous: () => true,
  async answer({ store, session, parameters, request }) {
    requireLocal(session);
    const id = guidOf(parameters, 'There is no such proof of yours.');
    const outcome = await store.change(actingIn(session, request), (transaction) =>
      store.credentials.remove(transaction, session.personId, id),
    );
    if (outcome === 'missing') throw new Refusal('NOT_FOUND', 'There is no such proof of yours.');
    if (outcome === 'last')
      throw new Refusal('CONFLICT', 'Without it you could not sign in any more. Add another way in first.');
    return { credentials: await store.credentials.list(session.personId) };
  },
});

function requireLocal({ source }: Session): void {
  if (source !== 'local')
    throw new Refusal('CONFLICT', 'Your account proves itself elsewhere, and not by this console.');
}
