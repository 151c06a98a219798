import type { ActorType } from '@tenantscope/contract';
import { type Activity, noResource } from '../activity/activity.ts';
import { pickTime } from '../azure-monitor/diagnostic-event.ts';
import type { LogFrame } from '../azure-monitor/log-frame.ts';
import { type ActionResult, readActionResult, readSignInResult, toOutcome } from '../field/action-result.ts';
import { firstAddress } from '../field/address.ts';
import { firstGuid, firstId } from '../field/guid.ts';
import { parseUserAgentProduct } from '../field/user-agent.ts';
import { firstText, type JsonObject, toBoolean, toInteger, toObject, toText } from '../json/value.ts';
import { rateRisk } from './risk.ts';
import { readSignInContext, readSignInRisk } from './sign-in-context.ts';

/** A sign-in of a user, a guest, a service principal, a managed identity or an agent. */
export function normaliseSignIn(signIn: JsonObject, frame: LogFrame): Activity {
  const result = readResult(signIn, frame);
  const actor = readActor(signIn, frame);
  const device = toObject(signIn.deviceDetail);
  const action = firstText(frame.action) ?? 'Sign-in activity';
  const risk = readSignInRisk(signIn);
  const resource = { id: firstText(signIn.resourceId), name: firstText(signIn.resourceDisplayName) };
  return {
    ...pickTime('createdDateTime', signIn.createdDateTime, frame),
    action,
    verdict: rateRisk(risk, signIn.riskLevelAggregated),
    outcome: toOutcome(result),
    actor,
    actorIp: firstAddress(signIn.ipAddress, frame.address),
    resource: resource.id === null && resource.name === null ? noResource : { ...resource, type: 'application' },
    workload: 'AzureActiveDirectory',
    sourceType: 'entra',
    sourceName: frame.sourceName,
    clientApp: firstText(signIn.clientAppUsed) ?? parseUserAgentProduct(toText(signIn.userAgent)),
    device: {
      id: firstId(device.deviceId),
      name: firstText(device.displayName),
      isManaged: toBoolean(device.isManaged),
    },
    application: { clientId: firstGuid(signIn.appId), displayName: firstText(signIn.appDisplayName) },
    externalEventId: firstText(signIn.id),
    recordType: null,
    context: readSignInContext(signIn, frame, risk),
  };
}

function readActor(signIn: JsonObject, frame: LogFrame): Activity['actor'] {
  const type = readActorType(signIn, frame);
  if (type === 'servicePrincipal' || (type === 'agent' && firstId(signIn.userId) === null)) {
    return {
      id: firstId(signIn.servicePrincipalId, signIn.appId),
      name: firstText(signIn.servicePrincipalName, signIn.appDisplayName),
      type,
    };
  }
  return { id: firstId(signIn.userId), name: firstText(signIn.userPrincipalName, signIn.userDisplayName), type };
}

function readActorType(signIn: JsonObject, frame: LogFrame): ActorType {
  const agentType = firstText(toObject(signIn.agent).agentType, signIn.agentType);
  if (agentType !== null && agentType !== 'notAgentic') return 'agent';
  if (firstId(signIn.userId) === null && firstText(signIn.userPrincipalName) === null) {
    return firstId(signIn.servicePrincipalId, signIn.servicePrincipalName) === null ? 'unknown' : 'servicePrincipal';
  }
  const home = firstText(signIn.homeTenantId);
  const tenant = firstText(frame.tenant);
  const isForeign = home !== null && tenant !== null && home.toLowerCase() !== tenant.toLowerCase();
  return isForeign || firstText(signIn.userType)?.toLowerCase() === 'guest' ? 'guest' : 'user';
}

/** The error code decides; without one, the frame's result, which is a code or a word. */
function readResult(signIn: JsonObject, frame: LogFrame): ActionResult | null {
  const code = toInteger(toObject(signIn.status).errorCode) ?? toInteger(frame.resultType);
  return code === null ? readActionResult(firstText(frame.resultType)) : readSignInResult(code);
}
