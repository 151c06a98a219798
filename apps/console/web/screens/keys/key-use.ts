import type { Key, KeyDetail, UseBucket } from '../../asked.ts';

type Detailed = KeyDetail['key'];
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

const inUseMs = 30 * dayMs;

export const nameMax = 100;

export const hasEnded = (key: Key): boolean =>
  key.revokedAt !== null || (key.expiresAt !== null && Date.parse(key.expiresAt) <= Date.now());

const requestsSince = (hours: readonly UseBucket[], sinceMs: number): number =>
  hours.filter(({ at }) => Date.parse(at) + hourMs > sinceMs).reduce((sum, { requests }) => sum + requests, 0);

export const requestsIn = (key: Detailed, hours: number, nowMs = Date.now()): number =>
  requestsSince(key.hours, nowMs - hours * hourMs);

/** Nothing for a day: what used it has gone over. */
export const isSilent = ({ lastUsedAt }: Key, nowMs = Date.now()): boolean =>
  lastUsedAt === null || nowMs - Date.parse(lastUsedAt) >= dayMs;

/** Somebody may miss it: the opposite of the view of unused keys. */
export const isInUse = ({ lastUsedAt }: Key, nowMs = Date.now()): boolean =>
  lastUsedAt !== null && nowMs - Date.parse(lastUsedAt) < inUseMs;

/** The letters that tell keys apart stand behind the prefix that all have. */
export const shownId = ({ display }: Pick<Key, 'display'>): string => `${prefix}${display}…`;
export const firstLetters = ({ display }: Pick<Key, 'display'>): string => display.slice(0, 4);

const prefix = 'tscope_live_';
const displayLength = 8;

/** What somebody looks for. Of a whole secret only the letters that are shown anyway are kept: the filter stands in the address. */
export const wantedOf = (typed: string): string =>
  typed.replaceAll(new RegExp(`${prefix}(\\w{${displayLength}})\\w+`, 'g'), `${prefix}$1`);
