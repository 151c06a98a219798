import type { EventChange, EventLocation, EventSignIn, EventTarget } from '@tenantscope/contract';
import { type Detail, type EventContext, noContext, noLocation, noSignIn } from '../activity/event-context.ts';
import { addRemainingMembers, type ServedMembers } from '../activity/remaining-members.ts';
import {
  firstText,
  isObject,
  type Json,
  type JsonObject,
  toBoolean,
  toInteger,
  toList,
  toNumber,
  toObject,
  toText,
} from '../json/value.ts';
import { readDebugData, toMeaningfulText } from './members.ts';
import type { OktaRisk } from './risk.ts';

/** @param targets the objects of `target`, in Okta's order */
export function readOktaContext(event: JsonObject, targets: readonly JsonObject[], risk: OktaRisk): EventContext {
  const userAgent = toObject(toObject(event.client).userAgent);
  const device = toObject(event.device);
  const debugData = readDebugData(event);
  return {
    ...noContext,
    outcomeReason: firstText(toObject(event.outcome).reason),
    sessionId: toMeaningfulText(toObject(event.authenticationContext).externalSessionId),
    // All events of one request share it; rootSessionId would join everything a user does in a day.
    correlationId: toMeaningfulText(toObject(event.transaction).id),
    userAgent: toMeaningfulText(userAgent.rawUserAgent),
    deviceOs: toMeaningfulText(userAgent.os) ?? toMeaningfulText(device.os_platform),
    location: readLocation(event),
    signIn: readSignIn(event, targets, debugData, risk),
    targets: targets.map(toTarget),
    changes: listChanges(targets, debugData),
    details: listDetails(event, debugData),
    threat: risk.threat,
  };
}

function readLocation(event: JsonObject): EventLocation | null {
  const { geographicalContext } = toObject(event.client);
  const [first] = toList(toObject(event.request).ipChain);
  const place = toObject(geographicalContext ?? toObject(first).geographicalContext);
  const point = toObject(place.geolocation);
  const network = toObject(event.securityContext);
  const location: EventLocation = {
    ...noLocation,
    country: toMeaningfulText(place.country),
    region: toMeaningfulText(place.state),
    city: toMeaningfulText(place.city),
    latitude: toNumber(point.lat),
    longitude: toNumber(point.lon),
    asn: toInteger(network.asNumber),
    asOrganization: toMeaningfulText(network.asOrg),
    isProxy: toBoolean(network.isProxy),
  };
  return Object.values(location).every((member) => member === null) ? null : location;
}

/** Of sessions, authentications, second factors, tokens and the evaluation of sign-on policies. */
function readSignIn(
  event: JsonObject,
  targets: readonly JsonObject[],
  debugData: JsonObject,
  risk: OktaRisk,
): EventSignIn | null {
  const action = firstText(event.eventType) ?? '';
  if (!signInAction.test(action)) return null;
  const result = toMeaningfulText(toObject(event.outcome).result);
  const modes = targets.map((target) => toObject(target.detailEntry).signOnModeType);
  return {
    ...noSignIn,
    authenticationProtocol: firstText(...modes, debugData.signOnMode, debugData.grantType),
    conditionalAccessStatus: action === 'policy.evaluate_sign_on' ? result : null,
    incomingTokenType: toMeaningfulText(debugData.subjectTokenType),
    mfaResult: secondFactorAction.test(action) || toText(debugData.factor) !== null ? result : null,
    riskLevel: risk.level,
    riskEventTypes: risk.reasons.length === 0 ? null : [...risk.reasons],
  };
}

function toTarget(target: JsonObject): EventTarget {
  return {
    id: toMeaningfulText(target.id),
    name: toMeaningfulText(target.displayName) ?? toMeaningfulText(target.alternateId),
    type: toText(target.type),
  };
}

/** `changeDetails` of targets, and the names in `changedAttributes`, whose values Okta does not log. */
function listChanges(targets: readonly JsonObject[], debugData: JsonObject): EventChange[] {
  const changes = targets.flatMap(({ changeDetails }) => (isObject(changeDetails) ? readChanges(changeDetails) : []));
  const attributes =
    toText(debugData.changedAttributes)?.slice(0, attributesMax).replace(brackets, '').split(',') ?? [];
  for (const attribute of attributes) {
    const name = attribute.trim();
    if (name !== '') changes.push({ name, before: null, after: null });
  }
  return changes;
}

function readChanges({ from, to }: JsonObject): EventChange[] {
  const before = listValues(from);
  const after = listValues(to);
  return [...new Set([...before.keys(), ...after.keys()])].map((name) => ({
    name: name === '' ? null : name,
    before: before.get(name) ?? null,
    after: after.get(name) ?? null,
  }));
}

/** Values by name; a value that is no object has no name. */
function listValues(value: Json | undefined): Map<string, string> {
  const members: Detail[] = [];
  addRemainingMembers(members, isObject(value) ? value : { '': value });
  const values = new Map<string, string>();
  for (const [name, text] of members) {
    const earlier = values.get(name);
    values.set(name, earlier === undefined ? text : `${earlier}, ${text}`);
  }
  return values;
}

/** Members of debugData under their own names, all others under their paths. */
function listDetails(event: JsonObject, debugData: JsonObject): Detail[] {
  const details: Detail[] = [];
  addRemainingMembers(details, debugData);
  addRemainingMembers(details, event, servedMembers);
  return details.filter(([, value]) => value !== 'null');
}

const servedMembers: ServedMembers = {
  uuid: true,
  published: true,
  eventType: true,
  actor: { id: true, alternateId: true },
  outcome: { reason: true },
  client: {
    ipAddress: true,
    userAgent: { rawUserAgent: true, os: true },
    geographicalContext: { country: true, state: true, city: true, geolocation: true },
  },
  securityContext: { asNumber: true, asOrg: true, isProxy: true },
  authenticationContext: { externalSessionId: true },
  transaction: { id: true },
  target: { id: true, type: true, displayName: true, changeDetails: true },
  device: { id: true, name: true, managed: true },
  debugContext: { debugData: true },
};
const signInAction = /^(?:user\.(?:session|authentication|mfa)\.|policy\.evaluate_sign_on$|app\.oauth2\.)/;
const secondFactorAction = /^user\.(?:authentication\.auth_via_mfa$|mfa\.)/;
const brackets = /^\s*\[|\]\s*$/g;
const attributesMax = 16_384;
