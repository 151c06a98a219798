import { readCopilotReadiness, readSecurityScore, reportTemplates } from '@tenantscope/compliance';
import {
  listActions,
  listAgents,
  listApps,
  listDetections,
  listDevices,
  listEmails,
  listFiles,
  listGroups,
  listLicenses,
  listLogs,
  listNotifications,
  listPolicyScans,
  listSecurityAlerts,
  listSensitiveInfoTypes,
  listSites,
  listUsers,
} from '@tenantscope/contract';
import { toEcsAlert, toEcsDetection, toOcsfAlert, toOcsfDetection } from '@tenantscope/mapping';
import {
  actions,
  agents,
  apps,
  detections,
  devices,
  emails,
  files,
  groups,
  licenses,
  notifications,
  policyScans,
  securityAlerts,
  sensitiveInfoTypes,
  sites,
  users,
} from '@tenantscope/store/read';
import type { Caller } from './auth/caller.ts';
import { handleComplianceChanges } from './documents/compliance-changes.ts';
import { handleComplianceDocument } from './documents/compliance-document.ts';
import { handleExceptionsList } from './documents/compliance-exceptions.ts';
import { handleFindingsList } from './documents/compliance-findings.ts';
import { handleFrameworkHistory, handleRequirementHistory } from './documents/compliance-history.ts';
import { handleSnapshotList } from './documents/compliance-snapshots.ts';
import { handleComplianceStatus } from './documents/compliance-status.ts';
import type { DocumentDependencies } from './documents/document-dependencies.ts';
import { handleEvidencePack } from './documents/evidence-pack.ts';
import { handleReport } from './documents/report.ts';
import type { Handlers, OperationResult } from './invoke.ts';
import { handleDetectionLogs } from './records/detection-logs.ts';
import { readFeedHealth } from './records/feed-health.ts';
import { handleGet } from './records/get.ts';
import { handleGetLog } from './records/get-log.ts';
import { handleList, type ReadDependencies } from './records/list.ts';
import { readReceipts } from './records/log-receipts.ts';
import { logSource } from './records/log-source.ts';
import { readSummary } from './records/log-summary.ts';
import { createRecordSource } from './records/record-source.ts';

export function createHandlers(sources: ReadDependencies & DocumentDependencies): Handlers {
  return {
    ping: async (caller) => toDocument(describeKey(caller)),
    list_tenants: async (caller) => toSinglePage(caller.tenants ?? []),
    list_feeds: async (caller) => toSinglePage(await readFeedHealth(sources, caller)),
    list_logs: (caller, input) => handleList(sources, listLogs, logSource, caller, input),
    get_log_summary: async (caller, input) => toDocument(await readSummary(sources, caller, input)),
    list_log_receipts: async (caller, input) => joinToSinglePage(await readReceipts(sources, caller, input)),
    get_log: (caller, input) => handleGetLog(sources, caller, input),
    list_detections: (caller, input) =>
      handleList(
        sources,
        listDetections,
        createRecordSource(detections, { ocsf: toOcsfDetection, ecs: toEcsDetection }),
        caller,
        input,
      ),
    get_detection: (caller, input) => handleGet(sources, detections, caller, input),
    list_detection_logs: (caller, input) => handleDetectionLogs(sources, caller, input),
    list_policy_scans: (caller, input) =>
      handleList(sources, listPolicyScans, createRecordSource(policyScans), caller, input),
    get_policy_scan: (caller, input) => handleGet(sources, policyScans, caller, input),
    list_notifications: (caller, input) =>
      handleList(sources, listNotifications, createRecordSource(notifications), caller, input),
    list_actions: (caller, input) => handleList(sources, listActions, createRecordSource(actions), caller, input),
    list_security_alerts: (caller, input) =>
      handleList(
        sources,
        listSecurityAlerts,
        createRecordSource(securityAlerts, { ocsf: toOcsfAlert, ecs: toEcsAlert }),
        caller,
        input,
      ),
    get_security_alert: (caller, input) => handleGet(sources, securityAlerts, caller, input),
    list_users: (caller, input) => handleList(sources, listUsers, createRecordSource(users), caller, input),
    get_user: (caller, input) => handleGet(sources, users, caller, input),
    list_agents: (caller, input) => handleList(sources, listAgents, createRecordSource(agents), caller, input),
    get_agent: (caller, input) => handleGet(sources, agents, caller, input),
    list_files: (caller, input) => handleList(sources, listFiles, createRecordSource(files), caller, input),
    get_file: (caller, input) => handleGet(sources, files, caller, input),
    list_groups: (caller, input) => handleList(sources, listGroups, createRecordSource(groups), caller, input),
    get_group: (caller, input) => handleGet(sources, groups, caller, input),
    list_sites: (caller, input) => handleList(sources, listSites, createRecordSource(sites), caller, input),
    get_site: (caller, input) => handleGet(sources, sites, caller, input),
    list_apps: (caller, input) => handleList(sources, listApps, createRecordSource(apps), caller, input),
    get_app: (caller, input) => handleGet(sources, apps, caller, input),
    list_devices: (caller, input) => handleList(sources, listDevices, createRecordSource(devices), caller, input),
    get_device: (caller, input) => handleGet(sources, devices, caller, input),
    list_emails: (caller, input) => handleList(sources, listEmails, createRecordSource(emails), caller, input),
    get_email: (caller, input) => handleGet(sources, emails, caller, input),
    list_licenses: (caller, input) => handleList(sources, listLicenses, createRecordSource(licenses), caller, input),
    get_license: (caller, input) => handleGet(sources, licenses, caller, input),
    list_sensitive_info_types: (caller, input) =>
      handleList(sources, listSensitiveInfoTypes, createRecordSource(sensitiveInfoTypes), caller, input),
    get_sensitive_info_type: (caller, input) => handleGet(sources, sensitiveInfoTypes, caller, input),
    get_agent_evidence_pack: (caller, input) => handleEvidencePack(sources, caller, input),
    get_compliance_status: (caller, input) => handleComplianceStatus(sources, caller, input),
    list_compliance_findings: (caller, input) => handleFindingsList(sources, caller, input),
    list_compliance_exceptions: (caller, input) => handleExceptionsList(sources, caller, input),
    list_requirement_history: (caller, input) => handleRequirementHistory(sources, caller, input),
    list_framework_history: (caller, input) => handleFrameworkHistory(sources, caller, input),
    get_compliance_changes: (caller, input) => handleComplianceChanges(sources, caller, input),
    list_compliance_snapshots: (caller, input) => handleSnapshotList(sources, caller, input),
    get_copilot_readiness: (caller) => handleComplianceDocument(sources, readCopilotReadiness, caller),
    get_security_score: (caller) => handleComplianceDocument(sources, readSecurityScore, caller),
    list_report_templates: async () => toSinglePage(reportTemplates),
    get_report: (caller, input) => handleReport(sources, caller, input),
  };
}

function describeKey(caller: Caller) {
  return {
    tenantId: caller.tenant?.id ?? null,
    keyId: caller.keyId,
    name: caller.name,
    scopes: caller.grantedScopes,
    organizationWide: caller.organizationWide,
  };
}

const toDocument = (record: unknown): OperationResult => ({ body: JSON.stringify({ data: record }) });

const pageMin = 1000;

/** The list envelope with all rows on one page. */
const toSinglePage = (rows: readonly unknown[]): OperationResult =>
  joinToSinglePage(rows.map((row) => JSON.stringify(row)));

function joinToSinglePage(documents: readonly string[]): OperationResult {
  const pagination = { nextCursor: null, hasMore: false, limit: Math.max(pageMin, documents.length) };
  return { body: `{"data":[${documents.join()}],"pagination":${JSON.stringify(pagination)}}` };
}
