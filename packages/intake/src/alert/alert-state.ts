import { hash } from 'node:crypto';
import {
  alertElementsMax,
  formatTime,
  type SecurityAlert,
  type SecurityAlertDetail,
  type TenantId,
} from '@tenantscope/contract';
import { recordId } from '../domain/payload.ts';
import { makeVisible, truncateText } from '../field/text.ts';
import { readOccurredAt, toMicroseconds } from '../field/time.ts';
import { canonicalizeJson } from '../json/canonical.ts';
import { serializeLossless } from '../json/serialize-lossless.ts';
import { isObject, type Json, type JsonObject, toText } from '../json/value.ts';
import type { RecordState } from '../message/record-outcome.ts';
import { isRejection, type Rejection, reject } from '../message/rejection.ts';
import type { SplitRecord } from '../message/split-records.ts';
import type { Alert } from './alert.ts';

/**
 * The row of an alert's state: its texts made visible and truncated, next to the alert as received. Its version is its last
 * update in microseconds; two states of one microsecond are ordered by their digests.
 */
export function toAlertState(
  alert: Alert,
  record: SplitRecord,
  tenantId: TenantId,
  nowMs: number,
): RecordState | Rejection {
  const id = recordId.safeParse(alert.id);
  if (!id.success) return reject('SCHEMA_VIOLATION', "the alert's id is missing or invalid");
  const { time, member } = alert.lastUpdate;
  const updatedMs = readOccurredAt(time, member, nowMs);
  if (isRejection(updatedMs)) return updatedMs;
  const version = readVersion(alert.orderedAt, nowMs) ?? toMicroseconds(String(time), updatedMs);
  const isPart = alert.isPart === true;
  const maxLength = isPart ? maxPartTextLength : maxTextLength;
  const listed = sanitize(buildListMembers(alert, updatedMs), maxLength) as JsonObject;
  const detail = sanitize(buildDetailMembers(alert), maxLength) as JsonObject;
  const members = writeMembers(listed);
  return {
    tenantId,
    id: id.data,
    version,
    // Pieces that report the same are one part, whatever else their records have.
    digest: hash('sha256', isPart ? members : canonicalizeJson(record.content, record.hasDuplicateNames), 'buffer'),
    columns: {
      severity: toText(listed.severity),
      status: toText(listed.status),
      classification: toText(listed.classification),
      category: toText(listed.category),
      service_source: toText(detail.serviceSource),
      is_resolved: isResolved(alert),
    },
    times: { created_at: alert.createdMs ?? alert.firstActivityMs ?? updatedMs },
    members,
    // The original of a piece is its log row's: up to 400 of them would be read at each write of the alert.
    detailMembers: `${writeMembers(detail)},"rawData":${isPart ? 'null' : serializeLossless(record.content)}`,
    ...(isPart ? { isPart } : {}),
  };
}

/** The time that orders the state instead of its last update; null where it is missing or invalid. */
function readVersion(time: Json | undefined, nowMs: number): number | null {
  const ms = readOccurredAt(time, 'standsAsOf', nowMs);
  return isRejection(ms) ? null : toMicroseconds(String(time), ms);
}

type Members<Shown> = { readonly [Name in keyof Shown]: Json };
type ListMembers = Members<Omit<SecurityAlert, 'id' | 'updatedAt' | 'version' | 'changeId' | 'tenantId'>>;
type DetailMembers = Members<Omit<SecurityAlertDetail, keyof SecurityAlert | 'rawData'>>;

/** In the contract's order, as are those of `buildDetailMembers`. */
function buildListMembers(alert: Alert, updatedMs: number): ListMembers {
  const { users, groups, emails, apps, devices, files, ips } = alert.elements;
  return {
    title: alert.title,
    description: alert.description,
    severity: alert.severity,
    status: alert.status,
    classification: alert.classification,
    category: alert.category,
    threatDisplayName: alert.threatDisplayName,
    firstActivityDateTime: formatOptionalTime(alert.firstActivityMs),
    isResolved: isResolved(alert),
    users,
    groups,
    emails,
    apps,
    devices,
    files,
    ips,
    mitreTechniques: alert.mitreTechniques.slice(0, alertElementsMax),
    incidentId: alert.incidentId,
    createdDateTime: formatOptionalTime(alert.createdMs),
    lastUpdateDateTime: formatTime(updatedMs),
  };
}

function buildDetailMembers(alert: Alert): DetailMembers {
  return {
    determination: alert.determination,
    assignedTo: alert.assignedTo,
    alertWebUrl: alert.alertWebUrl,
    incidentWebUrl: alert.incidentWebUrl,
    serviceSource: alert.serviceSource,
    detectionSource: alert.detectionSource,
    resolvedDateTime: formatOptionalTime(alert.resolvedMs),
    lastActivityDateTime: formatOptionalTime(alert.lastActivityMs),
    recommendedActions: alert.recommendedActions,
    actorDisplayName: alert.actorDisplayName,
    threatFamilyName: alert.threatFamilyName,
  };
}

/** Makes invisible characters visible and truncates before and after: text made visible grows up to ninefold. */
function sanitize(value: Json | undefined, maxLength: number): Json {
  if (typeof value === 'string') return truncateText(makeVisible(truncateText(value, maxLength)), maxLength);
  if (Array.isArray(value)) return value.map((each) => sanitize(each, maxLength));
  if (!isObject(value)) return value ?? null;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, sanitize(member, maxLength)]));
}

function writeMembers(members: JsonObject): string {
  return JSON.stringify(members).slice(1, -1);
}

function isResolved({ status }: Alert): boolean | null {
  return status === null ? null : status === 'resolved';
}

function formatOptionalTime(ms: number | null): string | null {
  return ms === null ? null : formatTime(ms);
}

const maxTextLength = 8192;
/** Of a piece of evidence, of which an alert may have 400: each write of the alert reads all of them. */
const maxPartTextLength = 512;
