import type { SourceType } from '@tenantscope/contract';
import type { Activity, Actor } from '../activity/activity.ts';
import type { Detail } from '../activity/event-context.ts';
import { firstAddress } from '../field/address.ts';
import { firstGuid, firstId } from '../field/guid.ts';
import { parseUserAgentProduct } from '../field/user-agent.ts';
import { firstText, type JsonObject, toText } from '../json/value.ts';
import { parseSeverity } from '../severity/severity.ts';
import { createActivity, readFailureCode, unknownActor } from './diagnostic-event.ts';
import { frameNames } from './frame-names.ts';
import type { LogFrame } from './log-frame.ts';
import { addMembers } from './member-details.ts';

/** A record of a category without a mapper of its own: what its common members say, and all others as details. */
export function normaliseUnlistedCategory(record: JsonObject, frame: LogFrame, provider: SourceType): Activity {
  const resource = firstText(frame.members.resourceId, frame.members.resourceid);
  return createActivity(
    frame,
    {
      action:
        firstText(frame.action, record.operationName, record.operation, record.activityDisplayName) ?? frame.category,
      verdict: parseSeverity(record.severity) ?? parseSeverity(record.riskLevel),
      actor: readActor(record),
      actorIp: firstAddress(record.ipAddress, record.clientIp, record.sourceIp, frame.address),
      resource: { id: resource, name: null, type: resource === null ? null : 'resource' },
      sourceType: provider,
      clientApp: parseUserAgentProduct(toText(record.userAgent)),
      application: { clientId: firstGuid(record.appId), displayName: toText(record.appDisplayName) },
      externalEventId: firstText(record.id, record.requestId),
    },
    {
      errorCode: readFailureCode(frame.resultType),
      correlationId: firstText(record.correlationId, frame.correlationId),
      sessionId: toText(record.sessionId),
      userAgent: toText(record.userAgent),
      details: collectDetails(record, frame),
    },
  );
}

function readActor(record: JsonObject): Actor {
  const user = { id: firstId(record.userId), name: firstText(record.userPrincipalName, record.userDisplayName) };
  if (user.id !== null || user.name !== null) return { ...user, type: 'user' };
  const service = { id: firstId(record.servicePrincipalId), name: toText(record.servicePrincipalName) };
  return service.id === null && service.name === null ? unknownActor : { ...service, type: 'servicePrincipal' };
}

function collectDetails(record: JsonObject, frame: LogFrame): Detail[] {
  const details: Detail[] = [];
  addMembers(details, frame.members, unlistedNames);
  addMembers(details, record, recordNames);
  return details;
}

const unlistedNames: ReadonlySet<string> = new Set([...frameNames, 'resourceId', 'resourceid']);
const recordNames: ReadonlySet<string> = new Set(
  'id userId userPrincipalName appId appDisplayName ipAddress userAgent correlationId sessionId'.split(' '),
);
