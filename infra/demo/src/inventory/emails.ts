import { type DemoState, formatInstant } from '../demo-state.ts';
import { deriveGuid, deriveNumber } from '../random.ts';
import { createEntityState, findAlerts, type InventorySnapshot } from './inventory-snapshot.ts';
import type { Mail } from './mails.ts';

export function createEmailState(snapshot: InventorySnapshot, mail: Mail): DemoState {
  const { id, threat, matched } = mail;
  const alerts = findAlerts(snapshot, mail.networkMessageId);
  const passes = threat === null ? 'pass' : 'fail';
  return createEntityState(snapshot, 'email', id, {
    createdAt: formatInstant(mail.sentMs),
    internetMessageId: mail.internetMessageId,
    networkMessageId: mail.networkMessageId,
    subject: mail.subject,
    senderAddress: mail.sender,
    senderMailFrom: mail.sender,
    senderIp: mail.senderIp,
    recipientCount: mail.recipients.length,
    direction: mail.direction,
    sentAt: formatInstant(mail.sentMs),
    receivedAt: formatInstant(mail.sentMs + 4_000),
    deliveryAction: mail.action,
    deliveryLocation: mail.location,
    threatTypes: threat === null ? [] : [threat],
    detectionMethods: threat === null ? [] : [threat === 'malware' ? 'fileDetonation' : 'urlDetonation'],
    attachmentCount: threat === 'malware' ? 1 : 0,
    urlCount: threat === 'phish' ? 1 : 0,
    sensitivityLabelName: null,
    sensitiveInfoTypeCount: matched === null ? 0 : 1,
    dlpMatchCount: matched === null ? 0 : 1,
    accessCount30d: deriveNumber(5, id, 'read'),
    relatedAlertCount: alerts.length,
    recipients: mail.recipients,
    attachments:
      threat === 'malware'
        ? [
            {
              fileName: 'scan.iso',
              fileType: 'iso',
              sha256: `${deriveGuid(id, 'a')}${deriveGuid(id, 'b')}`.replaceAll('-', ''),
              verdict: 'malicious',
            },
          ]
        : [],
    urls: threat === 'phish' ? [`https://login.${mail.sender.split('@')[1]}/`] : [],
    authentication: { spf: passes, dkim: threat === null ? 'pass' : 'none', dmarc: passes, compAuth: passes },
    dlpMatches: matched === null ? [] : [{ ...matched, occurredAt: formatInstant(mail.sentMs) }],
    alerts: alerts.map(({ id: alert, title }) => ({ id: alert, title })),
  });
}
