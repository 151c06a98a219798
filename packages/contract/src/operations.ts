import { listActions } from './action.ts';
import { getDetection, listDetections } from './detection.ts';
import { listLogs } from './logs.ts';
import { listNotifications } from './notification.ts';
import { getPolicyScan, listPolicyScans } from './policy-scan.ts';
import { getSecurityAlert, listSecurityAlerts } from './security-alert.ts';
import { listTenants, pingKey } from './session.ts';

/** Everything that can be asked, in the order of the documentation. Nothing is registered anywhere else. */
export const operations = [
  pingKey,
  listTenants,
  listLogs,
  listDetections,
  getDetection,
  listPolicyScans,
  getPolicyScan,
  listNotifications,
  listActions,
  listSecurityAlerts,
  getSecurityAlert,
] as const;

export type OperationName = (typeof operations)[number]['name'];
export type OperationNamed<Name extends OperationName> = Extract<(typeof operations)[number], { name: Name }>;

/** Paths that were served once, and what took their place. */
export const retiredPaths = { '/monitoring-alerts': '/policy-scans' } as const satisfies Record<string, string>;
