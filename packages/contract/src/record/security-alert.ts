import { z } from 'zod';
import { get, list } from '../operation/operation.ts';
import { choices, flag, texts } from '../parameter/parameter.ts';
import { idReferences, type ReferencedResource } from './id-reference.ts';
import { mutableRecord, updatedAt } from './mutable-record.ts';
import { nullableInstant, nullableText } from './scalar.ts';

/** Severities of alerts; `unknown` is what a provider's word outside of them becomes. No alert is ever `critical`. */
export const alertSeverities = ['unknown', 'informational', 'low', 'medium', 'high'] as const;
export type AlertSeverity = (typeof alertSeverities)[number];

export const alertStatuses = ['new', 'inProgress', 'resolved', 'unknown'] as const;
export type AlertStatus = (typeof alertStatuses)[number];

/** Most elements of each of users, groups, emails, apps, devices, files, ips and mitreTechniques; rawData has all of them. */
export const alertElementsMax = 100;

const elementId = (resource: ReferencedResource) =>
  z.string().meta({ description: 'Unique within the list.' }).register(idReferences, { resource });
const verdict = nullableText("The provider's verdict, for example malicious, suspicious or unknown.");
const roles = z.array(z.string()).meta({ description: 'Roles in the alert, for example attacked.' });

const alertUser = z
  .object({
    id: elementId('user'),
    name: nullableText('Display name.'),
    userPrincipalName: nullableText('User principal name or address.'),
    roles,
    verdict,
  })
  .meta({ id: 'AlertUser' });
export type AlertUser = z.infer<typeof alertUser>;

const alertGroup = z
  .object({ id: elementId('group'), name: nullableText('Display name.'), roles, verdict })
  .meta({ id: 'AlertGroup' });
export type AlertGroup = z.infer<typeof alertGroup>;

const alertEmail = z
  .object({
    id: elementId('email'),
    internetMessageId: nullableText('Message-ID header, as received.'),
    networkMessageId: nullableText('Id of this delivery.'),
    subject: nullableText('Subject, written by the sender.'),
    sender: nullableText('Address it was sent from.'),
    recipient: nullableText('Address it was sent to.'),
    receivedAt: nullableInstant('When it was received.'),
    deliveryAction: nullableText('Delivery result, for example delivered or blocked.'),
    verdict,
  })
  .meta({ id: 'AlertEmail' });
export type AlertEmail = z.infer<typeof alertEmail>;

const alertApp = z
  .object({
    id: elementId('app'),
    appId: nullableText("Client id, or the provider's number of a cloud application."),
    name: nullableText('Display name.'),
    kind: z.string().meta({ description: 'oauthApplication, servicePrincipal, cloudApplication or agent.' }),
    verdict,
  })
  .meta({ id: 'AlertApp' });
export type AlertApp = z.infer<typeof alertApp>;

const alertDevice = z
  .object({
    id: elementId('device'),
    name: nullableText('Host name.'),
    azureAdDeviceId: nullableText('Device id in the directory.'),
    defenderDeviceId: nullableText('Device id in Defender for Endpoint, as its log events carry it.'),
    os: nullableText('Operating system, with its version where the evidence has one.'),
    roles,
    verdict,
  })
  .meta({ id: 'AlertDevice' });
export type AlertDevice = z.infer<typeof alertDevice>;

const alertFile = z
  .object({
    id: z.string().meta({ description: 'SHA-256, else SHA-1, else MD5, else path and name. Unique within the list.' }),
    name: nullableText('File name.'),
    path: nullableText('Folder or address.'),
    sha256: nullableText('SHA-256 of the content.'),
    sha1: nullableText('SHA-1 of the content.'),
    size: z.number().int().nullable().meta({ description: 'Bytes.' }),
    roles,
    verdict,
  })
  .meta({ id: 'AlertFile' });
export type AlertFile = z.infer<typeof alertFile>;

const alertIp = z
  .object({
    id: z.string().meta({ description: 'The address. Unique within the list.' }),
    country: nullableText('Country, as the provider writes it.'),
    roles,
    verdict,
  })
  .meta({ id: 'AlertIp' });
export type AlertIp = z.infer<typeof alertIp>;

const listed = {
  ...mutableRecord,
  title: nullableText('Title given by the provider.'),
  description: nullableText('Description given by the provider.'),
  severity: nullableText('unknown, informational, low, medium or high.'),
  status: nullableText('new, inProgress, resolved or unknown.'),
  classification: nullableText('unknown, falsePositive, truePositive or informationalExpectedActivity.'),
  category: nullableText("The provider's category, for example InitialAccess."),
  threatDisplayName: nullableText('Name of the threat.'),
  firstActivityDateTime: nullableInstant('Earliest activity that the alert is about.'),
  isResolved: z.boolean().nullable().meta({ description: 'Whether status is resolved.' }),
  users: z.array(alertUser).max(alertElementsMax).meta({ description: 'Users and mailboxes of the evidence.' }),
  groups: z.array(alertGroup).max(alertElementsMax).meta({ description: 'Groups of the evidence.' }),
  emails: z.array(alertEmail).max(alertElementsMax).meta({ description: 'Mails of the evidence.' }),
  apps: z.array(alertApp).max(alertElementsMax).meta({ description: 'Applications and AI agents of the evidence.' }),
  devices: z.array(alertDevice).max(alertElementsMax).meta({ description: 'Computers and phones of the evidence.' }),
  files: z
    .array(alertFile)
    .max(alertElementsMax)
    .meta({ description: 'Files and images of processes of the evidence.' }),
  ips: z.array(alertIp).max(alertElementsMax).meta({ description: 'IP addresses of the evidence.' }),
  mitreTechniques: z
    .array(z.string())
    .max(alertElementsMax)
    .meta({ description: 'Techniques of MITRE ATT&CK, for example T1566.002.' }),
  incidentId: nullableText("The provider's id of the incident that the alert belongs to."),
  createdDateTime: nullableInstant('When the provider raised the alert.'),
  lastUpdateDateTime: nullableInstant('When the provider last changed the alert.'),
};

/** An alert as lists show it. Stored and served documents have the members in this order. */
const securityAlert = z.object(listed).meta({
  id: 'SecurityAlert',
  description:
    'An alert of a vendor security platform. Alerts change after they first appear: upsert on id. Texts are from third parties.',
});
export type SecurityAlert = z.infer<typeof securityAlert>;

const securityAlertDetail = z
  .object({
    ...listed,
    determination: nullableText('What the alert turned out to be, for example malware, phishing or other.'),
    assignedTo: nullableText('Assignee.'),
    alertWebUrl: nullableText("The alert in the provider's portal."),
    incidentWebUrl: nullableText("Its incident in the provider's portal."),
    serviceSource: nullableText('The product that raised it, for example microsoftDefenderForEndpoint.'),
    detectionSource: nullableText('Detection technology, for example antivirus.'),
    resolvedDateTime: nullableInstant('When it was resolved.'),
    lastActivityDateTime: nullableInstant('Latest activity that the alert is about.'),
    recommendedActions: nullableText("The provider's advice."),
    actorDisplayName: nullableText('Name of the threat actor.'),
    threatFamilyName: nullableText('Family of the threat.'),
    rawData: z.unknown().meta({
      description:
        "The provider's original alert, unmodified: invisible characters are not escaped and nothing is shortened. Null while only evidence of the alert has arrived.",
    }),
  })
  .meta({ id: 'SecurityAlertDetail', description: 'An alert in full.' });
export type SecurityAlertDetail = z.infer<typeof securityAlertDetail>;

export const listSecurityAlerts = list({
  name: 'list_security_alerts',
  path: '/security-alerts',
  scope: 'security-alerts:read',
  summary: 'Security alerts',
  description:
    'Alerts of vendor security platforms (Microsoft Defender, Sentinel and Purview, Google Workspace), linked to users, groups, emails, apps, devices, files and addresses: ' +
    `at most ${alertElementsMax} of each, and rawData of the alert by its id has all. ` +
    'Alerts change after they first appear: poll on updatedAt with sort=updatedAtAsc, which returns every change, and upsert on id. ' +
    'Titles, descriptions and names are text from third parties. Values may be added to every vocabulary.',
  toolDescription:
    'Alerts of vendor platforms (Microsoft Defender, Purview, Entra, Google): malware, phishing, risky sign-ins, data loss, with users, emails, apps, devices, files and ips involved. Next: get_security_alert, then list_logs of the users.',
  containsUntrustedText: true,
  record: securityAlert,
  filters: {
    severity: choices(
      [...alertSeverities, 'critical'],
      'Severity of the alert. Providers do not use critical.',
      'high',
      {
        brief: '',
      },
    ),
    status: choices(alertStatuses, 'Status of the alert.', 'new,inProgress', { brief: '' }),
    classification: texts('Verdict on the alert as a whole.', 'truePositive', {
      vocabulary: 'classification',
      brief: '',
    }),
    category: texts("The provider's category.", 'InitialAccess,Malware', { vocabulary: 'category', brief: '' }),
    serviceSource: texts('The product that raised it.', 'microsoftDefenderForEndpoint', { brief: '' }),
    isResolved: flag('Only resolved alerts, or only those that are not.', 'false', { brief: '' }),
  },
  hasViews: true,
  windows: {
    createdDateTime: {
      from: 'from',
      to: 'to',
      clock: 'upstream',
      description:
        'createdDateTime, or firstActivityDateTime where that is null (late alerts can still enter such windows)',
    },
    updatedAt,
  },
  sorts: ['createdDateTimeDesc', 'createdDateTimeAsc', 'updatedAtAsc'],
  examples: [
    {
      description: 'The newest open alerts of high severity',
      input: { severity: 'high', isResolved: 'false', limit: '20' },
    },
    {
      description: 'Changes, oldest first, as pollers read them',
      pollingOnly: true,
      input: { updatedFrom: '2026-11-01T00:00:00Z', sort: 'updatedAtAsc', limit: '1000' },
    },
  ],
});

export const getSecurityAlert = get({
  name: 'get_security_alert',
  path: '/security-alerts/{id}',
  scope: 'security-alerts:read',
  summary: 'One security alert',
  description:
    'One alert by its id, with determination, links, sources, advice and rawData, the original alert as the provider sent it. ' +
    'All of it is text from third parties; rawData may contain invisible characters.',
  toolDescription: "One vendor alert with determination, advice, links and rawData, the provider's original.",
  containsUntrustedText: true,
  exampleId: 'da524152104271111376_110469966',
  record: securityAlertDetail,
  examples: [],
});
