import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { Console } from '../console.ts';
import { Refusal } from '../refusal.ts';

/** So many may fail within a quarter of an hour. */
const triesPerAccount = 5;
const triesPerAddress = 30;

/** Somebody tries to prove who it is; it counts as failed unless it succeeded. */
export interface Attempt {
  /** Told to the audit; the organization is that of the account, null where there is no such account. */
  failed(organizationId: string | null): Promise<void>;
  succeeded(): Promise<void>;
}

/** Throws RATE_LIMITED where too many failed, of this account or from this address. `subject` null: no account is named. */
export async function beginTry(
  { store }: Console,
  request: FastifyRequest,
  { source, subject }: { source: 'local' | 'passkey'; subject: string | null },
): Promise<Attempt> {
  const address = { place: `address:${request.ip}`, limit: triesPerAddress };
  const account = subject === null ? [] : [{ place: `account:${digestOf(subject)}`, limit: triesPerAccount }];
  const { taken, freeAt } = await store.signIns.take([...account, address]);
  if (taken === null) throw tooMany(freeAt);
  return {
    async failed(organizationId) {
      await store.signIns.fail({
        organizationId,
        subject: subject ?? 'a passkey',
        requestId: request.id,
        source,
        address: request.ip,
        closedForNow: taken.lastAt.map((place) => (place === address.place ? 'address' : 'account')),
      });
    },
    succeeded: () => store.signIns.giveBack(taken),
  };
}

function tooMany(freeAt: string): Refusal {
  const minutes = Math.max(1, Math.ceil((Date.parse(freeAt) - Date.now()) / 60_000));
  const wait = minutes === 1 ? 'a minute' : `${minutes} minutes`;
  return new Refusal('RATE_LIMITED', `Too many tries. Try again in ${wait}, at ${freeAt.slice(11, 16)} UTC.`);
}

const digestOf = (subject: string): string => createHash('sha256').update(subject).digest('hex');
