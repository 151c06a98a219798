import { hash } from 'node:crypto';
import { type SecurityAlert, type SecurityAlertDetail, showTime, type TenantId } from '@tenantscope/contract';
import { recordId } from '../domain/payload.ts';
import { bounded, makeVisible } from '../field/text.ts';
import { microsecondsOf, occurrenceOf } from '../field/time.ts';
import { textAsSent } from '../json/as-sent.ts';
import { canonicalText } from '../json/canonical.ts';
import { isObject, type Json, type JsonObject, textOf } from '../json/value.ts';
import type { RecordState } from '../record-outcome.ts';
import { isRejection, type Rejection, reject } from '../rejection.ts';
import type { Part } from '../split.ts';
import type { Alert } from './alert.ts';

/**
 * The state of an alert that a record tells, as a row: its texts made visible and cut, the alert as received beside them.
 * Its version is its last update in microseconds; two states of one microsecond are told apart by their digests.
 */
export function alertStateOf(alert: Alert, part: Part, tenantId: TenantId, nowMs: number): RecordState | Rejection {
  const id = recordId.safeParse(alert.id);
  if (!id.success) return reject('SCHEMA_VIOLATION', "the alert's id is missing or no id");
  const { time, member } = alert.lastUpdate;
  const updatedMs = occurrenceOf(time, member, nowMs);
  if (isRejection(updatedMs)) return updatedMs;
  const version = versionOf(alert.standsAsOf, nowMs) ?? microsecondsOf(String(time), updatedMs);
  const listed = presentable(listedOf(alert, updatedMs)) as JsonObject;
  const detail = presentable(detailOf(alert)) as JsonObject;
  return {
    tenantId,
    id: id.data,
    version,
    digest: hash('sha256', canonicalText(part.content, part.repeatsNames), 'buffer'),
    columns: {
      severity: textOf(listed.severity),
      status: textOf(listed.status),
      classification: textOf(listed.classification),
      category: textOf(listed.category),
      service_source: textOf(detail.serviceSource),
      is_resolved: isResolved(alert),
    },
    times: { created_at: alert.createdMs ?? alert.firstActivityMs ?? updatedMs },
    members: membersOf(listed),
    detailMembers: `${membersOf(detail)},"rawData":${textAsSent(part.content)}`,
  };
}

/** A time that orders the state in place of its last update, if it can be read. */
function versionOf(time: Json | undefined, nowMs: number): number | null {
  const ms = occurrenceOf(time, 'standsAsOf', nowMs);
  return isRejection(ms) ? null : microsecondsOf(String(time), ms);
}

type Members<Shown> = { readonly [Name in keyof Shown]: Json };
type Listed = Members<Omit<SecurityAlert, 'id' | 'updatedAt' | 'version' | 'changeId'>>;
type Detail = Members<Omit<SecurityAlertDetail, keyof SecurityAlert | 'rawData'>>;

/** In the contract's order, as are the members of `detailOf`. */
function listedOf(alert: Alert, updatedMs: number): Listed {
  const { users, groups, emails, apps } = alert.elements;
  return {
    title: alert.title,
    description: alert.description,
    severity: alert.severity,
    status: alert.status,
    classification: alert.classification,
    category: alert.category,
    threatDisplayName: alert.threatDisplayName,
    firstActivityDateTime: shown(alert.firstActivityMs),
    isResolved: isResolved(alert),
    users,
    groups,
    emails,
    apps,
    createdDateTime: shown(alert.createdMs),
    lastUpdateDateTime: shown(updatedMs),
  };
}

function detailOf(alert: Alert): Detail {
  return {
    determination: alert.determination,
    assignedTo: alert.assignedTo,
    alertWebUrl: alert.alertWebUrl,
    incidentWebUrl: alert.incidentWebUrl,
    serviceSource: alert.serviceSource,
    detectionSource: alert.detectionSource,
    resolvedDateTime: shown(alert.resolvedMs),
    lastActivityDateTime: shown(alert.lastActivityMs),
    recommendedActions: alert.recommendedActions,
    actorDisplayName: alert.actorDisplayName,
    threatFamilyName: alert.threatFamilyName,
  };
}

/** What hides in a text made visible, cut before as well as after: what becomes visible grows up to ninefold. */
function presentable(value: Json | undefined): Json {
  if (typeof value === 'string') return bounded(makeVisible(bounded(value, longestText)), longestText);
  if (Array.isArray(value)) return value.map(presentable);
  if (!isObject(value)) return value ?? null;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, presentable(member)]));
}

function membersOf(members: JsonObject): string {
  return JSON.stringify(members).slice(1, -1);
}

function isResolved({ status }: Alert): boolean | null {
  return status === null ? null : status === 'resolved';
}

function shown(ms: number | null): string | null {
  return ms === null ? null : showTime(ms);
}

const longestText = 8192;
