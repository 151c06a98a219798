import { listActions } from './action.ts';
import { getComplianceStatus } from './compliance.ts';
import { listComplianceSnapshots } from './compliance-snapshot.ts';
import { getCopilotReadiness } from './copilot-readiness.ts';
import { getDetection, listDetections } from './detection.ts';
import { getAgent, listAgents } from './entity/agent.ts';
import { getApp, listApps } from './entity/app.ts';
import { getDevice, listDevices } from './entity/device.ts';
import { getEmail, listEmails } from './entity/email.ts';
import { getFile, listFiles } from './entity/file.ts';
import { getGroup, listGroups } from './entity/group.ts';
import { getLicense, listLicenses } from './entity/license.ts';
import { getSensitiveInfoType, listSensitiveInfoTypes } from './entity/sensitive-info-type.ts';
import { getSite, listSites } from './entity/site.ts';
import { getUser, listUsers } from './entity/user.ts';
import { getAgentEvidencePack } from './evidence.ts';
import { listLogs } from './logs.ts';
import { listNotifications } from './notification.ts';
import { getPolicyScan, listPolicyScans } from './policy-scan.ts';
import { getReport, listReportTemplates } from './report.ts';
import { getSecurityAlert, listSecurityAlerts } from './security-alert.ts';
import { getSecurityScore } from './security-score.ts';
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
  listUsers,
  getUser,
  listAgents,
  getAgent,
  listFiles,
  getFile,
  listGroups,
  getGroup,
  listSites,
  getSite,
  listApps,
  getApp,
  listDevices,
  getDevice,
  listEmails,
  getEmail,
  listLicenses,
  getLicense,
  listSensitiveInfoTypes,
  getSensitiveInfoType,
  getAgentEvidencePack,
  getComplianceStatus,
  listComplianceSnapshots,
  getCopilotReadiness,
  getSecurityScore,
  listReportTemplates,
  getReport,
] as const;

export type OperationName = (typeof operations)[number]['name'];
export type OperationNamed<Name extends OperationName> = Extract<(typeof operations)[number], { name: Name }>;

/** Paths that were served once, and what took their place. */
export const retiredPaths = { '/monitoring-alerts': '/policy-scans' } as const satisfies Record<string, string>;
