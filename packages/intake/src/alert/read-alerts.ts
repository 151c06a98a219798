import type { TenantId } from '@tenantscope/contract';
import { readKey } from '../domain/record-key.ts';
import type { Message } from '../envelope.ts';
import { type RawArrival, type RawTopic, readRawMessage } from '../raw-message.ts';
import { readerOfTypes } from '../raw-type.ts';
import type { ReadingContext } from '../reading-context.ts';
import type { RecordOutcome, RecordState } from '../record-outcome.ts';
import { isRejection, type Rejection, reject } from '../rejection.ts';
import type { Part } from '../split.ts';
import { type AlertFormatName, alertFormatNamed, alertFormats } from './alert-format.ts';
import { alertStateOf } from './alert-state.ts';

/** Reads one message of raw.alert: alerts as providers write them, alone, in lists, or within incidents. */
export function readAlerts(message: Message, context: ReadingContext): RecordOutcome[] {
  return readRawMessage(alertTopic, message, context);
}

/**
 * The alert that a record of the activity log tells, beside its row; null where it tells none. What tells of an alert but
 * not which, or when, is a row all the same and nothing else.
 */
export function alertBeside(part: Part, tenantId: TenantId, nowMs: number): AlertSaid | null {
  const state = stateOf(part, 'o365.management-activity', tenantId, nowMs);
  return isRejection(state) ? null : { kind: 'state', table: 'security_alert', state };
}

export interface AlertSaid {
  readonly kind: 'state';
  readonly table: 'security_alert';
  readonly state: RecordState;
}

const alertTopic: RawTopic<AlertFormatName, AlertSaid> = {
  formatOfType: readerOfTypes(alertFormats),
  formatNamed: alertFormatNamed,
  keyFault,
  read: (part, arrival) => {
    const state = stateOf(part, arrival.format, arrival.tenantId, arrival.nowMs);
    if (isRejection(state)) return state;
    return keyNames(arrival, state.id) ? [{ kind: 'state', table: 'security_alert', state }] : wrongKey;
  },
};

function stateOf(part: Part, format: AlertFormatName, tenantId: TenantId, nowMs: number): RecordState | Rejection {
  const alert = alertFormatNamed(format).normalise(part.record);
  return isRejection(alert) ? alert : alertStateOf(alert, part, tenantId, nowMs);
}

function keyFault(bytes: Buffer, tenantId: TenantId): Rejection | null {
  const key = readKey(bytes);
  return key?.tenantId === tenantId && key.kind === 'alert' ? null : wrongKey;
}

/** The key of a message of several alerts, or of an incident, cannot name all of them. */
function keyNames({ key, count, format }: RawArrival<AlertFormatName>, id: string): boolean {
  return key === null || count > 1 || format === 'graph.security.incident' || readKey(key)?.id === id;
}

const wrongKey = reject(
  'KEY_MISMATCH',
  'the key is neither absent nor the tenant id, alert and the id, parted by slashes',
);
