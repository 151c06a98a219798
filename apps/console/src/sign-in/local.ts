import { createHash, timingSafeEqual } from 'node:crypto';
import { hash, verify } from '@node-rs/argon2';
import type { Credential, Person } from '@tenantscope/store';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { TOTP } from 'otpauth';
import { z } from 'zod';
import type { Console } from '../console.ts';
import { Refusal } from '../refusal.ts';
import { begin } from './enter.ts';
import { beginTry } from './tries.ts';

/** 19 MiB, two passes, one lane: what OWASP asks at least, 12 ms here. */
export const passwordCost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

export const hashPassword = (password: string): Promise<string> => hash(password, passwordCost);

/** Of somebody nobody is: an unknown name is looked up and checked for as long as a known one. */
const nobody = { id: '00000000-0000-0000-0000-000000000000', password: hashPassword('nobody') };

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
  console: Console,
  request: FastifyRequest,
  { subject, password, second: given }: { subject: string; password: string; second: string },
): Promise<Person> {
  const { store, seal } = console;
  const attempt = await beginTry(console, request, { source: 'local', subject });
  const person = await store.people.find({ source: 'local', subject });
  const proofs = await store.signIns.credentials(person?.id ?? nobody.id);
  const known = proofs.find(({ kind }) => kind === 'password')?.secret ?? (await nobody.password);
  const isPassword = await verify(known, password);
  const second = secondAmong(proofs, given, (sealed) => seal.open(sealed, person?.id ?? nobody.id));
  if (person === null || !isPassword || second === null) {
    await attempt.failed(person?.organizationId ?? null);
    throw new Refusal('SIGN_IN_FAILED', 'Name, password or code is wrong.');
  }
  if (!(await store.signIns.spend(second, person.id))) {
    await attempt.failed(person.organizationId);
    throw new Refusal('SIGN_IN_FAILED', 'That code has been used. Wait for the next one.');
  }
  await attempt.succeeded();
  return person;
}

export const localSubject = (name: string): string => name.normalize('NFKC').trim().toLowerCase();

/** What was given, with the time of it where it is an authenticator's code; null: nothing of this person. */
function secondAmong(
  proofs: readonly Credential[],
  given: string,
  open: (sealed: string) => string | null,
): (Credential & { step: number | null }) | null {
  const code = given.replaceAll(/\s/g, '');
  if (/^\d{6}$/.test(code)) {
    const totp = proofs.find(({ kind }) => kind === 'totp');
    const secret = totp && open(totp.secret);
    const step = secret ? totpStep(secret, code) : null;
    return totp && step !== null ? { ...totp, step } : null;
  }
  const digest = createHash('sha256')
    .update(given.toUpperCase().replaceAll(/[^A-Z0-9]/g, ''))
    .digest();
  const recovery = proofs.filter(({ kind }) => kind === 'recovery');
  const found = recovery.find(({ secret }) => timingSafeEqual(digest, Buffer.from(secret, 'hex')));
  return found ? { ...found, step: null } : null;
}

const stepSeconds = 30;

/** The number of the half minute that an authenticator shows this code in, if it is this one or one beside it. */
export function totpStep(secret: string, code: string): number | null {
  const now = Math.floor(Date.now() / 1_000 / stepSeconds);
  const away = new TOTP({ secret, period: stepSeconds }).validate({
    token: code,
    window: 1,
    timestamp: now * stepSeconds * 1_000,
  });
  return away === null ? null : now + away;
}
