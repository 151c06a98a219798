import { z } from 'zod';
import type { Seal } from '../seal.ts';
import { type ShortCookie, shortCookie } from '../short-cookie.ts';
import { type Round, round } from './identity-provider.ts';

export const refused = z.object({ code: z.string(), message: z.string() });
/** Why somebody was not let in, in words of ours. */
export type Refused = z.infer<typeof refused>;

/** What browsers carry on their way to the identity provider and back. */
export interface Rounds {
  readonly under: ShortCookie<Round>;
  /** Read once, by the page that says it. */
  readonly refused: ShortCookie<Refused>;
}

const roundMinutes = 10;
const refusedMinutes = 2;

export function roundsOf(origin: string, seal: Seal): Rounds {
  return {
    under: shortCookie(origin, seal, { name: 'round', path: '/console/auth', minutes: roundMinutes, shape: round }),
    refused: shortCookie(origin, seal, {
      name: 'refused',
      path: '/console/api/sign-in',
      minutes: refusedMinutes,
      shape: refused,
    }),
  };
}
