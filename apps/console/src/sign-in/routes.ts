import type { FastifyInstance } from 'fastify';
import type { Console } from '../console.ts';
import { signInToDemo } from './demo.ts';
import { signInLocally } from './local.ts';
import { setUp } from './set-up.ts';

/** What answers without a session. */
export function serveSignIn(fastify: FastifyInstance, console: Console): void {
  fastify.get('/console/api/sign-in', async () => ({
    oidc: null,
    local: console.hasLocalSignIn,
    demo: console.demoOrganizationId !== null,
  }));
  fastify.post('/console/api/sign-in/demo', (request, reply) => signInToDemo(console, request, reply));
  fastify.post('/console/api/sign-in/local', (request, reply) => signInLocally(console, request, reply));
  fastify.post('/console/api/set-up', (request, reply) => setUp(console, request, reply));
  fastify.post('/console/api/sign-out', async (request, reply) => {
    const secret = console.cookie.read(request);
    const session = secret === null ? null : await console.store.sessions.find(secret);
    console.cookie.clear(reply);
    if (session === null) return {};
    const by = { actor: `person:${session.personId}`, sessionId: session.id, requestId: request.id };
    await console.store.change(by, async (transaction) => {
      await console.store.sessions.end(transaction, session.personId, session.id);
      await console.store.note(transaction, {
        organizationId: session.organizationId,
        act: 'signed out',
        personId: session.personId,
      });
    });
    return {};
  });
}
