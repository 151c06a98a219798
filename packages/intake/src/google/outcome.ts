import { type ActionResult, readActionResult } from '../field/action-result.ts';
import { firstText, type JsonObject, toObject } from '../json/value.ts';
import type { Parameters } from './parameters.ts';

/** The result of an event, and Google's code and words for it. */
export interface GoogleResult {
  readonly result: ActionResult | null;
  readonly errorCode: string | null;
  readonly reason: string | null;
}

/** Google tells the result of few events: in their status, in their names, and in parameters of login, gmail and chrome. */
export function readGoogleResult(action: string | null, event: JsonObject, parameters: Parameters): GoogleResult {
  const status = toObject(event.status);
  return {
    result: readStatus(firstText(status.eventStatus)) ?? readParameterResult(action, parameters),
    errorCode: firstText(status.errorCode, parameters.text('saml_status_code'), status.httpStatusCode),
    reason: firstText(
      status.errorMessage,
      parameters.text('login_failure_type'),
      parameters.text('failure_type'),
      parameters.text('LOGIN_FAILURE_REASON'),
    ),
  };
}

function readStatus(status: string | null): ActionResult | null {
  const result = status === 'SUCCEEDED_WITH_WARNINGS' ? 'success' : readActionResult(status);
  return result === 'unknown' ? null : result;
}

function readParameterResult(action: string | null, parameters: Parameters): ActionResult | null {
  if (action === null) return null;
  const own = results.get(action);
  if (own !== undefined) return own;
  if (challenges.has(action)) return readChallenge(parameters.text('login_challenge_status'));
  const handled = browserResults.get(parameters.text('EVENT_RESULT') ?? '');
  if (handled !== undefined) return handled;
  const delivered = parameters.text('event_info.success') ?? parameters.text('status');
  const result = readActionResult(delivered);
  return result === 'unknown' ? null : result;
}

/** `Challenge Passed.`, `passed`, `Challenge Failed.`, `incorrect_answer_entered`: others are no result yet. */
function readChallenge(status: string | null): ActionResult {
  if (status === null) return 'unknown';
  if (/pass/i.test(status)) return 'success';
  return /fail|incorrect/i.test(status) ? 'failure' : 'interrupted';
}

const results = new Map<string, ActionResult>([
  ['login_success', 'success'],
  ['login_failure', 'failure'],
  ['ACCESS_DENY_EVENT', 'failure'],
  ['ACCESS_DENY_INTERNAL_ERROR_EVENT', 'failure'],
  ['CHROME_OS_LOGIN_EVENT', 'success'],
  ['CHROME_OS_LOGIN_FAILURE_EVENT', 'failure'],
]);
/** Of what Chrome let pass or not. After a warning the user decides, and Chrome reports `BYPASSED` where it was to continue. */
const browserResults = new Map<string, ActionResult>([
  ['EVENT_RESULT_ALLOWED', 'success'],
  ['EVENT_RESULT_BLOCKED', 'failure'],
  ['EVENT_RESULT_BYPASSED', 'success'],
  ['EVENT_RESULT_WARNED', 'interrupted'],
]);
const challenges: ReadonlySet<string> = new Set(['login_challenge', 'login_verification']);
