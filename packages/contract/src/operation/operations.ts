import { listTenants, pingKey } from '../access/session.ts';
import { listFeeds } from '../completeness/feed-health.ts';
import { listLogReceipts } from '../completeness/log-receipt.ts';
import { getComplianceChanges } from '../compliance/compliance-changes.ts';
import { listComplianceExceptions } from '../compliance/compliance-exception.ts';
import { listComplianceFindings } from '../compliance/compliance-finding.ts';
import { listFrameworkHistory, listRequirementHistory } from '../compliance/compliance-history.ts';
import { listComplianceSnapshots } from '../compliance/compliance-snapshot.ts';
import { getComplianceStatus } from '../compliance/compliance-status.ts';
import { getCopilotReadiness } from '../compliance/copilot-readiness.ts';
import { getAgentEvidencePack } from '../compliance/evidence-pack.ts';
import { getReport, listReportTemplates } from '../compliance/report.ts';
import { getSecurityScore } from '../compliance/security-score.ts';
import { getAgent, listAgents } from '../entity/agent.ts';
import { getApp, listApps } from '../entity/app.ts';
import { getDevice, listDevices } from '../entity/device.ts';
import { getEmail, listEmails } from '../entity/email.ts';
import { getFile, listFiles } from '../entity/file.ts';
import { getGroup, listGroups } from '../entity/group.ts';
import { getLicense, listLicenses } from '../entity/license.ts';
import { getSensitiveInfoType, listSensitiveInfoTypes } from '../entity/sensitive-info-type.ts';
import { getSite, listSites } from '../entity/site.ts';
import { getUser, listUsers } from '../entity/user.ts';
import { listActions } from '../record/action.ts';
import { getLog, listLogs } from '../record/audit-log.ts';
import { getDetection, listDetections } from '../record/detection.ts';
import { listDetectionLogs } from '../record/detection-logs.ts';
import { getLogSummary } from '../record/log-summary.ts';
import { listNotifications } from '../record/notification.ts';
import { getPolicyScan, listPolicyScans } from '../record/policy-scan.ts';
import { getSecurityAlert, listSecurityAlerts } from '../record/security-alert.ts';

/** Every operation, in the order of the documentation. Operations are registered nowhere else. */
export const operations = [
  pingKey,
  listTenants,
  listFeeds,
  listLogs,
  getLogSummary,
  listLogReceipts,
  getLog,
  listDetections,
  getDetection,
  listDetectionLogs,
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
  listComplianceFindings,
  listComplianceExceptions,
  listRequirementHistory,
  listFrameworkHistory,
  getComplianceChanges,
  listComplianceSnapshots,
  getCopilotReadiness,
  getSecurityScore,
  listReportTemplates,
  getReport,
] as const;

export type OperationName = (typeof operations)[number]['name'];
export type OperationNamed<Name extends OperationName> = Extract<(typeof operations)[number], { name: Name }>;

/** Former paths and their replacements. */
export const retiredPaths = { '/monitoring-alerts': '/policy-scans' } as const satisfies Record<string, string>;
