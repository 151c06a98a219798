import {
  listActions,
  listDetections,
  listLogs,
  listNotifications,
  listPolicyScans,
  listSecurityAlerts,
} from '@tenantscope/contract';
import { actions, detections, notifications, policyScans, securityAlerts } from '@tenantscope/store';
import type { Caller } from './caller.ts';
import { answerGet } from './get.ts';
import type { Answer, Handlers } from './invoke.ts';
import { answerList, type ListSources } from './list.ts';
import { logSource } from './log-source.ts';
import { recordSource } from './record-source.ts';

export function createHandlers(sources: ListSources): Handlers {
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
