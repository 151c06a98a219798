import { z } from 'zod';
import { actingIn } from '../acting.ts';
import { Refusal } from '../refusal.ts';
import { everybody, route, type Visit } from '../route.ts';
import { provenLocally } from '../sign-in/local.ts';
import { provenByPasskey } from '../sign-in/passkey.ts';

const proof = z.union([
  z.strictObject({ password: z.string().min(1).max(1_024), second: z.string().trim().min(1).max(64) }),
  z.strictObject({ passkey: z.looseObject({}) }),
  z.strictObject({ demo: z.literal(true) }),
]);

/** Proves within a session that it is still the same person: dangerous acts may follow for a while. Single sign-on does so by a round of its own. */
export const reauthenticate = route({
  method: 'POST',
  path: '/reauthenticate',
  roles: everybody,
  body: proof,
  async answer(visit) {
    const { store, session, request } = visit;
    if ((await whoProved(visit)) !== session.personId)
      throw new Refusal('SIGN_IN_FAILED', 'That is somebody else’s. Prove that it is you.');
    await store.change(actingIn(session, request), async (transaction) => {
      await store.sessions.noteAuthentication(transaction, session.id);
      const { organizationId, personId } = session;
      await store.note(transaction, { organizationId, act: 'signed in', personId });
    });
    return {};
  },
});

async function whoProved({ console, store, session, body, request, reply }: Visit<z.infer<typeof proof>>) {
  if ('demo' in body) {
    if (session.source !== 'demo') throw elsewhere();
    return session.personId;
  }
  if (session.source !== 'local') throw elsewhere();
  if ('passkey' in body) return (await provenByPasskey(console, request, reply, body.passkey)).id;
  const person = await store.people.findById(session.personId);
  return (await provenLocally(console, request, { subject: person?.subject ?? '', ...body })).id;
}

const elsewhere = () => new Refusal('CONFLICT', 'Your account does not prove itself this way.');
