import type { Outcome } from '@tenantscope/contract';

/** How an action ended. `interrupted` is a sign-in that stopped to ask for more: a failure, but nobody's attack. */
export type Ending = Outcome | 'interrupted';

/** From a provider's word for it, in any letter case; a word not known here is `unknown`, no word is null. */
export function endingOf(status: string | null): Ending | null {
  return status === null ? null : (endings.get(status.toLowerCase()) ?? 'unknown');
}

/** Of a sign-in with an error code of Entra; 0 and none mean success. */
export function endingOfSignIn(errorCode: number | null): Ending {
  if (errorCode === null || errorCode === 0) return 'success';
  return interrupts.has(errorCode) ? 'interrupted' : 'failure';
}

export function outcomeOf(ending: Ending | null): Outcome | null {
  return ending === 'interrupted' ? 'failure' : ending;
}

const endings = new Map<string, Ending>([
  ['allow', 'success'],
  ['challenge', 'interrupted'],
  ['deny', 'failure'],
  ['fail', 'failure'],
  ['failed', 'failure'],
  ['failure', 'failure'],
  ['false', 'failure'],
  ['partiallysucceeded', 'partial'],
  ['succeeded', 'success'],
  ['success', 'success'],
  ['timeout', 'failure'],
  ['true', 'success'],
]);
/** Entra asks for a session, a second factor, a registration, a consent. */
const interrupts: ReadonlySet<number> = new Set([
  50058, 50072, 50074, 50076, 50079, 50097, 50125, 50127, 50129, 50140, 50158, 65001,
]);
