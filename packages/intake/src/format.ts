import type { Activity } from './activity.ts';
import { entraAuditAzureMonitor } from './entra/audit-azure-monitor.ts';
import { entraAuditGraph } from './entra/audit-graph.ts';
import { entraSignInAzureMonitor } from './entra/sign-in-azure-monitor.ts';
import { entraSignInGraph } from './entra/sign-in-graph.ts';
import { googleReportsActivity } from './google/reports-activity.ts';
import type { JsonObject } from './json/value.ts';
import { o365ManagementActivity } from './microsoft/management-activity.ts';
import { oktaSystemLog } from './okta/system-log.ts';
import type { RawFormat } from './raw-message.ts';

/** The raw formats that become log rows. */
export const formats = [
  'o365.management-activity',
  'entra.signin.azuremonitor',
  'entra.audit.azuremonitor',
  'entra.signin.graph',
  'entra.audit.graph',
  'google.reports.activity',
  'okta.system-log',
] as const;
export type FormatName = (typeof formats)[number];

/** How one format is read: pure functions of the payload alone. */
export interface Format extends RawFormat {
  /** Hashed into every id: records of two families are never one row. */
  readonly family: string;
  readonly normalise: (record: JsonObject, index: number) => Activity;
}

/**
 * Raised whenever the same record would be normalised into a different row. Rows keep the version they were made with, so
 * that a re-run from kept raw text knows which ones to renew.
 */
export const normaliserVersion = 1;

const readers: Record<FormatName, Format> = {
  'o365.management-activity': o365ManagementActivity,
  'entra.signin.azuremonitor': entraSignInAzureMonitor,
  'entra.audit.azuremonitor': entraAuditAzureMonitor,
  'entra.signin.graph': entraSignInGraph,
  'entra.audit.graph': entraAuditGraph,
  'google.reports.activity': googleReportsActivity,
  'okta.system-log': oktaSystemLog,
};

export function formatNamed(name: FormatName): Format {
  return readers[name];
}
