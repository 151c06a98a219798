import { guidOf } from '../chance.ts';
import type { Agent, App, Company, Person } from '../company.ts';
import { type DemoState, shown, shownOrNull } from '../demo-state.ts';
import type { Group } from '../estate/group-facts.ts';
import type { Mail } from '../estate/mails.ts';
import type { Occasion } from './occasion.ts';

/** An alert of the security suite over its life, in the words of Microsoft Graph (`alerts_v2`). */
export interface VendorAlert {
  readonly kind: AlertKind;
  readonly occasion: Occasion;
  readonly createdMs: number;
  readonly firstMs: number;
  readonly lastMs: number;
  readonly status: 'new' | 'inProgress' | 'resolved';
  /** When somebody last changed it; the creation where nobody did. */
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

export function alertId(company: Company, { kind, occasion }: VendorAlert): string {
  const digits = guidOf(company.plan.azureTenantId, kind.title, String(occasion)).replaceAll('-', '');
  return `da${BigInt(`0x${digits.slice(0, 15)}`)}_${Number.parseInt(digits.slice(15, 22), 16)}`;
}

/** The alert as it was raised, and as it stands where somebody worked on it. */
export function alertStates(company: Company, alert: VendorAlert): DemoState[] {
  const raised = raisedState(company, alert);
  return alert.status === 'new' ? [raised] : [raised, alertState(company, alert)];
}

export function raisedState(company: Company, alert: VendorAlert): DemoState {
  return alertState(company, { ...alert, status: 'new', verdict: null, assignee: null, changedMs: alert.createdMs });
}

function alertState(company: Company, alert: VendorAlert): DemoState {
  return {
    topic: 'rawAlert',
    format: 'graph.security.alert',
    kind: 'alert',
    id: alertId(company, alert),
    changedAtMs: alert.changedMs,
    record: graphAlert(company, alert),
  };
}

/** Several alerts of one attack, as the provider hands them over together. */
export function incidentState(company: Company, name: string, alerts: readonly VendorAlert[]): DemoState {
  const id = String(10_000 + Number.parseInt(guidOf(company.plan.azureTenantId, name).slice(0, 4), 16));
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
      createdDateTime: shown(Math.min(...alerts.map(({ createdMs }) => createdMs))),
      lastUpdateDateTime: shown(changedAtMs),
      incidentWebUrl: `https://security.${company.plan.domain}/incidents/${id}`,
      alerts: alerts.map((alert) => graphAlert(company, alert, id)),
    },
  };
}

function graphAlert(company: Company, alert: VendorAlert, incidentId: string | null = null): Record<string, unknown> {
  const { kind, status, verdict } = alert;
  const id = alertId(company, alert);
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
    detectorId: guidOf('detector', kind.title),
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
    createdDateTime: shown(alert.createdMs),
    lastUpdateDateTime: shown(alert.changedMs),
    resolvedDateTime: shownOrNull(isResolved ? alert.changedMs : null),
    firstActivityDateTime: shown(alert.firstMs),
    lastActivityDateTime: shown(alert.lastMs),
    comments: [],
    evidence: alert.evidence.map((piece) => ({
      createdDateTime: shown(alert.createdMs),
      remediationStatus: 'none',
      ...piece,
    })),
  };
}

type Piece = Record<string, unknown>;

function piece(type: string, members: Piece): Piece {
  return { '@odata.type': `#microsoft.graph.security.${type}`, ...members };
}

export function userEvidence({ id, displayName, userPrincipalName }: Person, role = 'attacked'): Piece {
  const [accountName, domainName] = userPrincipalName.split('@');
  const userAccount = { accountName, domainName, azureAdUserId: id, userPrincipalName, displayName, userSid: null };
  return piece('userEvidence', { verdict: 'suspicious', roles: [role], userAccount });
}

export function mailEvidence(mail: Mail): Piece {
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
    receivedDateTime: shown(mail.sentMs),
    deliveryAction: mail.action,
    deliveryLocation: mail.location,
    urlCount: mail.threat === 'phish' ? 1 : 0,
  });
}

export function appEvidence({ appId, servicePrincipalId, name, publisher }: App): Piece {
  const members = { appId, objectId: servicePrincipalId, displayName: name, publisher };
  return piece('oauthApplicationEvidence', { verdict: 'suspicious', roles: [], ...members });
}

export function agentEvidence({ id, name, platform }: Agent): Piece {
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

export function groupEvidence({ id, name }: Group): Piece {
  return piece('securityGroupEvidence', { verdict: 'unknown', roles: [], securityGroupId: id, displayName: name });
}

export function addressEvidence(ipAddress: string): Piece {
  return piece('ipEvidence', { verdict: 'suspicious', roles: ['source'], ipAddress, countryLetterCode: 'ZZ' });
}
