import type { Activity } from '../activity/activity.ts';
import { firstText, type JsonObject, toList, toObject, toText } from '../json/value.ts';
import { hasRisk, hasTargetNamed, includesText } from './conditions.ts';

export function isLockedOut({ context }: Activity, record: JsonObject): boolean {
  return (
    context.errorCode === accountLocked ||
    firstText(record.LogonError) === 'IdsLocked' ||
    firstText(record.ErrorNumber) === accountLocked
  );
}

/** A protocol that cannot request a second factor. */
export function usesLegacyClient({ clientApp, outcome }: Activity): boolean {
  return outcome === 'success' && clientApp !== null && legacyClients.has(clientApp.toLowerCase());
}

/** The password is given to the application itself, and nothing else is requested. */
export function usesPasswordGrant({ context, outcome }: Activity): boolean {
  const protocol = context.signIn?.authenticationProtocol?.toLowerCase();
  return (
    outcome === 'success' &&
    protocol === 'ropc' &&
    context.signIn?.authenticationRequirement !== 'multiFactorAuthentication'
  );
}

/** A code entered on another device, for the application that registers devices: its token becomes a primary refresh token. */
export function usesDeviceCodeOfBroker({ context, application, outcome }: Activity): boolean {
  return (
    outcome === 'success' &&
    context.signIn?.authenticationProtocol === 'deviceCode' &&
    application.clientId === authenticationBroker
  );
}

export function usesDeviceCode({ context, outcome }: Activity): boolean {
  return outcome === 'success' && context.signIn?.authenticationProtocol === 'deviceCode';
}

/** The authorization code of the editor's client, which needs no consent, for Graph: how phishing pages take tokens. */
export function usesEditorForGraph({ application, resource, outcome }: Activity): boolean {
  return outcome === 'success' && application.clientId === visualStudioCode && resource.name === 'Microsoft Graph';
}

/** The person answered the request for a second factor with "no" or reported it. */
export function isFactorDenied({ context, outcome }: Activity): boolean {
  return (
    outcome === 'failure' &&
    (includesText(context.signIn?.mfaResult ?? null, 'denied') ||
      includesText(context.signIn?.mfaResult ?? null, 'fraud'))
  );
}

/** Okta's policy for its own console, by a new device at a new address. */
export function opensAdminConsoleFromNewDevice(activity: Activity): boolean {
  return (
    hasRisk(activity, 'New Device') && hasRisk(activity, 'New IP') && hasTargetNamed(activity, 'okta admin console')
  );
}

/** Okta writes the names of people into `alternateId`, which targets of the context show only where there is no other. */
export function showsPasswordOfOther({ actor }: Activity, record: JsonObject): boolean {
  return toList(record.target)
    .map(toObject)
    .some(
      ({ type, alternateId }) => toText(type) === 'User' && actor.name !== null && toText(alternateId) !== actor.name,
    );
}

export function usesProxy({ context, outcome }: Activity): boolean {
  return outcome === 'success' && context.location?.isProxy === true;
}

const accountLocked = '50053';
const authenticationBroker = '29d9ed98-a469-4536-ade2-f981bc1d605e';
const visualStudioCode = 'aebc6443-996d-45c2-90f0-388ff96faa56';
/** Names of `clientAppUsed` in Entra. */
const legacyClients: ReadonlySet<string> = new Set([
  'authenticated smtp',
  'autodiscover',
  'exchange activesync',
  'exchange online powershell',
  'exchange web services',
  'imap4',
  'mapi over http',
  'offline address book',
  'other clients',
  'outlook anywhere (rpc over http)',
  'pop3',
  'reporting web services',
]);
