import { createHash, randomBytes } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Secret } from 'otpauth';
import { z } from 'zod';
import type { Console } from '../console.ts';
import { Refusal } from '../refusal.ts';
import { arriving, begin } from './enter.ts';
import { hashPassword, localSubject, totpStep } from './local.ts';

const passwordMin = 12;
const recoveryCodes = 10;
export const passkeyName = z.string().trim().min(1).max(100);

const wanted = z.strictObject({
  token: z.string().min(20).max(100),
  name: z.string().trim().min(1).max(100),
  password: z.string().min(passwordMin, `a password has at least ${passwordMin} characters`).max(1_024),
  /** The secret that the page showed, and a code an authenticator made of it. */
  totp: z.strictObject({ secret: z.string().regex(/^[A-Z2-7]{32}$/), code: z.string().regex(/^\d{6}$/) }).optional(),
  /** What the browser answered to the offer of a passkey, and how its owner calls it. */
  passkey: z.strictObject({ name: passkeyName, response: z.unknown() }).optional(),
});

/** The challenge to the passkey of an account that is about to be made. */
export function offerFirstPasskey(console: Console, request: FastifyRequest, reply: FastifyReply): Promise<object> {
  const read = z.strictObject({ name: wanted.shape.name }).safeParse(request.body);
  if (!read.success) throw new Refusal('INVALID_PARAMETER', 'Send the name of the account.');
  return console.passkeys.offerCreation(reply, { id: null, name: read.data.name, has: [] });
}

/** A local administrator, made with the token that the command line printed on the host. Answers the recovery codes, once. */
export async function setUp(console: Console, request: FastifyRequest, reply: FastifyReply): Promise<object> {
  const read = wanted.safeParse(request.body);
  if (!read.success) {
    const [issue] = read.error.issues;
    throw new Refusal('INVALID_PARAMETER', `${issue?.path.join('.') ?? 'The body'}: ${issue?.message}.`);
  }
  const { token, name, password, totp, passkey } = read.data;
  if (totp === undefined && passkey === undefined)
    throw new Refusal('INVALID_PARAMETER', 'A second factor is needed: an authenticator’s code or a passkey.');
  const step = totp ? totpStep(totp.secret, totp.code) : null;
  if (totp && step === null)
    throw new Refusal('INVALID_PARAMETER', 'The code is not the one your authenticator shows now.');
  const { store, seal, passkeys } = console;
  const key = passkey === undefined ? null : await passkeys.created(request, reply, passkey.response);
  const codes = Array.from({ length: recoveryCodes }, makeRecoveryCode);
  const person = await store.change(arriving(request, 'set-up'), async (transaction) => {
    const organizationId = await store.signIns.useToken(transaction, token);
    if (organizationId === null)
      throw new Refusal('SIGN_IN_FAILED', 'The set-up token is unknown, used or too old. Make another on the host.');
    const entered = await store.people.enter(transaction, {
      organizationId,
      name,
      email: null,
      source: 'local',
      subject: localSubject(name),
      role: 'admin',
      tenantIds: null,
    });
    if (entered.organizationId !== organizationId) throw new Refusal('CONFLICT', 'That name is taken. Choose another.');
    await store.signIns.replaceCredentials(transaction, entered.id, [
      { kind: 'password', secret: await hashPassword(password) },
      ...(totp && step !== null ? [{ kind: 'totp' as const, secret: seal.close(totp.secret, entered.id), step }] : []),
      ...codes.map((code) => ({
        kind: 'recovery' as const,
        secret: createHash('sha256').update(code.replaceAll('-', '')).digest('hex'),
      })),
    ]);
    if (key !== null && passkey !== undefined)
      if (!(await store.credentials.addPasskey(transaction, entered.id, { ...key, name: passkey.name })))
        throw new Refusal('CONFLICT', 'That passkey is known already.');
    return entered;
  });
  await begin(console, person, request, reply);
  return { recoveryCodes: codes };
}

/** 80 random bits, as people copy them. */
function makeRecoveryCode(): string {
  const text = new Secret({ buffer: new Uint8Array(randomBytes(10)).buffer }).base32;
  return text.match(/.{4}/g)?.join('-') ?? text;
}
