import { createHash, timingSafeEqual } from 'node:crypto';
import { hash, verify } from '@node-rs/argon2';
import type { Person } from '@tenantscope/store';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { TOTP } from 'otpauth';
import { z } from 'zod';
import type { Console } from '../console.ts';
import { Refusal } from '../refusal.ts';
import { begin } from './enter.ts';

/** 19 MiB, two passes, one lane: what OWASP asks at least, 12 ms here. */
export const passwordCost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

export const hashPassword = (password: string): Promise<string> => hash(password, passwordCost);

/** Of a password nobody has: an unknown name takes as long as a wrong password. */
const nobodys = hashPassword('nobody');

const triesPerAccount = 5;
export const triesPerAddress = 30;

const credentials = z.strictObject({
  name: z.string().trim().min(1).max(200),
  password: z.string().min(1).max(1_024),
  /** Six digits of an authenticator, or a recovery code. */
  second: z.string().trim().min(1).max(64),
});

/** A password and a second factor. Whatever was wrong, the words and the work are the same. */
export async function signInLocally(console: Console, request: FastifyRequest, reply: FastifyReply): Promise<object> {
  if (!console.hasLocalSignIn) throw new Refusal('NOT_FOUND', 'Local accounts are switched off here.');
  const read = credentials.safeParse(request.body);
  if (!read.success) throw new Refusal('INVALID_PARAMETER', 'Send name, password and the code of your second factor.');
  const { name, ...proof } = read.data;
  await begin(
    console,
    await provenLocally(console, request, { subject: localSubject(name), ...proof }),
    request,
    reply,
  );
  return {};
}

/** Whose password and second factor these are. */
export async function provenLocally(
  { store, seal }: Console,
  request: FastifyRequest,
  { subject, password, second: given }: { subject: string; password: string; second: string },
): Promise<Person> {
  const places = [
    { place: `account:${createHash('sha256').update(subject).digest('hex')}`, limit: triesPerAccount },
    { place: `address:${request.ip}`, limit: triesPerAddress },
  ];
  for (const { place, limit } of places)
    if ((await store.signIns.failures(place)) >= limit)
      throw new Refusal('RATE_LIMITED', 'Too many tries. Wait a quarter of an hour and try again.');

  const person = await store.people.find({ source: 'local', subject });
  const proofs = person === null ? [] : await store.signIns.credentials(person.id);
  const known = proofs.find(({ kind }) => kind === 'password')?.secret ?? (await nobodys);
  const isPassword = await verify(known, password);
  const second = proofs.find((proof) => isSecond(proof, given, (sealed) => seal.open(sealed, person?.id ?? '')));
  if (person === null || !isPassword || second === undefined) {
    await store.signIns.fail(
      places.map(({ place }) => place),
      { organizationId: person?.organizationId ?? null, subject, requestId: request.id },
    );
    throw new Refusal('SIGN_IN_FAILED', 'Name, password or code is wrong.');
  }
  if (!(await store.signIns.spend(second, person.id)))
    throw new Refusal('SIGN_IN_FAILED', 'That code has been used. Wait for the next one.');
  return person;
}

export const localSubject = (name: string): string => name.normalize('NFKC').trim().toLowerCase();

interface Proof {
  readonly kind: string;
  readonly secret: string;
}

function isSecond({ kind, secret }: Proof, given: string, open: (sealed: string) => string | null): boolean {
  if (kind === 'totp') {
    const code = given.replaceAll(/\s/g, '');
    const opened = /^\d{6}$/.test(code) ? open(secret) : null;
    return opened !== null && new TOTP({ secret: opened }).validate({ token: code, window: 1 }) !== null;
  }
  if (kind !== 'recovery') return false;
  const digest = createHash('sha256')
    .update(given.toUpperCase().replaceAll(/[^A-Z0-9]/g, ''))
    .digest();
  return timingSafeEqual(digest, Buffer.from(secret, 'hex'));
}
