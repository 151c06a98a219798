import type { Person } from '@tenantscope/store';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Console } from '../console.ts';
import { Refusal } from '../refusal.ts';
import { arriving, begin } from './enter.ts';
import { beginTry } from './tries.ts';

export async function offerPasskey(console: Console, reply: FastifyReply): Promise<object> {
  requireLocal(console);
  return console.passkeys.offerUse(reply);
}

const answer = z.strictObject({ response: z.unknown() });

export async function signInByPasskey(console: Console, request: FastifyRequest, reply: FastifyReply): Promise<object> {
  requireLocal(console);
  const read = answer.safeParse(request.body);
  if (!read.success) throw new Refusal('INVALID_PARAMETER', 'Send what the browser answered, as response.');
  await begin(console, await provenByPasskey(console, request, reply, read.data.response), request, reply);
  return {};
}

/** Who holds the key that answered this browser's challenge. */
export async function provenByPasskey(
  console: Console,
  request: FastifyRequest,
  reply: FastifyReply,
  response: unknown,
): Promise<Person> {
  const { store, passkeys } = console;
  const attempt = await beginTry(console, request, { source: 'passkey', subject: null });
  const used = await passkeys.used(request, reply, response);
  const person = used === null ? null : await store.people.findById(used.passkey.personId);
  if (used === null || person === null) {
    await attempt.failed(null);
    throw new Refusal('SIGN_IN_FAILED', 'That passkey does not open anything here.');
  }
  await attempt.succeeded();
  await store.change(arriving(request, `person:${person.id}`), (transaction) =>
    store.credentials.noteUse(transaction, used.passkey.id, used.counter),
  );
  return person;
}

function requireLocal({ hasLocalSignIn }: Console): void {
  if (!hasLocalSignIn) throw new Refusal('NOT_FOUND', 'Local accounts are switched off here.');
}
