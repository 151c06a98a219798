import type { FastifyReply, FastifyRequest } from 'fastify';
import { isLoopback } from '../config.ts';
import type { Console } from '../console.ts';
import { Refusal } from '../refusal.ts';
import { begin, enter } from './enter.ts';

/** One click, on loopback and for the demo's organization only: whoever sits at this machine started it. */
export async function signInToDemo(console: Console, request: FastifyRequest, reply: FastifyReply): Promise<object> {
  const organizationId = console.demoOrganizationId;
  const address = request.socket.remoteAddress?.replace(/^::ffff:/, '') ?? '';
  if (organizationId === null || !isLoopback(address)) throw new Refusal('NOT_FOUND', 'There is no demo sign-in here.');
  const person = await enter(
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
  await begin(console, person, request, reply);
  return {};
}
