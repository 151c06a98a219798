import type { Activity, Actor } from '../activity/activity.ts';
import type { Detail } from '../activity/event-context.ts';
import { createActivity, pickTime, readFailureCode, unknownActor } from '../azure-monitor/diagnostic-event.ts';
import { frameNames } from '../azure-monitor/frame-names.ts';
import type { LogFrame } from '../azure-monitor/log-frame.ts';
import { addInvalidGuid, addMembers } from '../azure-monitor/member-details.ts';
import { firstAddress } from '../field/address.ts';
import { firstGuid, firstId } from '../field/guid.ts';
import { parseUserAgentProduct } from '../field/user-agent.ts';
import { firstText, type Json, type JsonObject, toInteger, toText } from '../json/value.ts';

/** A request to the Graph API, also to its predecessor, whose log has other names. */
export function normaliseGraphActivity(request: JsonObject, frame: LogFrame): Activity {
  const status = request.responseStatusCode ?? request.httpStatusCode ?? frame.members.resultSignature;
  const method = request.requestMethod ?? request.httpMethod;
  const { errorCode, ...fields } = readGraphRequest(toText(request.requestUri), method, status);
  return createActivity(
    frame,
    {
      ...fields,
      ...pickTime('timeGenerated', request.timeGenerated, frame),
      action: firstText(frame.action) ?? 'Microsoft Graph Activity',
      actor: readActor(request),
      actorIp: firstAddress(request.ipAddress, request.callerIpAddress, frame.address),
      workload: 'MicrosoftGraph',
      clientApp: parseUserAgentProduct(toText(request.userAgent)),
      application: { clientId: firstGuid(request.appId), displayName: null },
      externalEventId: firstText(request.requestId, request.operationId),
    },
    {
      errorCode,
      sessionId: firstText(request.sessionId, request.signInActivityId),
      correlationId: firstText(frame.correlationId, request.operationId),
      userAgent: toText(request.userAgent),
      details: collectDetails(request, frame),
    },
  );
}

/** What method, address and status of a request to Graph mean. */
export function readGraphRequest(
  uri: string | null,
  method: Json | undefined,
  status: Json | undefined,
): Pick<Activity, 'verdict' | 'outcome' | 'resource'> & { readonly errorCode: string | null } {
  const code = toInteger(status);
  return {
    verdict: readMethods.has(toText(method)?.toUpperCase() ?? 'GET') ? 'informational' : 'low',
    outcome: code === null ? null : code < firstErrorStatus ? 'success' : 'failure',
    resource: { id: uri, name: uri === null ? null : readPath(uri), type: uri === null ? null : 'url' },
    errorCode: code !== null && code >= firstErrorStatus ? readFailureCode(status) : null,
  };
}

function readActor(request: JsonObject): Actor {
  const user = firstId(request.userId);
  if (user !== null) return { id: user, name: null, type: 'user' };
  const service = firstId(request.servicePrincipalId);
  if (service !== null) return { id: service, name: null, type: 'servicePrincipal' };
  const app = firstId(request.appId);
  return app === null ? unknownActor : { id: app, name: null, type: 'application' };
}

/** Without the host and the query, which names what was selected and not what was reached. */
function readPath(uri: string): string {
  return uri.replace(/^https?:\/\/[^/]*/, '').split('?', 1)[0] as string;
}

function collectDetails(request: JsonObject, frame: LogFrame): Detail[] {
  const details: Detail[] = [];
  addMembers(details, frame.members, frameNames);
  addInvalidGuid(details, 'appId', request.appId);
  const { sessionId } = request;
  addMembers(details, request, isPresent(sessionId) ? namesWithSession : namesWithoutSession);
  return details;
}

function isPresent(value: Json | undefined): boolean {
  return toText(value) !== null;
}

const names =
  `timeGenerated requestUri responseStatusCode httpStatusCode userId appId ipAddress callerIpAddress userAgent requestId sessionId tenantId
  location durationMs`.split(/\s+/);
const namesWithSession: ReadonlySet<string> = new Set(names);
const namesWithoutSession: ReadonlySet<string> = new Set([...names, 'signInActivityId']);
const readMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);
const firstErrorStatus = 400;
