import type { Acting, Person, PersonWanted } from '@tenantscope/store';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Console } from '../console.ts';
import { Refusal } from '../refusal.ts';

const agentMaxLength = 120;

/** How the audit names somebody who is about to sign in. */
export const arriving = (request: FastifyRequest, who: string): Acting => ({
  actor: who,
  sessionId: null,
  requestId: request.id,
  address: request.ip,
});

/** Begins a session of a person who has proved who it is, and writes its cookie. */
export async function begin(
  { store, cookie }: Console,
  person: Person,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  if (person.disabledAt !== null) throw new Refusal('FORBIDDEN', 'Your account is closed. Ask an administrator.');
  const before = cookie.read(request);
  const last = before === null ? null : await store.sessions.find(before);
  const { secret } = await store.change(arriving(request, `person:${person.id}`), async (transaction) => {
    if (last) await store.sessions.end(transaction, last.personId, last.id);
    await store.note(transaction, { organizationId: person.organizationId, act: 'signed in', personId: person.id });
    return store.sessions.begin(transaction, person.id, {
      address: request.ip,
      agent: request.headers['user-agent']?.replaceAll(/[^\x20-\x7e]/g, '?').slice(0, agentMaxLength) ?? null,
    });
  });
  cookie.write(reply, secret);
}

/** Who signs in is entered, or brought up to date. */
export function enter({ store }: Console, wanted: PersonWanted, request: FastifyRequest): Promise<Person> {
  return store.change(arriving(request, `sign-in:${wanted.source}`), (transaction) =>
    store.people.enter(transaction, wanted),
  );
}
