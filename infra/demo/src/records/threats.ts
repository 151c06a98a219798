import type { Activity, ActivityContext } from '../activity.ts';
import type { Person } from '../company.ts';
import { deriveGuid } from '../random.ts';
import { managementRecord, zonelessTime } from './management-record.ts';

const watched = {
  by: 'anyone',
  feed: 'microsoft365',
  format: 'o365.management-activity',
  schedule: 'any hour',
  delay: 'hour',
} as const;

export const threatActivities: readonly Activity[] = [
  {
    ...watched,
    weight: 2,
    record: (context) => alert(context, 'AlertTriggered', context.random.pick(routineAlerts), context.person),
  },
];

export interface AlertKind {
  readonly name: string;
  readonly category: string;
  readonly severity: 'Informational' | 'Low' | 'Medium' | 'High';
  readonly operation: string;
}

const routineAlerts: readonly AlertKind[] = [
  {
    name: 'Email reported by user as junk',
    category: 'ThreatManagement',
    severity: 'Informational',
    operation: 'Submission',
  },
  { name: 'Unusual external file activity', category: 'DataGovernance', severity: 'Low', operation: 'FileAccessed' },
  {
    name: 'Elevation of Exchange admin privilege',
    category: 'AccessGovernance',
    severity: 'Low',
    operation: 'GrantAdminPermission',
  },
];

/** A compliance alert (record type 40) about one person. `Data` is JSON inside text, with the suite's own short names;
 * it speaks of the time before it was raised, also when it is updated later. */
export function alert(
  context: ActivityContext,
  operation: 'AlertTriggered' | 'AlertUpdated',
  kind: AlertKind,
  about: Person,
  { status = 'Active', raisedMs = context.atMs }: { readonly status?: string; readonly raisedMs?: number } = {},
) {
  const { company, atMs } = context;
  const policyId = deriveGuid(company.plan.azureTenantId, 'alert policy', kind.name);
  const alertId = deriveGuid(policyId, about.id, new Date(atMs).toISOString().slice(0, 10));
  const service = 'SecurityComplianceAlerts';
  return managementRecord(
    context,
    { recordType: 40, operation, workload: 'SecurityComplianceCenter', resultStatus: 'Succeeded' },
    {
      UserId: service,
      UserKey: service,
      UserType: 4,
      ClientIP: '',
      AlertId: alertId,
      AlertLinks: [{ AlertLinkHref: `https://security.${company.plan.domain}/alerts/${alertId}` }],
      AlertType: 'System',
      Category: kind.category,
      Comments: operation === 'AlertTriggered' ? 'New alert' : 'Alert updated',
      Data: JSON.stringify({
        f3u: about.userPrincipalName,
        ts: new Date(raisedMs - 900_000).toISOString(),
        te: new Date(raisedMs).toISOString(),
        op: kind.operation,
        tid: company.plan.azureTenantId,
        cid: policyId,
        ad: `${kind.name}: this alert is triggered by activity that differs from what is usual.`,
        an: kind.name,
        sev: kind.severity,
      }),
      Name: kind.name,
      ObjectId: alertId,
      PolicyId: policyId,
      Severity: kind.severity,
      Source: 'Office 365 Security & Compliance',
      Status: status,
    },
  );
}

/** A phishing mail. */
export interface Lure {
  readonly sender: string;
  readonly senderIp: string;
  readonly subject: string;
  readonly networkMessageId: string;
}

/** A phishing mail that was delivered (record type 28). */
export function phishingMail(context: ActivityContext, mail: Lure) {
  const detector = 'ThreatIntel';
  return managementRecord(
    context,
    { recordType: 28, operation: 'TIMailData', workload: 'ThreatIntelligence' },
    {
      UserId: detector,
      UserKey: detector,
      UserType: 4,
      ClientIP: '',
      ObjectId: mail.networkMessageId,
      DeliveryAction: 'Delivered',
      DetectionMethod: 'URL detonation reputation',
      DetectionType: 'Inline',
      Directionality: 'Inbound',
      InternetMessageId: `<${mail.networkMessageId}@${mail.sender.split('@')[1]}>`,
      NetworkMessageId: mail.networkMessageId,
      LatestDeliveryLocation: 'Inbox',
      MessageTime: zonelessTime(context.atMs - 120_000),
      P1Sender: mail.sender,
      P2Sender: mail.sender,
      Policy: 'AntiPhish',
      PolicyAction: 'NoAction',
      Recipients: [context.person.userPrincipalName],
      SenderIp: mail.senderIp,
      Subject: mail.subject,
      Verdict: 'Phish',
    },
  );
}
