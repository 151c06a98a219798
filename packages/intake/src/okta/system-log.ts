import type { ActorType, Severity } from '@tenantscope/contract';
import { type Activity, type Actor, noResource, type Resource } from '../activity/activity.ts';
import type { ActivityFormat } from '../activity/activity-format.ts';
import { readActionResult, toOutcome } from '../field/action-result.ts';
import { firstAddress } from '../field/address.ts';
import { lowerFirst } from '../field/case.ts';
import { firstGuid } from '../field/guid.ts';
import { parseUserAgentProduct } from '../field/user-agent.ts';
import { firstText, isObject, type Json, type JsonObject, toBoolean, toList, toObject } from '../json/value.ts';
import { type SplitRecord, toSplitRecord } from '../message/split-records.ts';
import { findHighest, parseSeverity } from '../severity/severity.ts';
import { sourceShapes } from '../source/source-shapes.ts';
import { readOktaContext } from './context.ts';
import { readDebugData, restoreMemberNames, toMeaningfulText } from './members.ts';
import { readOktaRisk } from './risk.ts';

/** Events of Okta's System Log, alone or in an array; also with the names of columns of a warehouse. */
export const oktaSystemLog: ActivityFormat = {
  family: 'okta',
  shape: sourceShapes['okta.system-log'],
  unwrap,
  normalise,
};

function unwrap(event: JsonObject, hasDuplicateNames: boolean, text: Buffer): SplitRecord {
  const restored = toSplitRecord(restoreMemberNames(event), hasDuplicateNames, text);
  // Only the event as received has the replaced members of duplicate names.
  return hasDuplicateNames ? { ...restored, content: event } : restored;
}

function normalise(event: JsonObject): Activity {
  const client = toObject(event.client);
  const userAgent = toObject(client.userAgent);
  const device = toObject(event.device);
  const targets = toList(event.target).filter(isObject);
  const application = toObject(targets.find(({ type }) => type === 'AppInstance'));
  const action = firstText(event.eventType);
  const actor = readActor(toObject(event.actor));
  const result = readActionResult(firstText(toObject(event.outcome).result));
  const risk = readOktaRisk(readDebugData(event), toObject(event.securityContext));
  return {
    time: event.published,
    timeMember: 'published',
    action,
    verdict: findHighest([readSeverity(event), risk.severity]),
    outcome: toOutcome(result),
    actor,
    actorIp: firstAddress(client.ipAddress, ...readFirstHop(event)),
    resource: readResource(targets, actor),
    workload: 'Okta',
    sourceType: 'okta',
    sourceName: 'SystemLog',
    clientApp: parseUserAgentProduct(toMeaningfulText(userAgent.rawUserAgent)) ?? toMeaningfulText(userAgent.browser),
    device: { id: firstText(device.id), name: firstText(device.name), isManaged: toBoolean(device.managed) },
    application: { clientId: firstGuid(client.id), displayName: firstText(application.displayName) },
    externalEventId: firstText(event.uuid),
    recordType: null,
    context: readOktaContext(event, targets, risk),
  };
}

/** The request as the first proxy saw it, where the client has no address. */
function readFirstHop(event: JsonObject): (Json | undefined)[] {
  const [first] = toList(toObject(event.request).ipChain);
  const hop = toObject(first);
  return [hop.ip, toObject(hop.geographicalContext).ip];
}

function readActor(actor: JsonObject): Actor {
  return {
    id: toMeaningfulText(actor.id),
    name: toMeaningfulText(actor.alternateId) ?? toMeaningfulText(actor.displayName),
    type: actorTypes.get(firstText(actor.type)?.toLowerCase() ?? '') ?? 'unknown',
  };
}

/** The first target that is not the actor. */
function readResource(targets: readonly JsonObject[], actor: Actor): Resource {
  const target = targets.find(({ id }) => actor.id === null || firstText(id) !== actor.id) ?? targets[0];
  if (target === undefined) return noResource;
  const type = firstText(target.type);
  return {
    id: toMeaningfulText(target.id),
    name: toMeaningfulText(target.displayName) ?? toMeaningfulText(target.alternateId),
    type: type === null ? null : lowerFirst(type),
  };
}

/** `DEBUG` and `INFO` are the levels of ordinary events and no verdict. */
function readSeverity({ severity }: JsonObject): Severity | null {
  return severities.get(firstText(severity)?.toUpperCase() ?? '') ?? parseSeverity(severity);
}

const actorTypes = new Map<string, ActorType>([
  ['user', 'user'],
  ['systemprincipal', 'system'],
  ['appinstance', 'application'],
  ['publicclientapp', 'application'],
  ['serviceclientapp', 'application'],
  ['clientapp', 'application'],
  ['aiagent', 'agent'],
]);
const severities = new Map<string, Severity>([
  ['WARN', 'medium'],
  ['ERROR', 'high'],
]);
