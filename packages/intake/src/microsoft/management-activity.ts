import type { Activity } from '../activity/activity.ts';
import type { ActivityFormat } from '../activity/activity-format.ts';
import { toOutcome } from '../field/action-result.ts';
import { firstAddress } from '../field/address.ts';
import { readJson } from '../json/read-json.ts';
import { sliceMember } from '../json/slice.ts';
import { firstText, isObject, type JsonObject, toText } from '../json/value.ts';
import { isRejection, type Rejection, reject } from '../message/rejection.ts';
import { type SplitRecord, toSplitRecord } from '../message/split-records.ts';
import { sourceShapes } from '../source/source-shapes.ts';
import { readResult } from './action-result.ts';
import { readActor } from './actor.ts';
import { decodeInteraction } from './ai-interaction.ts';
import { isAuditTableRow, toManagementRecord } from './audit-tables.ts';
import { readApplication, readClientApp, readDevice } from './client.ts';
import { isBlockedByPolicy } from './context/dlp-block.ts';
import { readContext } from './context/event-context.ts';
import { isBlockedClick } from './link-click.ts';
import { findAuditData, restoreMemberNames } from './member-names.ts';
import { dlpRecordTypes, readRecordType } from './record-type.ts';
import { readResource } from './resource.ts';
import { readUpstreamSeverity } from './severity.ts';

/** Records of the Office 365 Management Activity API (unified audit log), however they were exported. */
export const o365ManagementActivity: ActivityFormat = {
  family: 'microsoft365',
  shape: sourceShapes['o365.management-activity'],
  unwrap,
  normalise,
  readOrganization: (record) => record.OrganizationId,
};

/**
 * `Search-UnifiedAuditLog`, its CSV exports and the audit query of Graph put the record into a member of an outer row, as
 * JSON text or as an object. The outer row repeats some of it in other spellings and is ignored. Log Analytics has the record
 * in columns of its own.
 */
function unwrap(row: JsonObject, hasDuplicateNames: boolean, text: Buffer): SplitRecord | Rejection {
  const record = unwrapRecord(row, hasDuplicateNames, text);
  return isRejection(record) ? record : { ...record, value: decodeInteraction(record.value) };
}

function unwrapRecord(row: JsonObject, hasDuplicateNames: boolean, text: Buffer): SplitRecord | Rejection {
  if (isAuditTableRow(row)) {
    return { ...toSplitRecord(row, hasDuplicateNames, text), value: toManagementRecord(row) };
  }
  const member = findAuditData(row);
  if (member === null) return toRestoredRecord(row, hasDuplicateNames, text);
  const inner = row[member];
  if (typeof inner === 'string') {
    const parsed = readJson(Buffer.from(inner), `member ${member}`);
    if (isRejection(parsed)) return parsed;
    if (isObject(parsed.value)) return toRestoredRecord(parsed.value, parsed.hasDuplicateNames, parsed.text);
  }
  if (inner === null) return reject('EMPTY_PAYLOAD', `member ${member} is empty`);
  return isObject(inner)
    ? toRestoredRecord(inner, hasDuplicateNames, sliceMember(text, member) as Buffer)
    : reject('SCHEMA_VIOLATION', `member ${member} is not a JSON object`);
}

/** With the names of a warehouse a record is the same row. */
function toRestoredRecord(record: JsonObject, hasDuplicateNames: boolean, text: Buffer): SplitRecord {
  const restored = toSplitRecord(restoreMemberNames(record), hasDuplicateNames, text);
  // Only the record as received has the replaced members of duplicate names.
  return hasDuplicateNames ? { ...restored, content: record } : restored;
}

function normalise(record: JsonObject): Activity {
  const recordType = readRecordType(record.RecordType);
  const action = toText(record.Operation);
  const workload = toText(record.Workload);
  const result = readResult(record, recordType, action);
  const parts = {
    actor: readActor(record, recordType),
    actorIp: firstAddress(
      record.ActorIP,
      record.ClientIPAddress,
      record.ClientIP,
      record.ActorIpAddress,
      record.UserIp,
      record.SenderIp,
    ),
    resource: readResource(record, recordType, action),
    clientApp: readClientApp(record),
    device: readDevice(record),
    application: readApplication(record),
  };
  return {
    ...parts,
    time: record.CreationTime,
    timeMember: 'CreationTime',
    action,
    verdict: readUpstreamSeverity(record),
    outcome: toOutcome(result),
    isBlocked: isBlockedByPolicy(record, recordType, action) || isBlockedClick(record, recordType),
    workload,
    sourceType: 'microsoft365',
    sourceName: readFeed(workload, recordType),
    externalEventId: firstText(record.Id),
    recordType,
    context: readContext(record, recordType, parts),
  };
}

/** The content type of the API that carries a record. */
function readFeed(workload: string | null, recordType: number | null): string {
  if (recordType !== null && dlpRecordTypes.has(recordType)) return 'DLP.All';
  return feeds.get(workload ?? '') ?? 'Audit.General';
}

const feeds = new Map([
  ['AzureActiveDirectory', 'Audit.AzureActiveDirectory'],
  ['Exchange', 'Audit.Exchange'],
  ['OneDrive', 'Audit.SharePoint'],
  ['SharePoint', 'Audit.SharePoint'],
]);
