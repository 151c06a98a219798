import { createHash, timingSafeEqual } from 'node:crypto';
import { hash, verify } from '@node-rs/argon2';
import type { Credential, Member } from '@tenantscope/store/console';
import type { FastifyRequest } from 'fastify';
import { TOTP } from 'otpauth';
import * as routes from '../../api/sign-in.ts';
import type { Console } from '../console.ts';
import { handlePublic } from '../http/handler.ts';
import { HttpError } from '../http/http-error.ts';
import { beginSession, disabledAccount, signInAuditContext } from './begin-session.ts';
import { reserveAttempt } from './sign-in-attempts.ts';

/** 19 MiB, two passes, one lane: the OWASP minimum, 12 ms here. */
const passwordCost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

export const hashPassword = (password: string): Promise<string> => hash(password, passwordCost);

/** Checked for unknown names, so that they take as long as existing ones. */
const decoy = { id: '00000000-0000-0000-0000-000000000000', password: hashPassword('decoy') };

/** A password and a second factor. Whatever was wrong, the message and the work are the same. */
export const signInLocally = handlePublic(
  routes.signInLocally,
  async ({ console, input, request, reply }) => {
    const { name, ...credentials } = input;
    const subject = localSubject(name);
    const member = await verifyLocalCredentials(console, request, { subject, ...credentials });
    await beginSession(console, member, request, reply);
    return {};
  },
  requireLocalSignIn,
);

export function requireLocalSignIn({ hasLocalSignIn }: Console): void {
  if (!hasLocalSignIn)
    throw new HttpError(
      'NOT_FOUND',
      'Local accounts are disabled here. Members are added, and sign in, at the identity provider.',
    );
}

/** The time step of a new authenticator. Throws INVALID_PARAMETER where its code is wrong. */
export function requireTotpStep({ secret, code }: { secret: string; code: string }): number {
  const step = totpStep(secret, code);
  if (step === null)
    throw new HttpError('INVALID_PARAMETER', 'The authenticator code is wrong. Enter the current one.');
  return step;
}

/** The member with this password and second factor; `second` null: another one has been verified. Throws SIGN_IN_FAILED. */
export async function verifyLocalCredentials(
  console: Console,
  request: FastifyRequest,
  { subject, password, second: given }: { subject: string; password: string; second: string | null },
): Promise<Member> {
  const { store, seal } = console;
  const attempt = await reserveAttempt(console, request, { source: 'local', subject });
  const member = await store.members.find({ source: 'local', subject });
  const credentials = await store.signIns.credentials(member?.id ?? decoy.id);
  const passwordHash = credentials.find(({ kind }) => kind === 'password')?.secret ?? (await decoy.password);
  const isPassword = await verify(passwordHash, password);
  const second =
    given === null ? null : findSecondFactor(credentials, given, (sealed) => seal.open(sealed, member?.id ?? decoy.id));
  if (member === null || !isPassword || (given !== null && second === null)) {
    await attempt.fail(member?.organizationId ?? null);
    throw new HttpError('SIGN_IN_FAILED', 'Name, password or code is wrong.');
  }
  if (member.disabledAt !== null) {
    await attempt.fail(member.organizationId);
    throw disabledAccount();
  }
  const by = signInAuditContext(request, `member:${member.id}`);
  if (second !== null && !(await store.signIns.consumeCredential(second, by))) {
    await attempt.fail(member.organizationId);
    throw new HttpError('SIGN_IN_FAILED', 'This code has already been used. Wait for the next one.');
  }
  await attempt.succeed();
  return member;
}

export const localSubject = (name: string): string => name.normalize('NFKC').trim().toLowerCase();

/** What was given, with the time of it where it is an authenticator's code; null: nothing of this member. */
function findSecondFactor(
  credentials: readonly Credential[],
  given: string,
  open: (sealed: string) => string | null,
): (Credential & { step: number | null }) | null {
  const code = given.replaceAll(/\s/g, '');
  if (/^\d{6}$/.test(code)) {
    for (const totp of credentials.filter(({ kind }) => kind === 'totp')) {
      const secret = open(totp.secret);
      const step = secret === null ? null : totpStep(secret, code);
      if (step !== null) return { ...totp, step };
    }
    return null;
  }
  const digest = createHash('sha256')
    .update(given.toUpperCase().replaceAll(/[^A-Z0-9]/g, ''))
    .digest();
  const recovery = credentials.filter(({ kind }) => kind === 'recovery');
  const found = recovery.find(({ secret }) => timingSafeEqual(digest, Buffer.from(secret, 'hex')));
  return found ? { ...found, step: null } : null;
}

const stepSeconds = 30;

/** The number of the half minute that an authenticator shows this code in, if it is this one or an adjacent one. */
function totpStep(secret: string, code: string): number | null {
  const now = Math.floor(Date.now() / 1_000 / stepSeconds);
  const away = new TOTP({ secret, period: stepSeconds }).validate({
    token: code,
    window: 1,
    timestamp: now * stepSeconds * 1_000,
  });
  return away === null ? null : now + away;
}
