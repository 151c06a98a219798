import type { Activity } from './activity.ts';
import { entraAuditAzureMonitor } from './entra/audit-azure-monitor.ts';
import { entraAuditGraph } from './entra/audit-graph.ts';
import { entraSignInAzureMonitor } from './entra/sign-in-azure-monitor.ts';
import { entraSignInGraph } from './entra/sign-in-graph.ts';
import { googleReportsActivity } from './google/reports-activity.ts';
import type { Reading } from './json/read-json.ts';
import type { Json, JsonObject } from './json/value.ts';
import { o365ManagementActivity } from './microsoft/management-activity.ts';
import { oktaSystemLog } from './okta/system-log.ts';
import { type Rejection, reject } from './rejection.ts';
import type { Part } from './split.ts';

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
export interface Format {
  /** Hashed into every id: records of two families are never one row. */
  readonly family: string;
  /** Takes a payload apart into single records, undoing whatever a collector wrapped around them. */
  readonly split: (reading: Reading) => readonly (Part | Rejection)[];
  readonly normalise: (record: JsonObject, index: number) => Activity;
  /** The Microsoft tenant a record says it belongs to; absent for other providers. */
  readonly organizationOf?: (record: JsonObject) => Json | undefined;
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

/** The CloudEvents type of a raw format, for example `tenantscope.raw.okta-system-log.v1`. */
export function typeOfFormat(format: FormatName): string {
  return `${typeStem(format)}1`;
}

export function formatOfType(type: string | null): FormatName | Rejection {
  if (type === null || type === '') return reject('SCHEMA_VIOLATION', 'attribute type is missing');
  const known = formatsByType.get(type);
  if (known !== undefined) return known;
  const stem = /^(.*\.v)\d+$/.exec(type)?.[1];
  if (stem !== undefined && formats.some((format) => typeStem(format) === stem)) {
    return reject('UNSUPPORTED_VERSION', 'attribute type names a version of a known format that is not read');
  }
  return reject('UNKNOWN_TYPE', 'attribute type names no format of this topic');
}

function typeStem(format: FormatName): string {
  return `tenantscope.raw.${format.replaceAll('.', '-')}.v`;
}

const formatsByType = new Map<string, FormatName>(formats.map((format) => [typeOfFormat(format), format]));
