import type { Outcome } from '@tenantscope/contract';

/**
 * The result of an action. `interrupted` is a sign-in that stopped to request more, such as a second factor: neither a
 * success nor a failure. `unknown` is a term that is not listed.
 */
export type ActionResult = Outcome | 'interrupted' | 'unknown';

/** Reads a provider's term, case-insensitively; an unlisted term is `unknown`, a missing one is null. */
export function readActionResult(status: string | null): ActionResult | null {
  return status === null ? null : (results.get(status.toLowerCase()) ?? 'unknown');
}

/** Reads the error code of an Entra sign-in; 0 and null mean success. */
export function readSignInResult(errorCode: number | null): ActionResult {
  if (errorCode === null || errorCode === 0) return 'success';
  return interruptCodes.has(errorCode) ? 'interrupted' : 'failure';
}

export function toOutcome(result: ActionResult | null): Outcome | null {
  return result === 'interrupted' || result === 'unknown' ? null : result;
}

const results = new Map<string, ActionResult>([
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
/**
 * Entra requests a session, an account, a second factor, a registration, a confirmation or a consent. 16000 SelectUserAccount,
 * 50168 ChromeBrowserSsoInterruptRequired and 50199 CmsiInterrupt are interrupts in Microsoft's list of codes.
 */
const interruptCodes: ReadonlySet<number> = new Set([
  16000, 50058, 50072, 50074, 50076, 50079, 50097, 50125, 50127, 50129, 50140, 50158, 50168, 50199, 65001,
]);
