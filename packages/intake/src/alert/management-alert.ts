import { type AlertStatus, type AlertUser, dayMs } from '@tenantscope/contract';
import { toEpochMs } from '../field/time.ts';
import { readJson } from '../json/read-json.ts';
import { firstText, type Json, type JsonObject, toList, toObject, toText } from '../json/value.ts';
import { isRejection, reject } from '../message/rejection.ts';
import { o365ManagementActivity } from '../microsoft/management-activity.ts';
import { readRecordType, recordTypes } from '../microsoft/record-type.ts';
import { type Alert, type AlertElements, noElements, unknownAlert } from './alert.ts';
import type { AlertFormat } from './alert-format.ts';
import { mergeElements, toAddressUser } from './merge-elements.ts';
import { toAlertSeverity } from './severity.ts';

/** Alerts of the compliance center and of Cloud Apps in the Management Activity API: each record is one event of an alert. */
export const managementActivityAlert: AlertFormat = {
  shape: o365ManagementActivity.shape,
  unwrap: o365ManagementActivity.unwrap,
  normalise: (record) =>
    isAlertRecord(record)
      ? normalise(record)
      : reject('SCHEMA_VIOLATION', 'member RecordType is not the type of alerts'),
  readOrganization: (record) => record.OrganizationId,
};

function isAlertRecord(record: JsonObject): boolean {
  return readRecordType(record.RecordType) === recordTypes.SecurityComplianceAlerts;
}

/**
 * Each event is the alert in full as of its time, and the latest wins. There are two exceptions. Where an event is not the
 * alert's first, the time of the alert is read from its id. An event about one entity of the alert (AlertEntityGenerated: no
 * description, one user) must never replace an event about the alert, so it is ordered by the activity it was found in,
 * which precedes every event of its alert.
 */
function normalise(record: JsonObject): Alert {
  const details = parseDetails(record.Data);
  const operation = toText(record.Operation);
  const id = toText(record.AlertId);
  const occurredMs = toEpochMs(record.CreationTime);
  const status = readStatus(toText(record.Status));
  return {
    ...unknownAlert,
    id,
    title: toText(record.Name),
    description: toText(details.ad),
    severity: toAlertSeverity(toText(record.Severity)),
    status,
    category: toText(record.Category),
    threatDisplayName: toText(details.lon),
    serviceSource: readSource(toText(record.Source)),
    alertWebUrl: firstText(...toList(record.AlertLinks).map((link) => toObject(link).AlertLinkHref)),
    firstActivityMs: toEpochMs(details.ts),
    lastActivityMs: toEpochMs(details.te),
    createdMs: operation === 'AlertTriggered' ? occurredMs : readRaisedMs(id, occurredMs),
    resolvedMs: status === 'resolved' ? occurredMs : null,
    lastUpdate: { time: record.CreationTime, member: 'CreationTime' },
    elements: readElements(record, details),
    orderedAt: operation === 'AlertEntityGenerated' ? (details.ts ?? undefined) : undefined,
  };
}

/**
 * `Data` is an object as JSON text with short names: ad is the description, lon the logical operation, ts and te start and
 * end, f3u the first users.
 */
function parseDetails(data: Json | undefined): JsonObject {
  if (typeof data !== 'string') return toObject(data);
  const parsed = readJson(Buffer.from(data), 'member Data');
  return isRejection(parsed) ? {} : toObject(parsed.value);
}

/**
 * Epoch ms at which an alert was raised, read from its id: the last eight bytes of an alert's id are that time in ticks of
 * 100 ns since the year 1, low two bytes first, always at a whole second (true of all alerts in published records: up to
 * three minutes before the first event). Null where an id has no such time before the event.
 */
function readRaisedMs(id: string | null, occurredMs: number | null): number | null {
  const [, low, high] = idTail.exec(id ?? '') ?? [];
  if (low === undefined || high === undefined || occurredMs === null) return null;
  const ticks = BigInt(`0x${high}${low}`);
  const ms = Number(ticks / 10_000n) - year1Ms;
  return ticks % 10_000_000n === 0n && ms <= occurredMs && occurredMs - ms < maxAlertAgeMs ? ms : null;
}

function readElements(record: JsonObject, details: JsonObject): AlertElements {
  const named = toText(record.EntityType) === 'User' ? toText(record.AlertEntityId) : null;
  const first = (toText(details.f3u) ?? '').split(/[,;]/).map((user) => user.trim());
  const users = [...(named === null ? [] : [named]), ...first.filter((user) => user.includes('@'))];
  return { ...noElements, users: mergeElements<AlertUser>(users.map(toAddressUser)) };
}

function readStatus(word: string | null): AlertStatus | null {
  return word === null ? null : (statuses.get(word.toLowerCase()) ?? 'unknown');
}

function readSource(source: string | null): string | null {
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
const idTail = /^[0-9a-f-]+-([0-9a-f]{4})-([0-9a-f]{12})$/i;
/** From the year 1 to 1970. */
const year1Ms = 62_135_596_800_000;
const maxAlertAgeMs = 400 * dayMs;
