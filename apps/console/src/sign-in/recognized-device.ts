import { createHash, randomBytes } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { createTransientCookie } from '../http/transient-cookie.ts';
import type { Seal } from '../seal.ts';

/** Browsers that have signed in to a local account: a sealed cookie that names the accounts, and proves nothing else. */
export interface RecognizedDevice {
  /** The id of this browser, where it has signed in to this account before; else null. */
  find(request: FastifyRequest, subject: string): string | null;
  /** Adds the account of a successful sign-in. */
  remember(request: FastifyRequest, reply: FastifyReply, subject: string): void;
}

const rememberedMinutes = 90 * 24 * 60;
/** A browser that is shared by more forgets the oldest account. */
const maxAccounts = 5;

const shape = z.object({ id: z.string(), accounts: z.array(z.string()) });

export function createRecognizedDevice(origin: string, seal: Seal): RecognizedDevice {
  const cookie = createTransientCookie(origin, seal, {
    name: 'device',
    path: '/console/api',
    minutes: rememberedMinutes,
    shape,
  });
  return {
    find(request, subject) {
      const device = cookie.read(request);
      return device?.accounts.includes(hashSubject(subject)) ? device.id : null;
    },
    remember(request, reply, subject) {
      const { id, accounts } = cookie.read(request) ?? { id: randomBytes(16).toString('base64url'), accounts: [] };
      const account = hashSubject(subject);
      const others = accounts.filter((other) => other !== account).slice(0, maxAccounts - 1);
      cookie.write(reply, { id, accounts: [account, ...others] });
    },
  };
}

const hashSubject = (subject: string): string => createHash('sha256').update(subject).digest('base64url').slice(0, 22);
