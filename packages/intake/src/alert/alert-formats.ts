import type { AlertFormat } from './alert-format.ts';
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

const readers: Record<AlertFormatName, AlertFormat> = {
  'graph.security.alert': graphSecurityAlert,
  'graph.security.incident': graphSecurityIncident,
  'google.alertcenter.alert': googleAlertCenterAlert,
  'o365.management-activity': managementActivityAlert,
};

export function getAlertFormat(name: AlertFormatName): AlertFormat {
  return readers[name];
}
