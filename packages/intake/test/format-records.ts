import type { ActivityFormatName, AlertFormatName } from '@tenantscope/intake';
import { alertEvent, googleAlert, graphAlert } from './alert-message.ts';
import { azureActivity, graphRequest, provisioning, unlisted, userRisk } from './azure-records.ts';
import { huntingRecord } from './hunting-record.ts';
import { azureTenantId, management } from './message.ts';
import {
  assessment,
  endpointAlert,
  legacyGraphAlert,
  legacyIncident,
  sentinelAlert,
  sentinelIncident,
} from './microsoft-alerts.ts';

type Members = Readonly<Record<string, unknown>>;

const time = '2026-11-20T08:15:30Z';
const user = { userId: 'u-1', userPrincipalName: 'ada@contoso.example' };
const signIn = { id: 's-1', createdDateTime: time, ...user, ipAddress: '203.0.113.7', status: { errorCode: 0 } };
const audit = {
  id: 'a-1',
  activityDateTime: time,
  activityDisplayName: 'Add member to group',
  category: 'GroupManagement',
  initiatedBy: { user: { id: 'u-1', userPrincipalName: 'ada@contoso.example' } },
  targetResources: [{ id: 'g-1', displayName: 'Finance', type: 'Group' }],
};
const framed = (category: string, properties: Members) => ({
  time,
  category,
  operationName: category,
  tenantId: azureTenantId,
  properties,
});

/** One valid record of each format of raw.activity. */
export const activityRecords: Record<ActivityFormatName, Members> = {
  'o365.management-activity': management(),
  'entra.signin.azuremonitor': framed('SignInLogs', signIn),
  'entra.audit.azuremonitor': framed('AuditLogs', audit),
  'entra.risk.azuremonitor': userRisk,
  'entra.provisioning.azuremonitor': provisioning,
  'graph.activity.azuremonitor': graphRequest,
  'azure.activity.azuremonitor': azureActivity,
  'azure.monitor': unlisted,
  'entra.signin.graph': signIn,
  'entra.audit.graph': audit,
  'entra.risk.graph': { id: 'r-1', activityDateTime: time, riskEventType: 'newCountry', riskLevel: 'high', ...user },
  'google.reports.activity': {
    kind: 'admin#reports#activity',
    id: { time, uniqueQualifier: '-7312729053723258069', applicationName: 'drive' },
    actor: { email: 'ada@contoso.example' },
    events: [{ type: 'access', name: 'view', parameters: [{ name: 'doc_id', value: 'doc-1' }] }],
  },
  'okta.system-log': {
    uuid: 'faf7398a-4f77-11ea-97fb-5925e98228bd',
    published: time,
    eventType: 'user.session.start',
    actor: { id: '00u1', type: 'User', alternateId: 'ada@contoso.example' },
    outcome: { result: 'SUCCESS' },
  },
  'm365d.advanced-hunting': huntingRecord('EmailEvents', { Subject: 'Offer' }),
  'exchange.message-trace': { Received: time, MessageTraceId: 'n-1', MessageId: '<m@x.example>', Status: 'Delivered' },
  'graph.aiInteraction': { id: 'i-1', createdDateTime: time, interactionType: 'userPrompt', sessionId: '19:thread' },
};

/** One valid record of each format of raw.alert. */
export const alertRecords: Record<AlertFormatName, Members> = {
  'graph.security.alert': graphAlert(),
  'graph.security.incident': { id: '12', createdDateTime: time, displayName: 'Incident', alerts: [graphAlert()] },
  'graph.security.alert.legacy': legacyGraphAlert(),
  'mde.alert': endpointAlert(),
  'm365d.incidents-legacy': legacyIncident(),
  'm365d.advanced-hunting': huntingRecord('AlertInfo', { AlertId: 'da1', Title: 'Phishing' }),
  'defender-for-cloud.alert': assessment(),
  'sentinel.security-alert': sentinelAlert(),
  'sentinel.security-incident': sentinelIncident(),
  'google.alertcenter.alert': googleAlert(),
  'o365.management-activity': alertEvent(),
};
