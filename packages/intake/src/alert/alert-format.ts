import type { JsonObject } from '../json/value.ts';
import type { RawFormat } from '../raw-message.ts';
import type { Rejection } from '../rejection.ts';
import type { Alert } from './alert.ts';
import { googleAlertCenterAlert } from './google-alert.ts';
import { graphSecurityAlert, graphSecurityIncident } from './graph-alert.ts';
import { managementActivityAlert } from './management-alert.ts';

/** The raw formats that become security alerts. */
export const alertFormats = [
  'graph.security.alert',
  'graph.security.incident',
  'google.alertcenter.alert',
  'o365.management-activity',
] as const;
export type AlertFormatName = (typeof alertFormats)[number];

/** How one format is read: pure functions of the payload alone. */
export interface AlertFormat extends RawFormat {
  /** Of `part.record`, and of nothing that its content does not hold: one content is one state. */
  readonly normalise: (record: JsonObject) => Alert | Rejection;
}

const readers: Record<AlertFormatName, AlertFormat> = {
  'graph.security.alert': graphSecurityAlert,
  'graph.security.incident': graphSecurityIncident,
  'google.alertcenter.alert': googleAlertCenterAlert,
  'o365.management-activity': managementActivityAlert,
};

export function alertFormatNamed(name: AlertFormatName): AlertFormat {
  return readers[name];
}
