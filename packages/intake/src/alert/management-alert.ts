import type { AlertStatus, AlertUser } from '@tenantscope/contract';
import { timeOf } from '../field/time.ts';
import { readJson } from '../json/read-json.ts';
import { firstText, type Json, type JsonObject, listOf, objectOf, textOf } from '../json/value.ts';
import { o365ManagementActivity } from '../microsoft/management-activity.ts';
import { readRecordType, recordTypes } from '../microsoft/record-type.ts';
import { isRejection, reject } from '../rejection.ts';
import type { Alert, AlertElements } from './alert.ts';
import type { AlertFormat } from './alert-format.ts';
import { distinct, noElements, userNamed } from './element.ts';
import { alertSeverityOf } from './severity.ts';

/** Alerts of the compliance center and of Cloud Apps, as the Management Activity API tells them: one record an event of the alert. */
export const managementActivityAlert: AlertFormat = {
  split: o365ManagementActivity.split,
  normalise: (record) =>
    isAlertRecord(record) ? normalise(record) : reject('SCHEMA_VIOLATION', 'member RecordType is not that of alerts'),
  organizationOf: (record) => record.OrganizationId,
};

export function isAlertRecord(record: JsonObject): boolean {
  return readRecordType(record.RecordType) === recordTypes.SecurityComplianceAlerts;
}

/**
 * Each event is the alert in full as of its time, and the latest stands. Two things only follow from an event that is not
 * the alert's first: when it was raised is then read out of its id, and an event that tells of one entity of the alert
 * (AlertEntityGenerated: no description, one user) never replaces one that tells of the alert, so it stands as of the
 * activity it was found in, which comes before any event of its alert.
 */
function normalise(record: JsonObject): Alert {
  const details = detailsOf(record.Data);
  const operation = textOf(record.Operation);
  const id = textOf(record.AlertId);
  const occurredMs = timeOf(record.CreationTime);
  const status = statusOf(textOf(record.Status));
  return {
    id,
    title: textOf(record.Name),
    description: textOf(details.ad),
    severity: alertSeverityOf(textOf(record.Severity)),
    status,
    classification: null,
    determination: null,
    category: textOf(record.Category),
    threatDisplayName: textOf(details.lon),
    threatFamilyName: null,
    actorDisplayName: null,
    serviceSource: sourceOf(textOf(record.Source)),
    detectionSource: null,
    assignedTo: null,
    alertWebUrl: firstText(...listOf(record.AlertLinks).map((link) => objectOf(link).AlertLinkHref)),
    incidentWebUrl: null,
    recommendedActions: null,
    firstActivityMs: timeOf(details.ts),
    lastActivityMs: timeOf(details.te),
    createdMs: operation === 'AlertTriggered' ? occurredMs : raisedMs(id, occurredMs),
    resolvedMs: status === 'resolved' ? occurredMs : null,
    lastUpdate: { time: record.CreationTime, member: 'CreationTime' },
    elements: elementsOf(record, details),
    standsAsOf: operation === 'AlertEntityGenerated' ? (details.ts ?? undefined) : undefined,
  };
}

/** `Data` is an object written as JSON text, its names short: ad description, lon logical operation, ts and te start and end, f3u first users. */
function detailsOf(data: Json | undefined): JsonObject {
  if (typeof data !== 'string') return objectOf(data);
  const reading = readJson(Buffer.from(data), 'member Data');
  return isRejection(reading) ? {} : objectOf(reading.value);
}

/**
 * Epoch ms at which an alert was raised, out of its id: the last eight bytes of alerts' ids are that moment in ticks of
 * 100 ns since the year 1, low two bytes first, always at a whole second (all alerts of published records: up to three
 * minutes before the first event). Null where an id holds no such moment before the event.
 */
function raisedMs(id: string | null, occurredMs: number | null): number | null {
  const [, low, high] = ending.exec(id ?? '') ?? [];
  if (low === undefined || high === undefined || occurredMs === null) return null;
  const ticks = BigInt(`0x${high}${low}`);
  const ms = Number(ticks / 10_000n) - year1Ms;
  return ticks % 10_000_000n === 0n && ms <= occurredMs && occurredMs - ms < longestLifeMs ? ms : null;
}

function elementsOf(record: JsonObject, details: JsonObject): AlertElements {
  const named = textOf(record.EntityType) === 'User' ? textOf(record.AlertEntityId) : null;
  const first = (textOf(details.f3u) ?? '').split(/[,;]/).map((user) => user.trim());
  const users = [...(named === null ? [] : [named]), ...first.filter((user) => user.includes('@'))];
  return { ...noElements, users: distinct<AlertUser>(users.map(userNamed)) };
}

function statusOf(word: string | null): AlertStatus | null {
  return word === null ? null : (statuses.get(word.toLowerCase()) ?? 'unknown');
}

function sourceOf(source: string | null): string | null {
  return source === null ? null : (sources.get(source.toLowerCase()) ?? source);
}

const statuses = new Map<string, AlertStatus>([
  ['active', 'new'],
  ['investigating', 'inProgress'],
  ['resolved', 'resolved'],
  ['dismissed', 'resolved'],
]);
const sources = new Map([
  ['office 365 security & compliance', 'office365SecurityCompliance'],
  ['cloud app security', 'cloudAppSecurity'],
]);
const ending = /^[0-9a-f-]+-([0-9a-f]{4})-([0-9a-f]{12})$/i;
/** From the year 1 to 1970. */
const year1Ms = 62_135_596_800_000;
const longestLifeMs = 400 * 86_400_000;
