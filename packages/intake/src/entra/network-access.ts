import type { EventThreat, Outcome, Severity } from '@tenantscope/contract';
import type { Activity } from '../activity/activity.ts';
import type { Detail } from '../activity/event-context.ts';
import { createActivity, pickTime, unknownActor } from '../azure-monitor/diagnostic-event.ts';
import { frameNames } from '../azure-monitor/frame-names.ts';
import type { LogFrame } from '../azure-monitor/log-frame.ts';
import { addMembers } from '../azure-monitor/member-details.ts';
import { firstAddress } from '../field/address.ts';
import { lowerFirst } from '../field/case.ts';
import { firstText, type JsonObject, toText } from '../json/value.ts';

/** Traffic through Global Secure Access: a request of a user to a destination that a policy allowed or blocked. */
export function normaliseNetworkTraffic(record: JsonObject, frame: LogFrame): Activity {
  const traffic = lowerNames(record);
  const verdict = toText(traffic.action);
  const outcome = verdicts.get(verdict?.toLowerCase() ?? '') ?? null;
  const threat = readThreat(traffic, verdict);
  const destination = firstText(
    traffic.destinationUrl,
    traffic.destinationFqdn,
    traffic.destinationFQDN,
    traffic.destinationIp,
  );
  const user = { id: toText(traffic.userId), name: toText(traffic.userPrincipalName) };
  return createActivity(
    frame,
    {
      ...pickTime('createdDateTime', firstText(traffic.createdDateTime, traffic.timeGenerated) ?? undefined, frame),
      action: firstText(frame.action) ?? 'Network access traffic',
      verdict: rateTraffic(threat, outcome),
      outcome,
      isBlocked: outcome === 'failure',
      actor: user.id === null && user.name === null ? unknownActor : { ...user, type: 'user' },
      actorIp: firstAddress(traffic.sourceIp, frame.address),
      resource: {
        id: destination,
        name: firstText(traffic.destinationFqdn, traffic.destinationFQDN, traffic.destinationIp),
        type: destination === null ? null : 'url',
      },
      workload: 'GlobalSecureAccess',
      clientApp: toText(traffic.initiatingProcessName),
      device: { id: toText(traffic.deviceId), name: null, isManaged: null },
      externalEventId: firstText(traffic.transactionId, traffic.connectionId),
    },
    {
      outcomeReason: firstText(traffic.description, frame.resultDescription),
      sessionId: toText(traffic.sessionId),
      correlationId: firstText(traffic.correlationId, frame.correlationId, traffic.connectionId),
      deviceOs: firstText(
        [toText(traffic.deviceOperatingSystem), toText(traffic.deviceOperatingSystemVersion)]
          .filter((part) => part !== null)
          .join(' '),
      ),
      threat,
      details: collectDetails(traffic, frame),
    },
  );
}

/** Names of members begin in either case. */
function lowerNames(record: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [lowerFirst(name), value]));
}

function readThreat(traffic: JsonObject, verdict: string | null): EventThreat | null {
  const name = toText(traffic.threatType);
  if (name === null || name.toLowerCase() === 'none') return null;
  return { verdict, level: null, name, source: 'GlobalSecureAccess' };
}

/** A threat that was let through is worse than one that was blocked. */
function rateTraffic(threat: EventThreat | null, outcome: Outcome | null): Severity {
  if (threat !== null) return outcome === 'failure' ? 'medium' : 'high';
  return outcome === 'failure' ? 'low' : 'informational';
}

function collectDetails(traffic: JsonObject, frame: LogFrame): Detail[] {
  const details: Detail[] = [];
  addMembers(details, frame.members, frameNames);
  addMembers(details, traffic, trafficNames);
  return details;
}

const verdicts = new Map<string, Outcome>([
  ['allow', 'success'],
  ['allowed', 'success'],
  ['block', 'failure'],
  ['blocked', 'failure'],
  ['denied', 'failure'],
  ['deny', 'failure'],
]);
const trafficNames: ReadonlySet<string> = new Set(
  `createdDateTime timeGenerated userId userPrincipalName sourceIp deviceId sessionId correlationId description threatType
  deviceOperatingSystem deviceOperatingSystemVersion initiatingProcessName tenantId transactionId`.split(/\s+/),
);
