import type { AlertFormat } from './alert-format.ts';
import { defenderForCloudAlert, sentinelAlert, sentinelIncident } from './azure-alert.ts';
import { endpointAlert, legacyIncident } from './endpoint-alert.ts';
import { googleAlertCenterAlert } from './google-alert.ts';
import { graphSecurityAlert, graphSecurityIncident } from './graph-alert.ts';
import { huntingAlert } from './hunting-alert.ts';
import { legacyGraphAlert } from './legacy-graph-alert.ts';
import { managementActivityAlert } from './management-alert.ts';

/** The raw formats that become security alerts. */
export const alertFormats = [
  'graph.security.alert',
  'graph.security.incident',
  'graph.security.alert.legacy',
  'mde.alert',
  'm365d.incidents-legacy',
  'm365d.advanced-hunting',
  'defender-for-cloud.alert',
  'sentinel.security-alert',
  'sentinel.security-incident',
  'google.alertcenter.alert',
  'o365.management-activity',
] as const;
export type AlertFormatName = (typeof alertFormats)[number];

const readers: Record<AlertFormatName, AlertFormat> = {
  'graph.security.alert': graphSecurityAlert,
  'graph.security.incident': graphSecurityIncident,
  'graph.security.alert.legacy': legacyGraphAlert,
  'mde.alert': endpointAlert,
  'm365d.incidents-legacy': legacyIncident,
  'm365d.advanced-hunting': huntingAlert,
  'defender-for-cloud.alert': defenderForCloudAlert,
  'sentinel.security-alert': sentinelAlert,
  'sentinel.security-incident': sentinelIncident,
  'google.alertcenter.alert': googleAlertCenterAlert,
  'o365.management-activity': managementActivityAlert,
};

export function getAlertFormat(name: AlertFormatName): AlertFormat {
  return readers[name];
}
