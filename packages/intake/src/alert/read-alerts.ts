import type { TenantId } from '@tenantscope/contract';
import { parseRecordKey } from '../domain/record-key.ts';
import type { Message } from '../message/envelope.ts';
import { createEventTypeReader } from '../message/event-type.ts';
import { type RawRecordOrigin, type RawTopic, readRawMessage } from '../message/raw-message.ts';
import type { ReadingContext } from '../message/reading-context.ts';
import type { RecordOutcome, RecordState } from '../message/record-outcome.ts';
import { isRejection, type Rejection, reject } from '../message/rejection.ts';
import type { SplitRecord } from '../message/split-records.ts';
import { type AlertFormatName, alertFormats, getAlertFormat } from './alert-formats.ts';
import { toAlertState } from './alert-state.ts';

/** Reads one message of raw.alert: alerts in the providers' formats, alone, in lists, or within incidents. */
export function readAlerts(message: Message, context: ReadingContext): RecordOutcome[] {
  return readRawMessage(alertTopic, message, context);
}

/**
 * The alert that a record of the activity log reports, in addition to its row; null where the alert's id or time is missing:
 * such a record gives a row only.
 */
export function readActivityAlert(
  record: SplitRecord,
  format: AlertFormatName,
  tenantId: TenantId,
  nowMs: number,
): AlertStateOutcome | null {
  const state = readState(record, format, tenantId, nowMs);
  return isRejection(state) ? null : { kind: 'state', table: 'security_alert', state };
}

export interface AlertStateOutcome {
  readonly kind: 'state';
  readonly table: 'security_alert';
  readonly state: RecordState;
}

const alertTopic: RawTopic<AlertFormatName, AlertStateOutcome> = {
  readFormat: createEventTypeReader(alertFormats),
  getFormat: getAlertFormat,
  checkKey,
  read: (record, origin) => {
    const state = readState(record, origin.format, origin.tenantId, origin.nowMs);
    if (isRejection(state)) return state;
    return isNamedByKey(origin, state.id) ? [{ kind: 'state', table: 'security_alert', state }] : wrongKey;
  },
};

function readState(
  record: SplitRecord,
  format: AlertFormatName,
  tenantId: TenantId,
  nowMs: number,
): RecordState | Rejection {
  const alert = getAlertFormat(format).normalise(record.value);
  return isRejection(alert) ? alert : toAlertState(alert, record, tenantId, nowMs);
}

function checkKey(bytes: Buffer, tenantId: TenantId): Rejection | null {
  const key = parseRecordKey(bytes);
  return key?.tenantId === tenantId && key.kind === 'alert' ? null : wrongKey;
}

/** The key of a message with several alerts, or with an incident, cannot name all of them. */
function isNamedByKey({ key, count, format }: RawRecordOrigin<AlertFormatName>, id: string): boolean {
  return key === null || count > 1 || incidentFormats.has(format) || parseRecordKey(key)?.id === id;
}

/** Split into alerts with ids of their own. */
const incidentFormats: ReadonlySet<AlertFormatName> = new Set(['graph.security.incident', 'm365d.incidents-legacy']);

const wrongKey = reject(
  'KEY_MISMATCH',
  'the key is neither absent nor the tenant id, alert and the id, separated by slashes',
);
