import { dayMs, hourMs } from '@tenantscope/contract/durations';
import { type Key, type KeyDetail, secretPrefix, type UsageBucket } from '../../../api/keys.ts';

type Detailed = KeyDetail['key'];

const inUseMs = 30 * dayMs;

export const nameMax = 100;

export const hasEnded = (key: Key): boolean =>
  key.revokedAt !== null || (key.expiresAt !== null && Date.parse(key.expiresAt) <= Date.now());

const requestsSince = (hours: readonly UsageBucket[], sinceMs: number): number =>
  hours.filter(({ at }) => Date.parse(at) + hourMs > sinceMs).reduce((sum, { requests }) => sum + requests, 0);

export const countRequests = (key: Detailed, hours: number, nowMs = Date.now()): number =>
  requestsSince(key.hours, nowMs - hours * hourMs);

/** Nothing for a day: what used it has gone over. */
export const isIdle = ({ lastUsedAt }: Key, nowMs = Date.now()): boolean =>
  lastUsedAt === null || nowMs - Date.parse(lastUsedAt) >= dayMs;

/** Used within 30 days: the opposite of the view of unused keys. */
export const isInUse = ({ lastUsedAt }: Key, nowMs = Date.now()): boolean =>
  lastUsedAt !== null && nowMs - Date.parse(lastUsedAt) < inUseMs;

export const confirmationCode = ({ display }: Pick<Key, 'display'>): string => display.slice(0, 4);

const displayLength = 8;

/** The filter without secrets: a whole secret is reduced to the characters that are shown anyway, since the filter is part of the URL. */
export const redactSecrets = (typed: string): string =>
  typed.replaceAll(new RegExp(`${secretPrefix}(\\w{${displayLength}})\\w+`, 'g'), `${secretPrefix}$1`);
