import type { Key, KeyDetail, UseBucket } from '../../asked.ts';

type Detailed = KeyDetail['key'];
const hourMs = 3_600_000;

export const hasEnded = (key: Key): boolean =>
  key.revokedAt !== null || (key.expiresAt !== null && Date.parse(key.expiresAt) <= Date.now());

const requestsSince = (hours: readonly UseBucket[], sinceMs: number): number =>
  hours.filter(({ at }) => Date.parse(at) + hourMs > sinceMs).reduce((sum, { requests }) => sum + requests, 0);

export const requestsIn = (key: Detailed, hours: number, nowMs = Date.now()): number =>
  requestsSince(key.hours, nowMs - hours * hourMs);

/** Nothing for a day: what used it has gone over. */
export const isSilent = (key: Detailed): boolean => requestsIn(key, 24) === 0;

/** The letters that tell keys apart stand behind the prefix that all have. */
export const shownId = ({ display }: Pick<Key, 'display'>): string => `tscope_live_${display}…`;
export const firstLetters = ({ display }: Pick<Key, 'display'>): string => display.slice(0, 4);
