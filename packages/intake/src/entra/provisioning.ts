import type { ActorType, EventTarget } from '@tenantscope/contract';
import type { Activity, Actor, Resource } from '../activity/activity.ts';
import type { Detail } from '../activity/event-context.ts';
import { createActivity, pickTime, unknownActor } from '../azure-monitor/diagnostic-event.ts';
import { frameNames } from '../azure-monitor/frame-names.ts';
import type { LogFrame } from '../azure-monitor/log-frame.ts';
import { addMembers } from '../azure-monitor/member-details.ts';
import { type ActionResult, readActionResult, toOutcome } from '../field/action-result.ts';
import { lowerFirst } from '../field/case.ts';
import { firstText, type JsonObject, toList, toObject, toText } from '../json/value.ts';
import { readChanges } from './audit-context.ts';

/** An identity that is created, updated or removed in another system. Names of members begin in either case. */
export function normaliseProvisioning(event: JsonObject, frame: LogFrame): Activity {
  const status = toObject(event.provisioningStatusInfo ?? event.statusInfo);
  const error = toObject(status.errorInformation ?? event.statusInfo);
  const result = readResult(firstText(status.Status, status.status, frame.resultType));
  const action = firstText(frame.action) ?? 'Provisioning activity';
  const actor = readInitiator(toObject(event.initiatedBy));
  const source = readIdentity(toObject(event.sourceIdentity));
  const target = readIdentity(toObject(event.targetIdentity));
  return createActivity(
    frame,
    {
      ...pickTime('activityDateTime', event.activityDateTime, frame),
      action,
      verdict: null,
      outcome: toOutcome(result),
      actor,
      resource: pickResource(source, target),
      workload: 'AzureActiveDirectory',
      externalEventId: toText(event.id),
    },
    {
      correlationId: firstText(frame.correlationId, event.changeId),
      errorCode: toText(error.errorCode),
      outcomeReason: firstText(error.reason, error.additionalDetails, frame.resultDescription, readLastStep(event)),
      targets: [source, target].filter(({ id, name }) => id !== null || name !== null),
      changes: readChanges(event.modifiedProperties),
      details: collectDetails(event, frame),
    },
  );
}

/** `skipped` is neither a success nor a failure; `warning` is a success in part. */
function readResult(status: string | null): ActionResult | null {
  return status?.toLowerCase() === 'warning' ? 'partial' : readActionResult(status);
}

function readInitiator(initiator: JsonObject): Actor {
  const id = firstText(initiator.Id, initiator.id);
  const name = firstText(initiator.Name, initiator.displayName, initiator.name);
  const type = firstText(initiator.Type, initiator.initiatorType, initiator.initiatingType);
  if (id === null && name === null) return unknownActor;
  return { id, name, type: initiatorTypes.get(type?.toLowerCase() ?? '') ?? 'unknown' };
}

function readIdentity(identity: JsonObject): EventTarget {
  return {
    id: firstText(identity.Id, identity.id),
    name: firstText(identity.Name, identity.displayName, identity.name),
    type: toText(identity.identityType),
  };
}

/** The identity in the other system, once it exists there; a SCIM type is a URN that ends in `:User`. */
function pickResource(source: EventTarget, target: EventTarget): Resource {
  const { id, name, type } = target.id === null ? source : target;
  return {
    id,
    name: name ?? source.name,
    type: type === null ? null : lowerFirst(type.slice(type.lastIndexOf(':') + 1)),
  };
}

/** The description of the last step tells what was skipped and why. */
function readLastStep(event: JsonObject): string | null {
  return toText(toObject(toList(event.provisioningSteps).at(-1)).description);
}

function collectDetails(event: JsonObject, frame: LogFrame): Detail[] {
  const details: Detail[] = [];
  addMembers(details, frame.members, frameNames);
  addMembers(details, event, eventNames);
  for (const step of toList(event.provisioningSteps)) {
    const { name, description } = toObject(step);
    const text = [toText(name), toText(description)].filter((part) => part !== null).join(': ');
    if (text !== '') details.push(['provisioningSteps', text]);
  }
  return details;
}

const initiatorTypes = new Map<string, ActorType>([
  ['user', 'user'],
  ['application', 'application'],
  ['system', 'system'],
]);
const eventNames: ReadonlySet<string> = new Set(
  'id activityDateTime tenantId initiatedBy modifiedProperties provisioningSteps targetIdentity'.split(' '),
);
