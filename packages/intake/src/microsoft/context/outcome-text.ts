import { findNamedValue } from '../../field/named-value.ts';
import { firstText, type Json, type JsonObject, toText } from '../../json/value.ts';

/** The provider's code, verbatim; 0 is success. */
export function readErrorCode(record: JsonObject): string | null {
  return firstText(record.ErrorNumber, record.ErrorCode, record.LoginStatus);
}

/** The provider's words for the outcome, the most specific ones first. */
export function readOutcomeReason(record: JsonObject): string | null {
  const properties = record.ExtendedProperties;
  return firstText(
    worded(record.LogonError),
    record.FailureReason,
    record.ErrorMessage,
    record.ErrorDescription,
    findNamedValue(properties, 'LoginError'),
    record.ResultStatusDetail,
    findNamedValue(properties, 'ResultStatusDetail'),
    worded(record.ResultStatus),
    findNamedValue(properties, 'resultType'),
  );
}

/** Alerts have a category, audits of Entra that of their event. */
export function readCategory(record: JsonObject): string | null {
  return firstText(record.Category, findNamedValue(record.ExtendedProperties, 'auditEventCategory'));
}

/** Cmdlets have only true and false, and "None" is no error. */
function worded(value: Json | undefined): string | null {
  const text = toText(value);
  return text === null || wordless.test(text) ? null : text;
}

const wordless = /^(?:true|false|none)$/i;
