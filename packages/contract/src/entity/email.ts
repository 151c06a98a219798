import { get, list } from '../operation/operation.ts';
import { choices, flag, texts as textsFilter } from '../parameter/parameter.ts';
import { count, object, objects, openEnum, text, texts, timestamp } from './field.ts';
import { entityFilters, entityGetNotes, entityListNotes, entityListOptions, entityRecord } from './record.ts';

const directions = ['inbound', 'outbound', 'intraOrg', 'unknown'] as const;

const email = entityRecord(
  'Email',
  'A message that an alert, a policy match or an audit record named. Never its body.',
  {
    internetMessageId: text('Message-ID header.'),
    networkMessageId: text('Id of one delivery.'),
    subject: text('Subject.'),
    senderAddress: text('Sender.'),
    senderMailFrom: text('Sender in the envelope.'),
    senderIp: text('Address it came from.'),
    recipientCount: count('Recipients.'),
    direction: openEnum(directions, 'Direction:'),
    sentAt: timestamp('When it was sent.'),
    receivedAt: timestamp('When it was received.'),
    deliveryAction: text('Action of the filter.'),
    deliveryLocation: text('Current location.'),
    threatTypes: texts('Threats found.'),
    detectionMethods: texts('How they were found.'),
    attachmentCount: count('Attachments.'),
    urlCount: count('Links.'),
    sensitivityLabelName: text('Its sensitivity label.'),
    sensitiveInfoTypeCount: count('Kinds of sensitive information in it.'),
    dlpMatchCount: count('Matches of data loss prevention.'),
    accessCount30d: count('Reads within 30 days.'),
    relatedAlertCount: count('Security alerts that name it.'),
  },
);

const emailDetail = email
  .extend({
    recipients: texts('Recipients.'),
    attachments: objects('Attachments.', {
      fileName: text('Name.'),
      fileType: text('Type.'),
      sha256: text('SHA-256.'),
      verdict: text('Verdict.'),
    }),
    urls: texts('Links.'),
    authentication: object('Results of sender authentication.', {
      spf: text('SPF.'),
      dkim: text('DKIM.'),
      dmarc: text('DMARC.'),
      compAuth: text('Composite authentication.'),
    }),
    dlpMatches: objects('Matches of data loss prevention.', {
      policyId: text('Id of the policy.'),
      policyName: text('Policy.'),
      occurredAt: timestamp('When.'),
    }),
    alerts: objects('Security alerts that name it.', { id: text('Id.'), title: text('Title.') }),
  })
  .meta({ id: 'EmailDetail', description: 'A message in full, without its body.' });

export const listEmails = list({
  ...entityListOptions,
  name: 'list_emails',
  path: '/emails',
  scope: 'emails:read',
  summary: 'Emails',
  description: `Messages named by alerts, policy matches and audit records, with recipients and filter verdicts. ${entityListNotes}`,
  toolDescription:
    'Messages in alerts, policy matches and audit records: sender, recipients, threat (phish, malware, spam), delivery, quarantine, data loss prevention. Use it to trace a phishing campaign. Next: get_email.',
  containsUntrustedText: true,
  record: email,
  filters: {
    threatType: textsFilter('Threat found.', 'phish,malware'),
    direction: choices(directions, 'Direction.', 'inbound'),
    sender: textsFilter('Address of the sender.', 'billing@fabrikam.example', { caseInsensitive: true }),
    recipient: textsFilter('Address of a recipient.', 'adele@contoso.example', { caseInsensitive: true }),
    hasDlpMatch: flag('Whether data loss prevention matched.'),
    deliveryLocation: textsFilter('Current location.', 'quarantine'),
    ...entityFilters('subject or sender address', 'invoice'),
  },
  examples: [
    { description: 'Inbound phishing', input: { direction: 'inbound', threatType: 'phish' } },
    {
      description: 'Outbound messages that data loss prevention matched',
      input: { direction: 'outbound', hasDlpMatch: 'true', limit: '10' },
    },
  ],
});

export const getEmail = get({
  name: 'get_email',
  path: '/emails/{id}',
  scope: 'emails:read',
  summary: 'One email',
  description: `Looked up by id, Message-ID, or id of a delivery. ${entityGetNotes}`,
  toolDescription: 'One message: sender, recipients, verdicts, authentication, links, attachments, deliveries.',
  containsUntrustedText: true,
  exampleId: '13a14cdc-2f59-589e-9d4a-2ce5ca4f0995',
  record: emailDetail,
  examples: [],
});
