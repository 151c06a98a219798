import type { Activity, Actor } from '../activity/activity.ts';
import type { Detail } from '../activity/event-context.ts';
import { noSignIn } from '../activity/event-context.ts';
import { createActivity, pickTime } from '../azure-monitor/diagnostic-event.ts';
import { frameNames } from '../azure-monitor/frame-names.ts';
import type { LogFrame } from '../azure-monitor/log-frame.ts';
import { addMembers } from '../azure-monitor/member-details.ts';
import { firstAddress } from '../field/address.ts';
import { firstGuid, firstId } from '../field/guid.ts';
import { findNamedValue } from '../field/named-value.ts';
import { parseUserAgentProduct } from '../field/user-agent.ts';
import { decodeJsonText } from '../json/decode-text.ts';
import { firstText, type JsonObject, toBoolean, toText } from '../json/value.ts';
import { readLocation } from './location.ts';
import { identityProtection, type Risk, rateRisk, readRiskThreat } from './risk.ts';

/**
 * A detected risk (UserRiskEvents, ServicePrincipalRiskEvents, riskDetection of Graph) or the new risk of a user or an
 * application (RiskyUsers, RiskyServicePrincipals). The actor is whose risk it is, so that a search for the user finds it.
 */
export function normaliseRiskEvent(event: JsonObject, frame: LogFrame): Activity {
  const type = firstText(event.riskEventType, event.riskType);
  const risk: Risk = {
    level: toText(event.riskLevel),
    state: toText(event.riskState),
    types: type === null ? null : [type],
  };
  const subject = readSubject(event);
  const information = decodeJsonText(event.additionalInfo);
  const userAgent = toText(findNamedValue(information, 'userAgent'));
  const action = firstText(frame.action) ?? frame.category ?? 'Risk detection';
  const upstream = rateRisk(risk);
  return createActivity(
    frame,
    {
      ...pickRiskTime(event, frame),
      action,
      verdict: upstream,
      outcome: null,
      actor: subject,
      actorIp: firstAddress(event.ipAddress, frame.address),
      resource: { id: subject.id, name: subject.name, type: subject.type === 'guest' ? 'user' : subject.type },
      workload: 'AzureActiveDirectory',
      clientApp: parseUserAgentProduct(userAgent),
      application: { clientId: firstGuid(event.appId), displayName: null },
      externalEventId: toText(event.id),
    },
    {
      correlationId: firstText(event.correlationId, frame.correlationId),
      userAgent,
      location: readLocation(event.location, undefined, risk.types),
      signIn: {
        ...noSignIn,
        riskLevel: risk.level,
        riskState: risk.state,
        riskEventTypes: risk.types === null ? null : [...risk.types],
      },
      targets: subject.id === null ? [] : [{ id: subject.id, name: subject.name, type: null }],
      details: collectDetails({ ...event, additionalInfo: information }, frame),
      threat: readRiskThreat(risk, type, firstText(event.source) ?? identityProtection),
    },
  );
}

/** A risk is updated for days; each update is an event of its own, at the time that Azure Monitor writes in the frame. */
function pickRiskTime(event: JsonObject, frame: LogFrame): Pick<Activity, 'time' | 'timeMember'> {
  if (toText(frame.time) !== null) return { time: frame.time, timeMember: 'time' };
  const member = timeMembers.find((name) => toText(event[name]) !== null) ?? 'lastUpdatedDateTime';
  return pickTime(member, event[member], frame);
}

function readSubject(event: JsonObject): Actor {
  const service = firstId(event.servicePrincipalId);
  const appName = firstText(event.servicePrincipalDisplayName, event.servicePrincipalName);
  if (service !== null || appName !== null || (toText(event.appId) !== null && firstId(event.userId) === null)) {
    return { id: service ?? toText(event.appId), name: appName ?? toText(event.displayName), type: 'servicePrincipal' };
  }
  const name = firstText(event.userPrincipalName, event.userDisplayName);
  // The state of a user has the user's own id; a detection has one of its own.
  const id = firstId(event.userId) ?? (event.riskLastUpdatedDateTime === undefined ? null : toText(event.id));
  if (id === null && name === null) return { id, name, type: 'unknown' };
  const isGuest = toBoolean(event.isGuest) === true || toText(event.userType)?.toLowerCase() === 'guest';
  return { id, name, type: isGuest ? 'guest' : 'user' };
}

function collectDetails(event: JsonObject, frame: LogFrame): Detail[] {
  const details: Detail[] = [];
  addMembers(details, frame.members, frameNames);
  addMembers(details, event, eventNames);
  return details;
}

const timeMembers = ['lastUpdatedDateTime', 'riskLastUpdatedDateTime', 'detectedDateTime', 'activityDateTime'];
const eventNames: ReadonlySet<string> = new Set(
  `id userId userPrincipalName servicePrincipalId servicePrincipalDisplayName appId ipAddress location correlationId
  riskLevel riskState riskEventType source`.split(/\s+/),
);
