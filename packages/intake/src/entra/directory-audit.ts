import type { ActorType } from '@tenantscope/contract';
import { type Activity, type Actor, noResource, type Resource } from '../activity.ts';
import { firstAddress } from '../field/address.ts';
import { lowerFirst } from '../field/case.ts';
import { endingOf, outcomeOf } from '../field/ending.ts';
import { firstGuid } from '../field/guid.ts';
import { namedValue } from '../field/named-value.ts';
import { productOf } from '../field/user-agent.ts';
import { firstText, isObject, type JsonObject, listOf, objectOf } from '../json/value.ts';
import { severityNamed, severityOf } from '../severity/severity.ts';
import type { Surroundings } from './surroundings.ts';

/** A change in the directory. */
export function normaliseDirectoryAudit(audit: JsonObject, around: Surroundings): Activity {
  const timeIsInside = firstText(audit.activityDateTime) !== null;
  const user = objectOf(objectOf(audit.initiatedBy).user);
  const app = objectOf(objectOf(audit.initiatedBy).app);
  const actor = readActor(user, app, audit);
  const action = firstText(audit.activityDisplayName, around.action);
  const ending = endingOf(firstText(audit.result));
  const upstream = severityNamed(audit.riskLevel);
  return {
    time: timeIsInside ? audit.activityDateTime : around.time,
    timeMember: timeIsInside || around.time === undefined ? 'activityDateTime' : 'time',
    action,
    severity: severityOf({ action, record: audit, actorType: actor.type, ending, upstream }),
    outcome: outcomeOf(ending),
    actor,
    actorIp: firstAddress(user.ipAddress, around.address),
    resource: readResource(audit, actor),
    workload: 'AzureActiveDirectory',
    sourceType: 'entra',
    sourceName: around.sourceName,
    clientApp: productOf(firstText(audit.userAgent, namedValue(audit.additionalDetails, 'User-Agent'))),
    device: { id: null, name: null, isManaged: null },
    application: { clientId: firstGuid(app.appId), displayName: firstText(app.displayName) },
    externalEventId: firstText(audit.id),
    recordType: null,
  };
}

function readActor(user: JsonObject, app: JsonObject, audit: JsonObject): Actor {
  const person = { id: firstText(user.id), name: firstText(user.userPrincipalName, user.displayName) };
  if (person.id !== null || person.name !== null) return { ...person, type: personType(user, person.name) };
  const service = firstText(app.servicePrincipalId);
  const id = service ?? firstText(app.appId);
  const name = firstText(app.displayName, app.servicePrincipalName);
  if (id === null && name === null) return { id, name, type: 'unknown' };
  return {
    id,
    name,
    type: agentic(app) || agentic(audit) ? 'agent' : service === null ? 'application' : 'servicePrincipal',
  };
}

function personType(user: JsonObject, name: string | null): ActorType {
  if (agentic(user)) return 'agent';
  return name?.toUpperCase().includes('#EXT#') || firstText(user.userType)?.toLowerCase() === 'guest'
    ? 'guest'
    : 'user';
}

function agentic(initiator: JsonObject): boolean {
  const agentType = firstText(initiator.agentType, objectOf(initiator.agent).agentType);
  return agentType !== null && agentType !== 'notAgentic';
}

/** The first target that is not the actor; a documentation example calls the list `targetResource` and the type `Type`. */
function readResource(audit: JsonObject, actor: Actor): Resource {
  const targets = listOf(audit.targetResources ?? audit.targetResource).filter(isObject);
  const target = targets.find(({ id }) => actor.id === null || firstText(id) !== actor.id) ?? targets[0];
  if (target === undefined) return noResource;
  const type = firstText(target.type, target.Type);
  return {
    id: firstText(target.id),
    name: firstText(target.displayName, target.userPrincipalName),
    type: type === null ? null : lowerFirst(type),
  };
}
