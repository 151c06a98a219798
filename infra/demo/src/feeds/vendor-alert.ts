import type { Agent, App, Company, Person } from '../company.ts';
import { type DemoState, formatInstant, formatOptionalInstant } from '../demo-state.ts';
import type { Group } from '../inventory/group-list.ts';
import type { Mail } from '../inventory/mails.ts';
import { deriveGuid } from '../random.ts';
import type { Trigger } from './trigger.ts';

/** An alert of the security suite, with the terms of Microsoft Graph (`alerts_v2`). */
export interface VendorAlert {
  readonly kind: AlertKind;
  readonly trigger: Trigger;
  readonly createdMs: number;
  readonly firstMs: number;
  readonly lastMs: number;
  readonly status: 'new' | 'inProgress' | 'resolved';
  /** When a user last changed it; the creation time if unchanged. */
  readonly changedMs: number;
  readonly verdict: Verdict | null;
  readonly assignee: Person | null;
  readonly evidence: readonly Readonly<Record<string, unknown>>[];
}

export interface AlertKind {
  readonly title: string;
  readonly description: string;
  readonly severity: 'informational' | 'low' | 'medium' | 'high';
  readonly category: string;
  readonly serviceSource: string;
  readonly detectionSource: string;
  readonly advice: string;
  readonly threat?: string;
}

export interface Verdict {
  readonly classification: 'truePositive' | 'falsePositive' | 'informationalExpectedActivity';
  readonly determination: string;
}

export function deriveAlertId(company: Company, { kind, trigger }: VendorAlert): string {
  const digits = deriveGuid(company.plan.azureTenantId, kind.title, String(trigger)).replaceAll('-', '');
  return `da${BigInt(`0x${digits.slice(0, 15)}`)}_${Number.parseInt(digits.slice(15, 22), 16)}`;
}

/** The state when the alert was raised, and the current state if it changed. */
export function createAlertStates(company: Company, alert: VendorAlert): DemoState[] {
  const raised = createRaisedState(company, alert);
  return alert.status === 'new' ? [raised] : [raised, alertState(company, alert)];
}

export function createRaisedState(company: Company, alert: VendorAlert): DemoState {
  return alertState(company, { ...alert, status: 'new', verdict: null, assignee: null, changedMs: alert.createdMs });
}

function alertState(company: Company, alert: VendorAlert): DemoState {
  return {
    topic: 'rawAlert',
    format: 'graph.security.alert',
    kind: 'alert',
    id: deriveAlertId(company, alert),
    changedAtMs: alert.changedMs,
    record: graphAlert(company, alert),
  };
}

/** An incident with its alerts, as the provider delivers it. */
export function createIncidentState(company: Company, name: string, alerts: readonly VendorAlert[]): DemoState {
  const id = String(10_000 + Number.parseInt(deriveGuid(company.plan.azureTenantId, name).slice(0, 4), 16));
  const changedAtMs = Math.max(...alerts.map(({ changedMs }) => changedMs));
  return {
    topic: 'rawAlert',
    format: 'graph.security.incident',
    kind: 'alert',
    id,
    changedAtMs,
    record: {
      id,
      tenantId: company.plan.azureTenantId,
      displayName: name,
      status: 'active',
      severity: 'high',
      createdDateTime: formatInstant(Math.min(...alerts.map(({ createdMs }) => createdMs))),
      lastUpdateDateTime: formatInstant(changedAtMs),
      incidentWebUrl: `https://security.${company.plan.domain}/incidents/${id}`,
      alerts: alerts.map((alert) => graphAlert(company, alert, id)),
    },
  };
}

function graphAlert(company: Company, alert: VendorAlert, incidentId: string | null = null): Record<string, unknown> {
  const { kind, status, verdict } = alert;
  const id = deriveAlertId(company, alert);
  const isResolved = status === 'resolved';
  return {
    '@odata.type': '#microsoft.graph.security.alert',
    id,
    providerAlertId: id.split('_')[0],
    incidentId,
    tenantId: company.plan.azureTenantId,
    status,
    severity: kind.severity,
    classification: verdict?.classification ?? null,
    determination: verdict?.determination ?? null,
    serviceSource: kind.serviceSource,
    detectionSource: kind.detectionSource,
    detectorId: deriveGuid('detector', kind.title),
    title: kind.title,
    description: kind.description,
    recommendedActions: kind.advice,
    category: kind.category,
    assignedTo: alert.assignee?.userPrincipalName ?? null,
    alertWebUrl: `https://security.${company.plan.domain}/alerts/${id}`,
    incidentWebUrl: incidentId === null ? null : `https://security.${company.plan.domain}/incidents/${incidentId}`,
    actorDisplayName: null,
    threatDisplayName: kind.threat ?? null,
    threatFamilyName: kind.threat?.split('.')[0] ?? null,
    mitreTechniques: [],
    createdDateTime: formatInstant(alert.createdMs),
    lastUpdateDateTime: formatInstant(alert.changedMs),
    resolvedDateTime: formatOptionalInstant(isResolved ? alert.changedMs : null),
    firstActivityDateTime: formatInstant(alert.firstMs),
    lastActivityDateTime: formatInstant(alert.lastMs),
    comments: [],
    evidence: alert.evidence.map((createEvidenceItem) => ({
      createdDateTime: formatInstant(alert.createdMs),
      remediationStatus: 'none',
      ...createEvidenceItem,
    })),
  };
}

type EvidenceItem = Record<string, unknown>;

function piece(type: string, members: EvidenceItem): EvidenceItem {
  return { '@odata.type': `#microsoft.graph.security.${type}`, ...members };
}

export function createUserEvidence({ id, displayName, userPrincipalName }: Person, role = 'attacked'): EvidenceItem {
  const [accountName, domainName] = userPrincipalName.split('@');
  const userAccount = { accountName, domainName, azureAdUserId: id, userPrincipalName, displayName, userSid: null };
  return piece('userEvidence', { verdict: 'suspicious', roles: [role], userAccount });
}

export function createMailEvidence(mail: Mail): EvidenceItem {
  return piece('analyzedMessageEvidence', {
    verdict: mail.threat === null ? 'unknown' : 'malicious',
    roles: [],
    internetMessageId: mail.internetMessageId,
    networkMessageId: mail.networkMessageId,
    subject: mail.subject,
    p1Sender: { emailAddress: mail.sender },
    p2Sender: { emailAddress: mail.sender },
    recipientEmailAddress: mail.recipients[0] ?? null,
    senderIp: mail.senderIp,
    receivedDateTime: formatInstant(mail.sentMs),
    deliveryAction: mail.action,
    deliveryLocation: mail.location,
    urlCount: mail.threat === 'phish' ? 1 : 0,
  });
}

export function createAppEvidence({ appId, servicePrincipalId, name, publisher }: App): EvidenceItem {
  const members = { appId, objectId: servicePrincipalId, displayName: name, publisher };
  return piece('oauthApplicationEvidence', { verdict: 'suspicious', roles: [], ...members });
}

export function createAgentEvidence({ id, name, platform }: Agent): EvidenceItem {
  const hostingPlatformType =
    platform === 'foundry' ? 'azureAIFoundry' : platform === 'copilotStudio' ? 'copilotStudio' : 'copilot';
  return piece('aiAgentEvidence', {
    verdict: 'suspicious',
    roles: [],
    agentId: id,
    agentName: name,
    hostingPlatformType,
  });
}

export function createGroupEvidence({ id, name }: Group): EvidenceItem {
  return piece('securityGroupEvidence', { verdict: 'unknown', roles: [], securityGroupId: id, displayName: name });
}

export function createAddressEvidence(ipAddress: string): EvidenceItem {
  return piece('ipEvidence', { verdict: 'suspicious', roles: ['source'], ipAddress, countryLetterCode: 'ZZ' });
}
