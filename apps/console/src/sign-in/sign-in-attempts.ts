import { createHash } from 'node:crypto';
import { normalizeClientAddress } from '@tenantscope/runtime';
import type { AttemptBucket } from '@tenantscope/store/console';
import type { FastifyRequest } from 'fastify';
import type { Console } from '../console.ts';
import { HttpError } from '../http/http-error.ts';

/**
 * Failures allowed. A browser that has signed in to the account before has a count of its own, which other clients can neither see nor fill: they
 * cannot lock the account. All others together have 20 in an hour, which is the rate of 5 in a quarter of an hour, and one address has no more than 5
 * in a quarter of an hour.
 */
const perRecognizedDevice = { limit: 5, windowMinutes: 15 };
const perAccountAtAddress = { limit: 5, windowMinutes: 15 };
const perAccount = { limit: 20, windowMinutes: 60 };
const perAddress = { limit: 30, windowMinutes: 15 };

/** An attempt to sign in or to authenticate again; it counts as failed until it succeeds. */
export interface SignInAttempt {
  /** Recorded in the audit log; the organization of the account, null where there is no such account. */
  fail(organizationId: string | null): Promise<void>;
  succeed(): Promise<void>;
}

/** Throws RATE_LIMITED after too many failures. `subject` null: no account is named. */
export async function reserveAttempt(
  { store, recognizedDevice }: Console,
  request: FastifyRequest,
  { source, subject }: { source: 'local' | 'passkey'; subject: string | null },
): Promise<SignInAttempt> {
  const device = subject === null ? null : recognizedDevice.find(request, subject);
  const { taken, freeAt } = await store.signIns.beginAttempt(
    listBuckets(normalizeClientAddress(request.ip), subject, device),
  );
  if (taken === null) throw tooManyAttempts(freeAt);
  return {
    async fail(organizationId) {
      await store.signIns.recordFailure({
        organizationId,
        subject: subject ?? 'a passkey',
        requestId: request.id,
        source,
        address: request.ip,
        closedForNow: [
          ...new Set(taken.lastAt.map((place) => (place.startsWith('address:') ? ('address' as const) : 'account'))),
        ],
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

function listBuckets(address: string, subject: string | null, device: string | null): readonly AttemptBucket[] {
  if (subject === null) return [{ place: `address:${address}`, ...perAddress }];
  const account = createHash('sha256').update(subject).digest('hex');
  if (device !== null) return [{ place: `device:${device}:${account}`, ...perRecognizedDevice }];
  return [
    { place: `account:${account}@${address}`, ...perAccountAtAddress },
    { place: `account:${account}`, ...perAccount },
    { place: `address:${address}`, ...perAddress },
  ];
}
