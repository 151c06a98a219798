import type { ActorType } from '@tenantscope/contract';
import { type Activity, type Actor, noResource, type Resource } from '../activity/activity.ts';
import { pickTime } from '../azure-monitor/diagnostic-event.ts';
import type { LogFrame } from '../azure-monitor/log-frame.ts';
import { readActionResult, toOutcome } from '../field/action-result.ts';
import { firstAddress } from '../field/address.ts';
import { lowerFirst } from '../field/case.ts';
import { firstGuid, firstId } from '../field/guid.ts';
import { findNamedValue } from '../field/named-value.ts';
import { parseUserAgentProduct } from '../field/user-agent.ts';
import { firstText, isObject, type JsonObject, toList, toObject } from '../json/value.ts';
import { parseSeverity } from '../severity/severity.ts';
import { readAuditContext } from './audit-context.ts';

/** A change in the directory. */
export function normaliseDirectoryAudit(audit: JsonObject, frame: LogFrame): Activity {
  const user = toObject(toObject(audit.initiatedBy).user);
  const app = toObject(toObject(audit.initiatedBy).app);
  const actor = readActor(user, app, audit);
  const action = firstText(audit.activityDisplayName, frame.action);
  const result = readActionResult(firstText(audit.result));
  return {
    ...pickTime('activityDateTime', audit.activityDateTime, frame),
    action,
    verdict: parseSeverity(audit.riskLevel),
    outcome: toOutcome(result),
    actor,
    actorIp: firstAddress(
      user.ipAddress,
      frame.address,
      // Of privileged roles, and of the user flows of external customers.
      findNamedValue(audit.additionalDetails, 'ipaddr'),
      findNamedValue(audit.additionalDetails, 'ClientIpAddress'),
    ),
    resource: readResource(audit, actor),
    workload: 'AzureActiveDirectory',
    sourceType: 'entra',
    sourceName: frame.sourceName,
    clientApp: parseUserAgentProduct(firstText(audit.userAgent, findNamedValue(audit.additionalDetails, 'User-Agent'))),
    device: { id: null, name: null, isManaged: null },
    application: { clientId: firstGuid(app.appId), displayName: firstText(app.displayName) },
    externalEventId: firstText(audit.id),
    recordType: null,
    context: readAuditContext(audit, frame),
  };
}

function readActor(user: JsonObject, app: JsonObject, audit: JsonObject): Actor {
  const person = { id: firstId(user.id), name: firstText(user.userPrincipalName, user.displayName) };
  if (person.id !== null || person.name !== null) return { ...person, type: readPersonType(user, person.name) };
  const service = firstId(app.servicePrincipalId);
  const id = service ?? firstId(app.appId);
  const name = firstText(app.displayName, app.servicePrincipalName);
  if (id === null && name === null) return { id, name, type: 'unknown' };
  return {
    id,
    name,
    type: isAgentic(app) || isAgentic(audit) ? 'agent' : service === null ? 'application' : 'servicePrincipal',
  };
}

function readPersonType(user: JsonObject, name: string | null): ActorType {
  if (isAgentic(user)) return 'agent';
  return name?.toUpperCase().includes('#EXT#') || firstText(user.userType)?.toLowerCase() === 'guest'
    ? 'guest'
    : 'user';
}

function isAgentic(initiator: JsonObject): boolean {
  const agentType = firstText(initiator.agentType, toObject(initiator.agent).agentType);
  return agentType !== null && agentType !== 'notAgentic';
}

/** The first target that is not the actor; a documentation example names the list `targetResource` and the type `Type`. */
function readResource(audit: JsonObject, actor: Actor): Resource {
  const targets = toList(audit.targetResources ?? audit.targetResource).filter(isObject);
  const target = targets.find(({ id }) => actor.id === null || firstText(id) !== actor.id) ?? targets[0];
  if (target === undefined) return noResource;
  const type = firstText(target.type, target.Type);
  return {
    id: firstText(target.id),
    name: firstText(target.displayName, target.userPrincipalName),
    type: type === null ? null : lowerFirst(type),
  };
}
