import { type ActionResult, readActionResult, readSignInResult } from '../field/action-result.ts';
import { firstText, type JsonObject, toInteger } from '../json/value.ts';
import { readClickResult } from './link-click.ts';
import { recordTypes } from './record-type.ts';

export function readResult(record: JsonObject, recordType: number | null, action: string | null): ActionResult | null {
  if (recordType === recordTypes.ThreatIntelligenceUrl) return readClickResult(record);
  const isSignIn =
    recordType === recordTypes.AzureActiveDirectoryStsLogon ||
    action === 'UserLoggedIn' ||
    action === 'UserLoginFailed';
  return isSignIn ? readSignIn(record, action) : readActionResult(readStatus(record, recordType));
}

/** Power BI says whether it succeeded, the portal for encrypted mails has numbers. */
function readStatus(record: JsonObject, recordType: number | null): string | null {
  const status = firstText(record.ResultStatus);
  if (status !== null) return status;
  if (typeof record.IsSuccess === 'boolean') return String(record.IsSuccess);
  const portal = recordType === recordTypes.OMEPortal ? toInteger(record.OperationStatus) : null;
  return portal === 0 ? 'success' : portal === 1 ? 'failure' : null;
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
