import type { Outcome } from '@tenantscope/contract';
import type { Actor } from '../activity/activity.ts';
import { readActionResult, toOutcome } from '../field/action-result.ts';
import { parseUserAgentProduct } from '../field/user-agent.ts';
import { firstText, isObject, type Json, type JsonObject, toInteger, toObject, toText } from '../json/value.ts';
import { readPersonType } from './account.ts';
import { readLocation } from './identity-tables.ts';
import { type TableReader, unknownActor } from './table-reading.ts';

/**
 * Operations of Azure Resource Manager, AWS, Google Cloud and Kubernetes that Defender for Cloud observes. `ActionType` is one of six classes, `OperationName` is
 * the operation. Who called it and with what result is in the record of the platform alone.
 */
export const readCloudAuditEvent: TableReader = (row) => {
  const record = toObject(row.json('RawEventData'));
  const caller = readCaller(record);
  const id = row.text('ResourceId');
  const actionType = toText(row.columns.ActionType)?.toLowerCase();
  return {
    action: row.text('OperationName'),
    actor: caller.actor,
    outcome: caller.outcome,
    // The names of operations have verbs of many languages: `AttachUserPolicy`, `compute.instances.insert`.
    upstream: actionType !== undefined && changes.has(actionType) ? 'low' : null,
    actorIp: row.address('IPAddress'),
    resource: { id, name: id === null ? null : id.slice(id.lastIndexOf('/') + 1) || id, type: id && 'cloudResource' },
    clientApp: parseUserAgentProduct(toText(row.columns.UserAgent)),
    context: {
      userAgent: row.text('UserAgent'),
      location: readLocation(row),
      errorCode: caller.errorCode,
      outcomeReason: caller.reason,
    },
  };
};

interface Caller {
  readonly actor: Actor;
  readonly outcome: Outcome | null;
  readonly errorCode: string | null;
  readonly reason: string | null;
}

/** Each platform has a member of its own for the caller. */
function readCaller(record: JsonObject): Caller {
  if (isObject(record.userIdentity)) return readAwsCaller(record, record.userIdentity);
  if (isObject(record.protoPayload)) return readGoogleCaller(record.protoPayload);
  const user = record.User ?? record.user;
  return isObject(user) ? readKubernetesCaller(record, user) : readAzureCaller(record);
}

function readAwsCaller(record: JsonObject, identity: JsonObject): Caller {
  const { type } = identity;
  const id = firstText(identity.arn, identity.principalId, identity.invokedBy);
  const issuer = toObject(toObject(identity.sessionContext).sessionIssuer);
  const name = firstText(identity.userName, issuer.userName, identity.arn, identity.invokedBy);
  const isPerson = type === 'IAMUser' || type === 'Root' || type === 'IdentityCenterUser';
  const kind = type === 'AWSService' ? 'system' : isPerson ? 'user' : 'unknown';
  const errorCode = firstText(record.errorCode);
  const reason = firstText(record.errorMessage);
  return { actor: toActor(id, name, kind), outcome: errorCode === null ? 'success' : 'failure', errorCode, reason };
}

/** A status without a code is one of success. */
function readGoogleCaller(payload: JsonObject): Caller {
  const { principalEmail } = toObject(payload.authenticationInfo);
  const name = toText(principalEmail);
  const status = toObject(payload.status);
  const code = toInteger(status.code) ?? 0;
  const kind = name?.endsWith('.gserviceaccount.com') ? 'servicePrincipal' : 'user';
  const errorCode = code === 0 ? null : String(code);
  return {
    actor: toActor(name, name, kind),
    outcome: code === 0 ? 'success' : 'failure',
    errorCode,
    reason: toText(status.message),
  };
}

function readKubernetesCaller(record: JsonObject, user: JsonObject): Caller {
  const name = firstText(user.username, user.Username);
  const status = toObject(record.ResponseStatus ?? record.responseStatus);
  const code = toInteger(status.code);
  const kind = name?.startsWith('system:') ? (name.startsWith(serviceAccount) ? 'servicePrincipal' : 'system') : 'user';
  const isFailure = code !== null && code >= 400;
  return {
    actor: toActor(firstText(user.uid) ?? name, name, kind),
    outcome: code === null ? null : isFailure ? 'failure' : 'success',
    errorCode: isFailure ? String(code) : null,
    reason: isFailure ? firstText(status.message, status.reason) : null,
  };
}

function readAzureCaller(record: JsonObject): Caller {
  const claims = toObject(record.claims);
  const id = firstText(claims[objectId], record.caller);
  const name = firstText(claims[upn], claims.upn, claims.name, record.caller);
  const isService = claims.idtyp === 'app' || (name !== null && !name.includes('@'));
  const outcome = toOutcome(readActionResult(readTerm(record.status)));
  const reason = outcome === 'failure' ? readTerm(record.subStatus) : null;
  return {
    actor: toActor(id, name, isService ? 'servicePrincipal' : readPersonType(name ?? '')),
    outcome,
    errorCode: null,
    reason,
  };
}

/** A term, or an object with its value and its translation. */
const readTerm = (value: Json | undefined) => firstText(isObject(value) ? value.value : value);

const toActor = (id: string | null, name: string | null, type: Actor['type']): Actor =>
  id === null && name === null ? unknownActor : { id, name, type };

const changes: ReadonlySet<string> = new Set(['create', 'update', 'delete']);
const serviceAccount = 'system:serviceaccount:';
const objectId = 'http://schemas.microsoft.com/identity/claims/objectidentifier';
const upn = 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/upn';
