import { readCopilotReadiness, readSecurityScore, readStatus, reportTemplates } from '@tenantscope/compliance';
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
} from '@tenantscope/store';
import { answerAssessment } from './assessment.ts';
import type { Caller } from './caller.ts';
import { answerGet } from './get.ts';
import type { Answer, Handlers } from './invoke.ts';
import { answerList, type ListSources } from './list.ts';
import { logSource } from './log-source.ts';
import { answerPack, type PackSources } from './pack.ts';
import { recordSource } from './record-source.ts';
import { answerReport } from './report.ts';
import { answerSnapshots } from './snapshots.ts';

export function createHandlers(sources: ListSources & PackSources): Handlers {
  return {
    ping: async (caller) => one(pingOf(caller)),
    list_tenants: async (caller) => everything(caller.tenants ?? []),
    list_logs: (caller, input) => answerList(sources, listLogs, logSource, caller, input),
    list_detections: (caller, input) => answerList(sources, listDetections, recordSource(detections), caller, input),
    get_detection: (caller, input) => answerGet(sources, detections, caller, input),
    list_policy_scans: (caller, input) =>
      answerList(sources, listPolicyScans, recordSource(policyScans), caller, input),
    get_policy_scan: (caller, input) => answerGet(sources, policyScans, caller, input),
    list_notifications: (caller, input) =>
      answerList(sources, listNotifications, recordSource(notifications), caller, input),
    list_actions: (caller, input) => answerList(sources, listActions, recordSource(actions), caller, input),
    list_security_alerts: (caller, input) =>
      answerList(sources, listSecurityAlerts, recordSource(securityAlerts), caller, input),
    get_security_alert: (caller, input) => answerGet(sources, securityAlerts, caller, input),
    list_users: (caller, input) => answerList(sources, listUsers, recordSource(users), caller, input),
    get_user: (caller, input) => answerGet(sources, users, caller, input),
    list_agents: (caller, input) => answerList(sources, listAgents, recordSource(agents), caller, input),
    get_agent: (caller, input) => answerGet(sources, agents, caller, input),
    list_files: (caller, input) => answerList(sources, listFiles, recordSource(files), caller, input),
    get_file: (caller, input) => answerGet(sources, files, caller, input),
    list_groups: (caller, input) => answerList(sources, listGroups, recordSource(groups), caller, input),
    get_group: (caller, input) => answerGet(sources, groups, caller, input),
    list_sites: (caller, input) => answerList(sources, listSites, recordSource(sites), caller, input),
    get_site: (caller, input) => answerGet(sources, sites, caller, input),
    list_apps: (caller, input) => answerList(sources, listApps, recordSource(apps), caller, input),
    get_app: (caller, input) => answerGet(sources, apps, caller, input),
    list_devices: (caller, input) => answerList(sources, listDevices, recordSource(devices), caller, input),
    get_device: (caller, input) => answerGet(sources, devices, caller, input),
    list_emails: (caller, input) => answerList(sources, listEmails, recordSource(emails), caller, input),
    get_email: (caller, input) => answerGet(sources, emails, caller, input),
    list_licenses: (caller, input) => answerList(sources, listLicenses, recordSource(licenses), caller, input),
    get_license: (caller, input) => answerGet(sources, licenses, caller, input),
    list_sensitive_info_types: (caller, input) =>
      answerList(sources, listSensitiveInfoTypes, recordSource(sensitiveInfoTypes), caller, input),
    get_sensitive_info_type: (caller, input) => answerGet(sources, sensitiveInfoTypes, caller, input),
    get_agent_evidence_pack: (caller, input) => answerPack(sources, caller, input),
    get_compliance_status: (caller) => answerAssessment(sources, readStatus, caller),
    list_compliance_snapshots: (caller, input) => answerSnapshots(sources, caller, input),
    get_copilot_readiness: (caller) => answerAssessment(sources, readCopilotReadiness, caller),
    get_security_score: (caller) => answerAssessment(sources, readSecurityScore, caller),
    list_report_templates: async () => everything(reportTemplates),
    get_report: (caller, input) => answerReport(sources, caller, input),
  };
}

function pingOf(caller: Caller) {
  return {
    tenantId: caller.tenant?.id ?? null,
    keyId: caller.keyId,
    name: caller.name,
    scopes: caller.scopeWords,
    organizationWide: caller.organizationWide,
  };
}

const one = (record: unknown): Answer => ({ body: JSON.stringify({ data: record }) });

const pageMin = 1000;

/** The list envelope with everything on one page. */
function everything(rows: readonly unknown[]): Answer {
  const pagination = { nextCursor: null, hasMore: false, limit: Math.max(pageMin, rows.length) };
  return { body: JSON.stringify({ data: rows, pagination }) };
}
