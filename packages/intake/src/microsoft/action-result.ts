import { type ActionResult, readActionResult, readSignInResult } from '../field/action-result.ts';
import { firstText, type JsonObject, toInteger, toText } from '../json/value.ts';
import { readClickResult } from './link-click.ts';
import { recordTypes } from './record-type.ts';

export function readResult(record: JsonObject, recordType: number | null, action: string | null): ActionResult | null {
  if (recordType === recordTypes.ThreatIntelligenceUrl) return readClickResult(record);
  const isSignIn =
    recordType === recordTypes.AzureActiveDirectoryStsLogon ||
    action === 'UserLoggedIn' ||
    action === 'UserLoginFailed';
  return isSignIn ? readSignIn(record, action) : readActionResult(toText(record.ResultStatus));
}

/** ResultStatus is not read: four in five of the real failed sign-ins have "Success" there. */
function readSignIn(record: JsonObject, action: string | null): ActionResult {
  const byNumber = readSignInResult(toInteger(record.ErrorNumber));
  if (byNumber !== 'success') return byNumber;
  const logonError = firstText(record.LogonError);
  if (logonError !== null && interrupt.test(logonError)) return 'interrupted';
  const refused = action === 'UserLoginFailed' || (logonError !== null && logonError !== 'None');
  return refused ? 'failure' : 'success';
}

/** `UserStrongAuthClientAuthNRequiredInterrupt` is 50074, which not every record has. */
const interrupt = /Interrupt$/;
