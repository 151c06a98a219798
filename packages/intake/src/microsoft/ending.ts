import { type Ending, endingOf, endingOfSignIn } from '../field/ending.ts';
import { firstText, integerOf, type JsonObject, textOf } from '../json/value.ts';
import { recordTypes } from './record-type.ts';

export function readEnding(record: JsonObject, recordType: number | null, action: string | null): Ending | null {
  const isSignIn =
    recordType === recordTypes.AzureActiveDirectoryStsLogon ||
    action === 'UserLoggedIn' ||
    action === 'UserLoginFailed';
  return isSignIn ? signInEnding(record, action) : endingOf(textOf(record.ResultStatus));
}

/** ResultStatus is not asked: four in five of the real failed sign-ins call themselves «Success». */
function signInEnding(record: JsonObject, action: string | null): Ending {
  const byNumber = endingOfSignIn(integerOf(record.ErrorNumber));
  const logonError = firstText(record.LogonError);
  const refused = action === 'UserLoginFailed' || (logonError !== null && logonError !== 'None');
  return refused && byNumber === 'success' ? 'failure' : byNumber;
}
