import type { FastifyInstance } from 'fastify';
import type { Console } from '../console.ts';
import { signInToDemo } from './demo.ts';
import { signInLocally } from './local.ts';
import { departToProvider, returnFromProvider } from './oidc.ts';
import { offerPasskey, signInByPasskey } from './passkey.ts';
import { offerFirstPasskey, setUp } from './set-up.ts';

/** What answers without a session. */
export function serveSignIn(fastify: FastifyInstance, console: Console): void {
  fastify.get('/console/api/sign-in', async (request, reply) => {
    const refused = console.rounds.refused.read(request);
    if (refused !== null) console.rounds.refused.clear(reply);
    return {
      oidc: console.identityProvider === null ? null : { name: console.identityProvider.name },
      local: console.hasLocalSignIn,
      passkey: console.hasLocalSignIn && console.passkeys.arePossible,
      demo: console.demoOrganizationId !== null,
      ...(refused === null ? {} : { refused }),
    };
  });
  fastify.get('/console/auth/start', (request, reply) => departToProvider(console, request, reply));
  fastify.get('/console/auth/callback', (request, reply) => returnFromProvider(console, request, reply));
  fastify.post('/console/api/sign-in/passkey/options', (_, reply) => offerPasskey(console, reply));
  fastify.post('/console/api/sign-in/passkey/verify', (request, reply) => signInByPasskey(console, request, reply));
  fastify.post('/console/api/set-up/passkey/options', (request, reply) => offerFirstPasskey(console, request, reply));
  fastify.post('/console/api/sign-in/demo', (request, reply) => signInToDemo(console, request, reply));
  fastify.post('/console/api/sign-in/local', (request, reply) => signInLocally(console, request, reply));
  fastify.post('/console/api/set-up', (request, reply) => setUp(console, request, reply));
  fastify.post('/console/api/sign-out', async (request, reply) => {
    const secret = console.cookie.read(request);
    const session = secret === null ? null : await console.store.sessions.find(secret);
    console.cookie.clear(reply);
    if (session === null) return {};
    const by = {
      actor: `person:${session.personId}`,
      sessionId: session.id,
      requestId: request.id,
      address: request.ip,
    };
    await console.store.change(by, async (transaction) => {
      await console.store.sessions.end(transaction, session.personId, session.id);
      await console.store.note(transaction, {
        organizationId: session.organizationId,
        act: 'signed out',
        personId: session.personId,
      });
    });
    const goesOn = session.source === 'oidc' && console.identityProvider;
    const signOutUrl = goesOn ? await goesOn.signOutUrl(`${console.origin}/console/sign-in`).catch(() => null) : null;
    return signOutUrl === null ? {} : { signOutUrl };
  });
}
