import type { Activity, Actor } from '../activity/activity.ts';
import type { Detail } from '../activity/event-context.ts';
import { readActionResult, toOutcome } from '../field/action-result.ts';
import { firstAddress } from '../field/address.ts';
import { firstGuid } from '../field/guid.ts';
import { firstText, isObject, type Json, type JsonObject, toObject, toText } from '../json/value.ts';
import { parseSeverity } from '../severity/severity.ts';
import { createActivity, readFailureCode, unknownActor } from './diagnostic-event.ts';
import { frameNames } from './frame-names.ts';
import type { LogFrame } from './log-frame.ts';
import { addMembers } from './member-details.ts';

/** An operation on a resource of an Azure subscription. */
export function normaliseAzureActivity(event: JsonObject, frame: LogFrame): Activity {
  // A table has columns in place of the frame's object.
  const identity = isObject(frame.members.identity) ? frame.members.identity : event;
  const claims = toObject(identity.claims);
  const actor = readCaller(identity, claims, frame);
  const action = firstText(frame.action, event.operationName) ?? frame.category;
  const result = readActionResult(firstText(frame.resultType));
  const upstream = frame.category === 'Security' ? parseSeverity(event.severity) : null;
  const id = firstText(frame.members.resourceId, event.resource);
  return createActivity(
    frame,
    {
      action,
      verdict: upstream,
      outcome: toOutcome(result),
      actor,
      actorIp: firstAddress(frame.address, claims.ipaddr),
      resource: id === null ? { id, name: null, type: null } : { id, name: readName(id), type: 'azureResource' },
      workload: 'Azure',
      sourceType: 'other',
      application: { clientId: firstGuid(claims.appid), displayName: null },
      externalEventId: firstText(event.eventDataId),
    },
    {
      errorCode: readFailureCode(event.statusCode) ?? readFailureCode(frame.resultType),
      outcomeReason: firstText(frame.resultDescription, event.statusMessage),
      details: collectDetails(event, frame, identity, claims),
    },
  );
}

function readCaller(identity: JsonObject, claims: JsonObject, frame: LogFrame): Actor {
  const evidence = toObject(toObject(identity.authorization).evidence);
  const id = firstText(claims[objectId], toGuid(evidence.principalId));
  const name = firstText(claims[upn], claims.upn, claims.name, frame.members.caller, frame.members.identity);
  if (id === null && name === null) return unknownActor;
  const kind = firstText(evidence.principalType);
  const isService = kind === 'ServicePrincipal' || claims.idtyp === 'app';
  const isUser = kind === 'User' || claims[upn] !== undefined || name?.includes('@') === true;
  return { id, name, type: isService ? 'servicePrincipal' : isUser ? 'user' : 'unknown' };
}

/** Azure writes the id of the principal without hyphens, all other logs with them. */
function toGuid(value: Json | undefined): Json | undefined {
  const text = toText(value);
  return text !== null && bareGuid.test(text) ? text.toLowerCase().replace(bareGuid, '$1-$2-$3-$4-$5') : value;
}

function readName(resourceId: string): string {
  return resourceId.slice(resourceId.lastIndexOf('/') + 1) || resourceId;
}

function collectDetails(event: JsonObject, frame: LogFrame, identity: JsonObject, claims: JsonObject): Detail[] {
  const details: Detail[] = [];
  addMembers(details, frame.members, activityNames);
  addMembers(details, event, eventNames);
  addMembers(details, toObject(identity.authorization), noNames, 'authorization.');
  for (const [name, value] of Object.entries(claims)) {
    const text = toText(value);
    // Claims are named by URLs; the end names the claim.
    if (text !== null) details.push([`claims.${name.slice(name.lastIndexOf('/') + 1)}`, text]);
  }
  return details;
}

const bareGuid = /^([\da-f]{8})([\da-f]{4})([\da-f]{4})([\da-f]{4})([\da-f]{12})$/i;
const objectId = 'http://schemas.microsoft.com/identity/claims/objectidentifier';
const upn = 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/upn';
const activityNames: ReadonlySet<string> = new Set([...frameNames, 'resourceId', 'identity']);
const eventNames: ReadonlySet<string> = new Set(['eventDataId', 'statusMessage', 'claims', 'authorization']);
const noNames: ReadonlySet<string> = new Set();
