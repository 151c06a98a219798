import { isLoopback } from '@tenantscope/runtime';
import type { FastifyRequest } from 'fastify';
import * as routes from '../../api/sign-in.ts';
import type { Console } from '../console.ts';
import { handlePublic } from '../http/handler.ts';
import { HttpError } from '../http/http-error.ts';
import { beginSession, upsertMember } from './begin-session.ts';

/** One click, on loopback and for the demo's organization only: the user of this machine started it. */
export const signInToDemo = handlePublic(
  routes.signInToDemo,
  async ({ console, request, reply }) => {
    const organizationId = requireDemo(console, request);
    const member = await upsertMember(
      console,
      {
        organizationId,
        name: 'Demo administrator',
        email: null,
        source: 'demo',
        subject: organizationId,
        role: 'admin',
        tenantIds: null,
      },
      request,
    );
    await beginSession(console, member, request, reply);
    return {};
  },
  requireDemo,
);

/** The organization of the demo. */
function requireDemo({ demoOrganizationId }: Console, request: FastifyRequest): string {
  const address = request.socket.remoteAddress?.replace(/^::ffff:/, '') ?? '';
  if (demoOrganizationId === null || !isLoopback(address))
    throw new HttpError('NOT_FOUND', 'The demo sign-in is not enabled here.');
  return demoOrganizationId;
}
