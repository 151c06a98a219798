import type { ActorType, Severity } from '@tenantscope/contract';
import { type Activity, type Actor, noResource, type Resource } from '../activity.ts';
import { firstAddress } from '../field/address.ts';
import { lowerFirst } from '../field/case.ts';
import { endingOf, outcomeOf } from '../field/ending.ts';
import { firstGuid } from '../field/guid.ts';
import { productOf } from '../field/user-agent.ts';
import type { Format } from '../format.ts';
import { booleanOf, firstText, isObject, type Json, type JsonObject, listOf, objectOf, textOf } from '../json/value.ts';
import { severityOf } from '../severity/severity.ts';
import { splitRecords, wholeRecord } from '../split.ts';

/** Events of Okta's System Log, alone or in an array. */
export const oktaSystemLog: Format = {
  family: 'okta',
  split: (reading) => splitRecords(reading, null, wholeRecord),
  normalise,
};

function normalise(event: JsonObject): Activity {
  const client = objectOf(event.client);
  const userAgent = objectOf(client.userAgent);
  const device = objectOf(event.device);
  const targets = listOf(event.target).filter(isObject);
  const application = objectOf(targets.find(({ type }) => type === 'AppInstance'));
  const action = firstText(event.eventType);
  const actor = readActor(objectOf(event.actor));
  const ending = endingOf(firstText(objectOf(event.outcome).result));
  const upstream = severities.get(firstText(event.severity)?.toUpperCase() ?? '') ?? null;
  return {
    time: event.published,
    timeMember: 'published',
    action,
    severity: severityOf({ action, record: event, actorType: actor.type, ending, upstream }),
    outcome: outcomeOf(ending),
    actor,
    actorIp: firstAddress(client.ipAddress),
    resource: readResource(targets, actor),
    workload: 'Okta',
    sourceType: 'okta',
    sourceName: 'SystemLog',
    clientApp: productOf(textOf(userAgent.rawUserAgent)) ?? known(userAgent.browser),
    device: { id: firstText(device.id), name: firstText(device.name), isManaged: booleanOf(device.managed) },
    application: { clientId: firstGuid(client.id), displayName: firstText(application.displayName) },
    externalEventId: firstText(event.uuid),
    recordType: null,
  };
}

function readActor(actor: JsonObject): Actor {
  return {
    id: known(actor.id),
    name: known(actor.alternateId) ?? known(actor.displayName),
    type: actorTypes.get(firstText(actor.type)?.toLowerCase() ?? '') ?? 'unknown',
  };
}

/** The first target that is not the actor. */
function readResource(targets: readonly JsonObject[], actor: Actor): Resource {
  const target = targets.find(({ id }) => actor.id === null || firstText(id) !== actor.id) ?? targets[0];
  if (target === undefined) return noResource;
  const type = firstText(target.type);
  return {
    id: known(target.id),
    name: known(target.displayName) ?? known(target.alternateId),
    type: type === null ? null : lowerFirst(type),
  };
}

/** Okta writes «unknown» where it knows nothing. */
function known(value: Json | undefined): string | null {
  const text = textOf(value);
  return text?.toLowerCase() === 'unknown' ? null : text;
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
  ['DEBUG', 'informational'],
  ['INFO', 'informational'],
  ['WARN', 'medium'],
  ['ERROR', 'high'],
]);
