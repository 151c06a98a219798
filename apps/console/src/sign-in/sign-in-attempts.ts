import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { Console } from '../console.ts';
import { HttpError } from '../http/http-error.ts';

/** Failures allowed within a quarter of an hour. */
const attemptsPerAccount = 5;
const attemptsPerAddress = 30;

/** An attempt to sign in or to authenticate again; it counts as failed until it succeeds. */
export interface SignInAttempt {
  /** Recorded in the audit log; the organization of the account, null where there is no such account. */
  fail(organizationId: string | null): Promise<void>;
  succeed(): Promise<void>;
}

/** Throws RATE_LIMITED after too many failures of this account or from this address. `subject` null: no account is named. */
export async function reserveAttempt(
  { store }: Console,
  request: FastifyRequest,
  { source, subject }: { source: 'local' | 'passkey'; subject: string | null },
): Promise<SignInAttempt> {
  const address = { place: `address:${request.ip}`, limit: attemptsPerAddress };
  const account = subject === null ? [] : [{ place: `account:${hashSubject(subject)}`, limit: attemptsPerAccount }];
  const { taken, freeAt } = await store.signIns.beginAttempt([...account, address]);
  if (taken === null) throw tooManyAttempts(freeAt);
  return {
    async fail(organizationId) {
      await store.signIns.recordFailure({
        organizationId,
        subject: subject ?? 'a passkey',
        requestId: request.id,
        source,
        address: request.ip,
        closedForNow: taken.lastAt.map((place) => (place === address.place ? 'address' : 'account')),
      });
    },
    succeed: () => store.signIns.releaseAttempt(taken),
  };
}

function tooManyAttempts(freeAt: string): HttpError {
  const minutes = Math.max(1, Math.ceil((Date.parse(freeAt) - Date.now()) / 60_000));
  const wait = minutes === 1 ? 'a minute' : `${minutes} minutes`;
  return new HttpError(
    'RATE_LIMITED',
    `Too many failed attempts. Try again in ${wait}, at ${freeAt.slice(11, 16)} UTC.`,
  );
}

const hashSubject = (subject: string): string => createHash('sha256').update(subject).digest('hex');
