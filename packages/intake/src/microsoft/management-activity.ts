import type { Activity } from '../activity.ts';
import { firstAddress } from '../field/address.ts';
import { outcomeOf } from '../field/ending.ts';
import type { Format } from '../format.ts';
import { readJson } from '../json/read-json.ts';
import { firstText, isObject, type JsonObject, textOf } from '../json/value.ts';
import { isRejection, type Rejection, reject } from '../rejection.ts';
import { severityOf } from '../severity/severity.ts';
import { type Part, splitRecords, wholeRecord } from '../split.ts';
import { readActor } from './actor.ts';
import { readApplication, readClientApp, readDevice } from './client.ts';
import { readEnding } from './ending.ts';
import { dlpRecordTypes, readRecordType } from './record-type.ts';
import { readResource } from './resource.ts';
import { upstreamSeverity } from './severity.ts';

/** Records of the Office 365 Management Activity API (unified audit log), from whichever door they were fetched. */
export const o365ManagementActivity: Format = {
  family: 'microsoft365',
  split: (reading) => splitRecords(reading, { list: 'value', unless: 'CreationTime' }, unwrap),
  normalise,
  organizationOf: (record) => record.OrganizationId,
};

/**
 * `Search-UnifiedAuditLog`, its CSV exports and the audit query of Graph put the record into a member of an outer row,
 * as JSON text or as an object. The outer row repeats some of it in other spellings and is left aside.
 */
function unwrap(row: JsonObject, repeatsNames: boolean): Part | Rejection {
  const member = row.AuditData !== undefined ? 'AuditData' : 'auditData';
  const inner = row[member];
  if (inner === undefined) return wholeRecord(row, repeatsNames);
  if (typeof inner === 'string') {
    const reading = readJson(Buffer.from(inner), `member ${member}`);
    if (isRejection(reading)) return reading;
    if (isObject(reading.value)) return wholeRecord(reading.value, reading.repeatsNames);
  }
  if (inner === null) return reject('EMPTY_PAYLOAD', `member ${member} is empty`);
  return isObject(inner)
    ? wholeRecord(inner, repeatsNames)
    : reject('SCHEMA_VIOLATION', `member ${member} holds no JSON object`);
}

function normalise(record: JsonObject): Activity {
  const recordType = readRecordType(record.RecordType);
  const action = textOf(record.Operation);
  const workload = textOf(record.Workload);
  const actor = readActor(record, recordType);
  const ending = readEnding(record, recordType, action);
  return {
    time: record.CreationTime,
    timeMember: 'CreationTime',
    action,
    severity: severityOf({ action, record, actorType: actor.type, ending, upstream: upstreamSeverity(record) }),
    outcome: outcomeOf(ending),
    actor,
    actorIp: firstAddress(
      record.ActorIP,
      record.ClientIPAddress,
      record.ClientIP,
      record.ActorIpAddress,
      record.UserIp,
      record.SenderIp,
    ),
    resource: readResource(record, recordType, action),
    workload,
    sourceType: 'microsoft365',
    sourceName: feedOf(workload, recordType),
    clientApp: readClientApp(record),
    device: readDevice(record),
    application: readApplication(record),
    externalEventId: firstText(record.Id),
    recordType,
  };
}

/** The content type of the API that carries a record. */
function feedOf(workload: string | null, recordType: number | null): string {
  if (recordType !== null && dlpRecordTypes.has(recordType)) return 'DLP.All';
  return feeds.get(workload ?? '') ?? 'Audit.General';
}

const feeds = new Map([
  ['AzureActiveDirectory', 'Audit.AzureActiveDirectory'],
  ['Exchange', 'Audit.Exchange'],
  ['OneDrive', 'Audit.SharePoint'],
  ['SharePoint', 'Audit.SharePoint'],
]);
