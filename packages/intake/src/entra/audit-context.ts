import type { EventChange, EventTarget } from '@tenantscope/contract';
import { type Detail, type EventContext, noContext } from '../activity/event-context.ts';
import type { LogFrame } from '../azure-monitor/log-frame.ts';
import { addFrame, addMembers } from '../azure-monitor/member-details.ts';
import { findNamedValue } from '../field/named-value.ts';
import { serializeLossless } from '../json/serialize-lossless.ts';
import { firstText, isObject, type Json, type JsonObject, toInteger, toList, toObject, toText } from '../json/value.ts';
import { identityProtection, readRiskThreat } from './risk.ts';

export function readAuditContext(audit: JsonObject, frame: LogFrame): EventContext {
  const risk = { level: toText(audit.riskLevel), state: toText(audit.riskState), types: null };
  const targets = listTargets(audit);
  return {
    ...noContext,
    category: frame.category ?? toText(audit.category),
    errorCode: readErrorCode(audit, frame),
    outcomeReason: firstText(audit.resultReason, audit.resultDescription, frame.resultDescription),
    sessionId: toText(audit.sessionId),
    correlationId: firstText(audit.correlationId, frame.correlationId),
    userAgent: firstText(audit.userAgent, findNamedValue(audit.additionalDetails, 'User-Agent')),
    targets: targets.map(toTarget),
    changes: targets.flatMap(({ modifiedProperties }) => readChanges(modifiedProperties)),
    details: collectDetails(audit, frame, targets),
    threat: readRiskThreat(risk, null, identityProtection),
  };
}

/** A documentation example names the list `targetResource` and the type `Type`. */
function listTargets(audit: JsonObject): JsonObject[] {
  return toList(audit.targetResources ?? audit.targetResource).filter(isObject);
}

function toTarget(target: JsonObject): EventTarget {
  return {
    id: toText(target.id),
    name: firstText(target.displayName, target.userPrincipalName),
    type: firstText(target.type, target.Type),
  };
}

export function readChanges(properties: Json | undefined): EventChange[] {
  return toList(properties)
    .filter(isObject)
    .map((property) => ({
      name: firstText(property.displayName, property.Name, property.name),
      before: readChangedValue(property.oldValue ?? property.Old ?? property.OldValue),
      after: readChangedValue(property.newValue ?? property.New ?? property.NewValue),
    }))
    .filter(({ name, before, after }) => name !== null || before !== null || after !== null);
}

/** Entra writes values as JSON text: the text of one string without its quotes, anything else unchanged. */
function readChangedValue(value: Json | undefined): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value !== 'string') return serializeLossless(value);
  if (value.length < 2 || !value.startsWith('"') || !value.endsWith('"')) return value;
  try {
    const parsed: unknown = JSON.parse(value);
    return typeof parsed === 'string' ? parsed : value;
  } catch {
    return value;
  }
}

/** Audits have a result in place of a code; only a number that is not 0 is one. */
function readErrorCode(audit: JsonObject, frame: LogFrame): string | null {
  const code = firstText(audit.resultType, frame.resultType);
  return code === null || toInteger(code) === null || toInteger(code) === 0 ? null : code;
}

function collectDetails(audit: JsonObject, frame: LogFrame, targets: readonly JsonObject[]): Detail[] {
  const details: Detail[] = [];
  const { user, app } = toObject(audit.initiatedBy);
  addFrame(details, frame, {
    action: audit.activityDisplayName ?? null,
    correlationId: audit.correlationId,
    address: toObject(user).ipAddress,
  });
  addMembers(details, audit, frame.category === null ? graphNames : auditNames);
  addMembers(details, toObject(user), userNames, 'initiatedBy.user.');
  addMembers(details, toObject(app), appNames, 'initiatedBy.app.');
  for (const target of targets) addMembers(details, target, targetNames, 'targetResources.');
  return details;
}

const names = `id activityDateTime activityDisplayName result resultReason resultDescription resultType correlationId
  userAgent sessionId riskLevel riskState initiatedBy targetResources targetResource`.split(/\s+/);
const auditNames: ReadonlySet<string> = new Set(names);
/** Without a frame the record's own category is the row's. */
const graphNames: ReadonlySet<string> = new Set([...names, 'category']);
const userNames: ReadonlySet<string> = new Set(['id', 'userPrincipalName', 'ipAddress']);
const appNames: ReadonlySet<string> = new Set(['appId', 'displayName', 'servicePrincipalId']);
const targetNames: ReadonlySet<string> = new Set('id displayName type Type modifiedProperties'.split(' '));
