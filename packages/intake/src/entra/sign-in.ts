import type { ActorType, Severity } from '@tenantscope/contract';
import { type Activity, noResource } from '../activity.ts';
import { firstAddress } from '../field/address.ts';
import { type Ending, endingOf, endingOfSignIn, outcomeOf } from '../field/ending.ts';
import { firstGuid } from '../field/guid.ts';
import { productOf } from '../field/user-agent.ts';
import { booleanOf, firstText, integerOf, type JsonObject, objectOf, textOf } from '../json/value.ts';
import { highest, severityNamed, severityOf } from '../severity/severity.ts';
import type { Surroundings } from './surroundings.ts';

/** A sign-in of a user, a guest, a service principal, a managed identity or an agent. */
export function normaliseSignIn(signIn: JsonObject, around: Surroundings): Activity {
  const timeIsInside = firstText(signIn.createdDateTime) !== null;
  const ending = readEnding(signIn, around);
  const actor = readActor(signIn, around);
  const device = objectOf(signIn.deviceDetail);
  const action = firstText(around.action) ?? 'Sign-in activity';
  const resource = { id: firstText(signIn.resourceId), name: firstText(signIn.resourceDisplayName) };
  return {
    time: timeIsInside ? signIn.createdDateTime : around.time,
    timeMember: timeIsInside || around.time === undefined ? 'createdDateTime' : 'time',
    action,
    severity: severityOf({ action, record: signIn, actorType: actor.type, ending, upstream: riskOf(signIn) }),
    outcome: outcomeOf(ending),
    actor,
    actorIp: firstAddress(signIn.ipAddress, around.address),
    resource: resource.id === null && resource.name === null ? noResource : { ...resource, type: 'application' },
    workload: 'AzureActiveDirectory',
    sourceType: 'entra',
    sourceName: around.sourceName,
    clientApp: firstText(signIn.clientAppUsed) ?? productOf(textOf(signIn.userAgent)),
    device: {
      id: firstText(device.deviceId),
      name: firstText(device.displayName),
      isManaged: booleanOf(device.isManaged),
    },
    application: { clientId: firstGuid(signIn.appId), displayName: firstText(signIn.appDisplayName) },
    externalEventId: firstText(signIn.id),
    recordType: null,
  };
}

function readActor(signIn: JsonObject, around: Surroundings): Activity['actor'] {
  const type = actorTypeOf(signIn, around);
  if (type === 'servicePrincipal' || (type === 'agent' && firstText(signIn.userId) === null)) {
    return {
      id: firstText(signIn.servicePrincipalId, signIn.appId),
      name: firstText(signIn.servicePrincipalName, signIn.appDisplayName),
      type,
    };
  }
  return { id: firstText(signIn.userId), name: firstText(signIn.userPrincipalName, signIn.userDisplayName), type };
}

function actorTypeOf(signIn: JsonObject, around: Surroundings): ActorType {
  const agentType = firstText(objectOf(signIn.agent).agentType, signIn.agentType);
  if (agentType !== null && agentType !== 'notAgentic') return 'agent';
  if (firstText(signIn.userId, signIn.userPrincipalName) === null) {
    return firstText(signIn.servicePrincipalId, signIn.servicePrincipalName) === null ? 'unknown' : 'servicePrincipal';
  }
  const home = firstText(signIn.homeTenantId);
  const tenant = firstText(around.tenant);
  const isForeign = home !== null && tenant !== null && home.toLowerCase() !== tenant.toLowerCase();
  return isForeign || firstText(signIn.userType)?.toLowerCase() === 'guest' ? 'guest' : 'user';
}

/** The error code decides; where there is none, the frame's result, a code or a word. */
function readEnding(signIn: JsonObject, around: Surroundings): Ending | null {
  const code = integerOf(objectOf(signIn.status).errorCode) ?? integerOf(around.resultType);
  return code === null ? endingOf(firstText(around.resultType)) : endingOfSignIn(code);
}

/** Entra's own opinion; «none» and «hidden» are none. */
function riskOf(signIn: JsonObject): Severity | null {
  return highest([severityNamed(signIn.riskLevelDuringSignIn), severityNamed(signIn.riskLevelAggregated)]);
}
