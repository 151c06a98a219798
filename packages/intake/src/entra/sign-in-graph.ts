import type { ActivityFormat } from '../activity/activity-format.ts';
import { noFrame } from '../azure-monitor/log-frame.ts';
import { type JsonObject, toList } from '../json/value.ts';
import { sourceShapes } from '../source/source-shapes.ts';
import { normaliseSignIn } from './sign-in.ts';

/** Sign-ins of the Graph API, alone or in the `value` array of a page. */
export const entraSignInGraph: ActivityFormat = {
  family: 'entra',
  shape: sourceShapes['entra.signin.graph'],
  normalise: (record) => normaliseSignIn(record, { ...noFrame, sourceName: readLogName(record) }),
};

/** The log in which Azure Monitor would deliver the same sign-in. */
function readLogName(record: JsonObject): string {
  for (const type of toList(record.signInEventTypes)) {
    const log = typeof type === 'string' ? logNames.get(type) : undefined;
    if (log !== undefined) return log;
  }
  return record.isInteractive === false ? 'NonInteractiveUserSignInLogs' : 'SignInLogs';
}

const logNames = new Map([
  ['interactiveUser', 'SignInLogs'],
  ['nonInteractiveUser', 'NonInteractiveUserSignInLogs'],
  ['servicePrincipal', 'ServicePrincipalSignInLogs'],
  ['managedIdentity', 'ManagedIdentitySignInLogs'],
]);
