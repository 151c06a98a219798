import type { Severity } from '@tenantscope/contract';
import type { Activity, Actor } from '../activity/activity.ts';
import type { Detail } from '../activity/event-context.ts';
import { createActivity } from '../azure-monitor/diagnostic-event.ts';
import { frameNames } from '../azure-monitor/frame-names.ts';
import type { LogFrame } from '../azure-monitor/log-frame.ts';
import { addMembers } from '../azure-monitor/member-details.ts';
import { readActionResult, toOutcome } from '../field/action-result.ts';
import { firstText, type Json, type JsonObject, toBoolean, toText } from '../json/value.ts';
import { findHighest, parseSeverity } from '../severity/severity.ts';

/** An enrollment or a compliance alert of a device: its user is the actor. */
export function normaliseIntuneOperation(event: JsonObject, frame: LogFrame): Activity {
  const user = readUser(event);
  return normaliseDeviceEvent(event, frame, user ?? system, 'IntuneOperationalLogs');
}

/** A device and its compliance as Intune reports it daily; there is no actor, and the user is a target. */
export function normaliseIntuneDevice(event: JsonObject, frame: LogFrame): Activity {
  const isCompliance = event.ComplianceState !== undefined;
  return normaliseDeviceEvent(event, frame, system, isCompliance ? 'IntuneDeviceComplianceOrg' : 'IntuneDevices');
}

function normaliseDeviceEvent(event: JsonObject, frame: LogFrame, actor: Actor, sourceName: string): Activity {
  const result = readActionResult(firstText(frame.resultType, frame.members.result, event.Result));
  const device = {
    id: firstText(event.IntuneDeviceId, event.DeviceId),
    name: firstText(event.DeviceName, event.DeviceHostName),
  };
  const user = readUser(event);
  const failure = firstText(event.FailureReason, event.FailureCategory, event.Description);
  return createActivity(
    frame,
    {
      verdict: rateDevice(event, toOutcome(result) === 'failure'),
      outcome: toOutcome(result),
      actor,
      resource: { ...device, type: device.id === null && device.name === null ? null : 'device' },
      workload: 'Intune',
      sourceType: 'intune',
      sourceName,
      device: { ...device, isManaged: toBoolean(event.GraphDeviceIsManaged) },
    },
    {
      errorCode: toText(event.ErrorCode),
      outcomeReason: failure ?? firstText(frame.resultDescription),
      deviceOs: firstText(event.OS, event.Os, event.OSDescription),
      targets: user === null ? [] : [{ id: user.id, name: user.name, type: null }],
      details: collectDetails(event, frame),
      threat: readThreat(event),
    },
  );
}

function readUser(event: JsonObject): Actor | null {
  const id = firstText(event.UserId, event.IntuneUserId);
  const name = firstText(event.UPN, event.UserEmail, event.UserDisplayName, event.UserName);
  return id === null && name === null ? null : { id, name, type: 'user' };
}

/** Microsoft Defender's rating of the device; a device that is not compliant or was not enrolled is a low one. */
function rateDevice(event: JsonObject, isFailure: boolean): Severity {
  const state =
    firstText(event.ComplianceState, event.CompliantState)
      ?.toLowerCase()
      .replaceAll(/[^a-z]/g, '') ?? '';
  const base = isFailure || badStates.has(state) || toBoolean(event.JailBroken) === true ? 'low' : null;
  return findHighest([parseThreatLevel(event.DeviceHealthThreatLevel), base]) ?? 'informational';
}

function readThreat(event: JsonObject): Activity['context']['threat'] {
  if (parseThreatLevel(event.DeviceHealthThreatLevel) === null) return null;
  return { verdict: null, level: toText(event.DeviceHealthThreatLevel), name: null, source: 'DeviceHealthThreatLevel' };
}

function parseThreatLevel(value: Json | undefined): Severity | null {
  const severity = parseSeverity(value);
  return severity === 'informational' ? null : severity;
}

function collectDetails(event: JsonObject, frame: LogFrame): Detail[] {
  const details: Detail[] = [];
  addMembers(details, frame.members, frameNames);
  addMembers(details, event, eventNames);
  return details;
}

const system: Actor = { id: null, name: null, type: 'system' };
const badStates: ReadonlySet<string> = new Set(['notcompliant', 'noncompliant', 'error', 'conflict']);
const eventNames: ReadonlySet<string> = new Set(['IntuneDeviceId', 'DeviceName', 'ErrorCode', 'FailureReason']);
