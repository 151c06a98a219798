import type { TenantId } from '@tenantscope/contract';
import type { AlertFormatName } from '../alert/alert-formats.ts';
import { type AlertStateOutcome, readActivityAlert } from '../alert/read-alerts.ts';
import { readOccurredAt } from '../field/time.ts';
import { readFacts } from '../log-fact/read-facts.ts';
import type { Message } from '../message/envelope.ts';
import { createEventTypeReader } from '../message/event-type.ts';
import { type RawRecordOrigin, type RawTopic, readRawMessage, type WithElement } from '../message/raw-message.ts';
import type { ReadingContext } from '../message/reading-context.ts';
import { isRejection, type Rejection, reject } from '../message/rejection.ts';
import type { SplitRecord } from '../message/split-records.ts';
import { recordTypes } from '../microsoft/record-type.ts';
import { rateSeverity } from '../severity/severity.ts';
import { normaliseActor } from './account-name.ts';
import { type ActivityFormatName, activityFormats, getActivityFormat } from './activity-formats.ts';
import { addAppNames } from './app-names.ts';
import { findActor } from './find-actor.ts';
import { computeLogId } from './log-id.ts';
import { type LogRow, projectRow } from './log-row.ts';

/** The outcome of one record. `element` is its position among the records of its message. */
export type Outcome = WithElement<LogOutcome | AlertStateOutcome>;

interface LogOutcome {
  readonly kind: 'log';
  readonly row: LogRow;
}

/**
 * Reads one message of raw.activity: CloudEvents 1.0 in either content mode around a payload of one of `formats`.
 *
 * Every record of the message gives exactly one outcome, except a record about an alert: it gives a row and the alert's
 * state, or a part of it. A message that cannot be split is one rejection. The outcomes depend on nothing but the message and the context.
 * Never throws.
 *
 * A hot path. Of its processor time on the records of the demo companies, four fifths of them of the Management Activity API,
 * the parts and context of that API's activities take 22 %, the document 20, parsing 17, canonical text and hash 12.
 */
export function readActivity(message: Message, context: ReadingContext): Outcome[] {
  return readRawMessage(activityTopic, message, context);
}

const activityTopic: RawTopic<ActivityFormatName, LogOutcome | AlertStateOutcome> = {
  readFormat: createEventTypeReader(activityFormats),
  getFormat: getActivityFormat,
  checkKey,
  read: (record, origin) => {
    const row = readLogRow(record, origin);
    if (isRejection(row)) return row;
    const logged: LogOutcome = { kind: 'log', row };
    const format = findAlertFormat(row);
    const alert = format === null ? null : readActivityAlert(record, format, origin.tenantId, origin.nowMs);
    return alert === null ? [logged] : [logged, alert];
  },
};

/** How the alert is read that the record of a row reports; null for nearly all rows. */
function findAlertFormat({ recordType, columns, sourceName }: LogRow): AlertFormatName | null {
  if (recordType === recordTypes.SecurityComplianceAlerts) return 'o365.management-activity';
  if (columns.sourceType !== 'defender') return null;
  return sourceName === 'AlertInfo' || sourceName === 'AlertEvidence' ? 'm365d.advanced-hunting' : null;
}

/** A large tenant's records may be spread over partitions by a number after its id. */
function checkKey(key: Buffer, tenantId: TenantId): Rejection | null {
  const text = key.toString('latin1').toLowerCase();
  const isRight =
    text === tenantId || (text.startsWith(`${tenantId}#`) && /^\d{1,9}$/.test(text.slice(tenantId.length + 1)));
  return isRight ? null : reject('KEY_MISMATCH', 'the key is neither absent nor the tenant id, alone or with #n');
}

function readLogRow(record: SplitRecord, origin: RawRecordOrigin<ActivityFormatName>): LogRow | Rejection {
  const { tenantId, nowMs } = origin;
  const format = getActivityFormat(origin.format);
  const parsed = format.normalise(record.value, record.index);
  if (parsed.action === null) return reject('MISSING_ACTION', 'the record names no operation');
  const occurredAtMs = readOccurredAt(parsed.time, parsed.timeMember, nowMs);
  if (typeof occurredAtMs !== 'number') return occurredAtMs;
  const id = computeLogId(tenantId, parsed.family ?? format.family, record, occurredAtMs);
  const lookUpApp = (clientId: string | null) =>
    clientId === null ? undefined : origin.findApp?.(tenantId, clientId.toLowerCase());
  const applicationId = lookUpApp(parsed.application.clientId)?.id ?? null;
  const actor = normaliseActor(parsed.actor);
  const received = actor === parsed.actor ? parsed : { ...parsed, actor };
  const activity = addAppNames(received, lookUpApp);
  const actorUserId = origin.findPrincipal ? findActor(activity, tenantId, origin.findPrincipal) : null;
  const severity = rateSeverity(received, parsed.record ?? record.value);
  const added = { severity, applicationId, actorUserId };
  const row = projectRow(tenantId, id, occurredAtMs, activity, parsed.action, added);
  return { ...row, facts: readFacts({ record: record.value, activity, row }), source: record.source };
}
