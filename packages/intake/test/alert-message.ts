import {
  type AlertFormatName,
  type Message,
  type ReadingContext,
  type RecordOutcome,
  type RecordState,
  readRecords,
  toEventType,
} from '@tenantscope/intake';
import { azureTenantId, context, tenantId } from './message.ts';

/** A binary-mode message of raw.alert; a string or a buffer is the value as it is, anything else becomes JSON. */
export function alertMessage(format: AlertFormatName, payload: unknown, changes: Partial<Message> = {}): Message {
  return {
    key: null,
    value: Buffer.isBuffer(payload)
      ? payload
      : Buffer.from(typeof payload === 'string' ? payload : JSON.stringify(payload)),
    headers: { ce_specversion: '1.0', ce_type: toEventType(format), ce_tenantid: tenantId },
    ...changes,
  };
}

export function readAlert(
  format: AlertFormatName,
  payload: unknown,
  changes: Partial<Message> = {},
  surroundings: Partial<ReadingContext> = {},
): RecordOutcome[] {
  return readRecords('rawAlert', alertMessage(format, payload, changes), { ...context, ...surroundings });
}

export function listStates(outcomes: readonly RecordOutcome[]): RecordState[] {
  return outcomes.flatMap((outcome) => (outcome.kind === 'state' ? [outcome.state] : []));
}

/** The state of a payload that is one alert. */
export function readState(format: AlertFormatName, payload: unknown): RecordState {
  const outcomes = readAlert(format, payload);
  const [state] = listStates(outcomes);
  if (state === undefined || outcomes.length > 1) throw new Error(`not one state: ${JSON.stringify(outcomes)}`);
  return state;
}

/** The by-id document of a state, parsed, without what only the store knows. */
export function parseDocument({ members, detailMembers }: RecordState): Record<string, unknown> {
  return JSON.parse(`{${members},${detailMembers}}`) as Record<string, unknown>;
}

/** The microseconds since the epoch of a UTC time with six or more decimals. */
export function toMicroseconds(time: string): number {
  return Date.parse(`${time.slice(0, 23)}Z`) * 1000 + Number(time.slice(23, 26));
}

/** `state`, or the reason of each rejection. */
export function listResults(outcomes: readonly RecordOutcome[]): string[] {
  return outcomes.map((outcome) => (outcome.kind === 'rejected' ? outcome.reason : outcome.kind));
}

/** An alert of Microsoft Graph with everything in it. */
export function graphAlert(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    id: 'da637551_1',
    tenantId: azureTenantId,
    title: 'Suspicious inbox rule',
    description: 'A rule that hides mail was made.',
    severity: 'high',
    status: 'inProgress',
    classification: 'truePositive',
    determination: 'compromisedAccount',
    category: 'DefenseEvasion',
    threatDisplayName: 'Mail hiding',
    threatFamilyName: 'InboxRules',
    actorDisplayName: 'Storm-0000',
    serviceSource: 'microsoftDefenderForOffice365',
    detectionSource: 'microsoftDefenderForOffice365',
    assignedTo: 'soc@contoso.example',
    alertWebUrl: 'https://security.example/alerts/1',
    incidentWebUrl: 'https://security.example/incidents/7',
    recommendedActions: 'Remove the rule.',
    incidentId: '7',
    mitreTechniques: ['T1114.003'],
    createdDateTime: '2026-11-20T08:00:00.1234567Z',
    lastUpdateDateTime: '2026-11-20T09:30:00.7654321Z',
    resolvedDateTime: null,
    firstActivityDateTime: '2026-11-20T07:58:00Z',
    lastActivityDateTime: '2026-11-20T07:59:00Z',
    evidence: [],
    ...changes,
  };
}

/** An event of an alert, as the Management Activity API tells it. */
export function alertEvent(changes: Record<string, unknown> = {}, details: Record<string, unknown> = {}) {
  return {
    CreationTime: '2026-11-20T08:03:00',
    Id: '7a1b2c3d-0000-4000-8000-000000000001',
    Operation: 'AlertTriggered',
    OrganizationId: azureTenantId,
    RecordType: 40,
    UserKey: 'SecurityComplianceAlerts',
    UserType: 4,
    UserId: 'SecurityComplianceAlerts',
    Workload: 'SecurityComplianceCenter',
    AlertId: '6ee36a84-0cb9-0e51-8000-08df46dc4688',
    Name: 'Creation of forwarding rule',
    Severity: 'Medium',
    Category: 'ThreatManagement',
    Status: 'Active',
    Source: 'Office 365 Security & Compliance',
    AlertLinks: [{ AlertLinkHref: '' }, { AlertLinkHref: 'https://security.example/viewalerts?id=1' }],
    Data: JSON.stringify({
      ad: 'Someone set up a forwarding rule.',
      lon: 'MailRedirect',
      ts: '2026-11-20T07:58:00.0000000Z',
      te: '2026-11-20T08:00:00.0000000Z',
      f3u: 'ada@contoso.example',
      ...details,
    }),
    ...changes,
  };
}

/** An alert of Google's Alert Center. */
export function googleAlert(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    customerId: 'C0123abcd',
    alertId: '3f0c6f3e-3b57-4a61-8d5a-1de0a4f7c2b9',
    createTime: '2026-11-20T08:00:00.123456Z',
    startTime: '2026-11-20T07:00:00Z',
    endTime: '2026-11-20T07:30:00Z',
    updateTime: '2026-11-20T09:00:00.654321Z',
    type: 'User reported phishing',
    source: 'Gmail phishing',
    data: {
      '@type': 'type.googleapis.com/google.apps.alertcenter.type.MailPhishing',
      maliciousEntity: { entity: { emailAddress: 'bank@evil.example', displayName: 'Your bank' } },
      messages: [
        {
          messageId: 'm1@evil.example',
          recipient: 'ada@contoso.example',
          subjectText: 'Your account',
          date: '2026-11-20T06:59:00Z',
        },
      ],
    },
    securityInvestigationToolLink: 'https://admin.google.example/investigate?alert=1',
    metadata: { status: 'IN_PROGRESS', severity: 'MEDIUM', assignee: 'soc@contoso.example' },
    ...changes,
  };
}
