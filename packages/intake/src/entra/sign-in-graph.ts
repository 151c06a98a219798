import type { Format } from '../format.ts';
import { type JsonObject, listOf } from '../json/value.ts';
import { splitRecords, wholeRecord } from '../split.ts';
import { normaliseSignIn } from './sign-in.ts';

/** Sign-ins of the Graph API, alone or in the `value` array of a page. */
export const entraSignInGraph: Format = {
  family: 'entra',
  split: (reading) => splitRecords(reading, { list: 'value', unless: 'id' }, wholeRecord),
  normalise: (record) => normaliseSignIn(record, { sourceName: logOf(record) }),
};

/** The log that Azure Monitor would deliver the same sign-in in. */
function logOf(record: JsonObject): string {
  for (const type of listOf(record.signInEventTypes)) {
    const log = typeof type === 'string' ? logs.get(type) : undefined;
    if (log !== undefined) return log;
  }
  return record.isInteractive === false ? 'NonInteractiveUserSignInLogs' : 'SignInLogs';
}

const logs = new Map([
  ['interactiveUser', 'SignInLogs'],
  ['nonInteractiveUser', 'NonInteractiveUserSignInLogs'],
  ['servicePrincipal', 'ServicePrincipalSignInLogs'],
  ['managedIdentity', 'ManagedIdentitySignInLogs'],
]);
