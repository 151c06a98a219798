import type { EventTarget } from '@tenantscope/contract';
import type { Activity, Actor } from '../activity/activity.ts';
import type { Detail } from '../activity/event-context.ts';
import { createActivity, pickTime, readFailureCode, unknownActor } from '../azure-monitor/diagnostic-event.ts';
import { frameNames } from '../azure-monitor/frame-names.ts';
import type { LogFrame } from '../azure-monitor/log-frame.ts';
import { addMembers } from '../azure-monitor/member-details.ts';
import { readChanges } from '../entra/audit-context.ts';
import { readActionResult, toOutcome } from '../field/action-result.ts';
import { lowerFirst } from '../field/case.ts';
import { firstGuid } from '../field/guid.ts';
import { firstText, type JsonObject, toList, toObject, toText } from '../json/value.ts';

/** A change that an administrator or an application made in Intune. */
export function normaliseIntuneAudit(audit: JsonObject, frame: LogFrame): Activity {
  const initiator = toObject(audit.Actor);
  const actor = readActor(initiator);
  const action = firstText(frame.action);
  const result = readActionResult(toText(frame.resultType));
  const targets = readTargets(audit);
  return createActivity(
    frame,
    {
      ...pickTime('ActivityDate', audit.ActivityDate, frame),
      action,
      verdict: null,
      outcome: toOutcome(result),
      actor,
      resource: {
        id: targets[0]?.id ?? null,
        name: targets[0]?.name ?? null,
        type: targets.length === 0 ? null : readObjectType(action),
      },
      workload: 'Intune',
      sourceType: 'intune',
      sourceName: 'IntuneAuditLogs',
      application: {
        clientId: firstGuid(initiator.Application),
        displayName: toText(initiator.ApplicationName),
      },
      externalEventId: toText(audit.AuditEventId),
    },
    {
      errorCode: readFailureCode(frame.resultType),
      outcomeReason: readReason(frame),
      correlationId: firstText(frame.correlationId, audit.RelationId),
      targets,
      changes: toList(audit.Targets).flatMap((target) => readChanges(toObject(target).ModifiedProperties)),
      details: collectDetails(audit, frame),
    },
  );
}

function readActor(actor: JsonObject): Actor {
  const id = firstGuid(actor.ObjectId);
  const upn = firstText(actor.UPN);
  if (upn !== null) return { id, name: upn, type: 'user' };
  const name = firstText(actor.Name, actor.ApplicationName);
  const application = firstGuid(actor.Application);
  if (id === null && name === null && application === null) return unknownActor;
  return { id: id ?? application, name, type: 'application' };
}

/** Ids and names are lists side by side; `Targets` repeats the names, and has the changes. */
function readTargets(audit: JsonObject): EventTarget[] {
  const ids = toList(audit.TargetObjectIds);
  const names = toList(audit.TargetDisplayNames);
  const described = toList(audit.Targets);
  return Array.from({ length: Math.max(ids.length, names.length, described.length) }, (_, index) => ({
    id: firstText(ids[index]),
    name: firstText(names[index], toObject(described[index]).Name),
    type: null,
  })).filter(({ id, name }) => id !== null || name !== null);
}

/** `Assign DeviceConfiguration`: the last word names the class of the object. */
function readObjectType(action: string | null): string | null {
  const name = action === null ? undefined : /\s([A-Za-z]+)$/.exec(action)?.[1];
  return name === undefined ? null : lowerFirst(name);
}

/** Intune writes "None" for a missing description. */
function readReason(frame: LogFrame): string | null {
  const reason = firstText(frame.resultDescription);
  return reason === 'None' ? null : reason;
}

function collectDetails(audit: JsonObject, frame: LogFrame): Detail[] {
  const details: Detail[] = [];
  addMembers(details, frame.members, frameNames);
  addMembers(details, audit, auditNames);
  addMembers(details, toObject(audit.Actor), actorNames, 'Actor.');
  return details;
}

const auditNames: ReadonlySet<string> = new Set(
  'ActivityDate Actor AuditEventId TargetObjectIds TargetDisplayNames Targets'.split(' '),
);
const actorNames: ReadonlySet<string> = new Set(['ObjectId', 'UPN', 'Application', 'ApplicationName']);
