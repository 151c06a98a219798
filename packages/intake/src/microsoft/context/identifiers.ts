import { findNamedValue } from '../../field/named-value.ts';
import { firstText, type JsonObject, toObject } from '../../json/value.ts';

/** The session of Entra before that of a mailbox or device; a token's id where there is no session. */
export function readSessionId(record: JsonObject): string | null {
  const context = toObject(record.AppAccessContext);
  return firstText(
    context.AADSessionId,
    record.AADSessionId,
    record.SessionId,
    findNamedValue(record.DeviceProperties, 'SessionId'),
    context.UniqueTokenId,
    record.UniqueTokenId,
  );
}

/** The id that the records of one action have in common. `InterSystemsId` is Entra's name for it. */
export function readCorrelationId(record: JsonObject): string | null {
  return firstText(
    record.CorrelationId,
    toObject(record.AppAccessContext).CorrelationId,
    record.InterSystemsId,
    findNamedValue(record.ExtendedProperties, 'correlationId'),
  );
}
