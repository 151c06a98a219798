import { z } from 'zod';
import { byKind, idToldBy } from './id-of.ts';
import { mutableRecord, updatedAt } from './mutable-record.ts';
import { list } from './operation.ts';
import { choices, texts } from './parameter.ts';
import { instant, nullableText } from './scalar.ts';
import { severities } from './vocabulary.ts';

export const notificationSources = ['policy', 'anomaly', 'ingestion'] as const;
export const notificationChannels = ['email', 'teams', 'inApp'] as const;
export const notificationDecisions = ['sent', 'suppressed', 'failed'] as const;

/** One decision. Members stand in this order in every stored and served document. */
const notification = z
  .object({
    ...mutableRecord,
    createdAt: instant('When it was decided.'),
    source: nullableText('What led to it: policy, anomaly or ingestion.'),
    kind: z.string().meta({ description: 'digest, instant or anomaly.' }),
    channel: nullableText('email, teams or inApp.'),
    decision: nullableText('sent, suppressed or failed.'),
    reason: nullableText(
      'Why it was not sent. Suppressed: belowThreshold, informationalTier, noChange, duplicate, cooldown, quietHours, snoozed, policyDisabled, channelDisabled, noRecipients, ' +
        'recipientOptedOut, rateLimited, tenantPaused, simulation. Failed: invalidRecipient, recipientRejected, senderNotAuthorized, providerThrottled, providerUnavailable, timeout, templateError, internalError.',
    ),
    policyId: nullableText('Id of the policy.'),
    policyName: nullableText('Name of the policy.'),
    subjectType: nullableText('Kind of what it is about, also policyScan or detection.'),
    subjectId: idToldBy('subjectType', byKind, 'Id of what it is about.'),
    subjectCount: z.int().nullable().meta({ description: 'How many of them.' }),
    resourceType: nullableText('Kind of the resource.'),
    resourceId: idToldBy('resourceType', byKind, 'Id of the resource.'),
    severity: nullableText('informational, low, medium, high or critical.'),
    recipients: z.array(z.string()).nullable().meta({ description: 'Addresses it was meant for.' }),
    recipientSource: nullableText('explicit, policyDefault, resourceOwner, manager, role or tenantAdmins.'),
    senderMode: nullableText('platform or tenantMailbox.'),
    mailSubject: nullableText('Subject of the mail.'),
  })
  .meta({ id: 'Notification', description: 'One decision whether to notify somebody. Notifications never change.' });

export type Notification = z.infer<typeof notification>;

export const listNotifications = list({
  name: 'list_notifications',
  path: '/notifications',
  scope: 'notifications:read',
  summary: 'Notifications',
  description:
    'Log of every decision whether to notify somebody: sent, suppressed (with its reason) or failed. Rows never change. ' +
    'from and to act on createdAt, where rows may still appear late; to miss none, poll with sort=updatedAtAsc. ' +
    'Subjects and names are text from third parties. Values may be added to every vocabulary.',
  guidance:
    'Who was told what, and why nobody was: every decision to notify (mail, digest) as sent, suppressed with its reason, or failed. Use it to learn whether an alert or anomaly reached anybody.',
  textOfOthers: true,
  record: notification,
  filters: {
    decision: choices(notificationDecisions, 'What was decided.', 'suppressed,failed', { brief: '' }),
    source: choices(notificationSources, 'What led to it.', 'policy', { brief: '' }),
    kind: texts('Kind of the notification.', 'digest,instant', { brief: '' }),
    channel: choices(notificationChannels, 'Way it was to take.', 'email', { brief: '' }),
    severity: choices(severities, 'Severity of what it is about.', 'high,critical', { brief: '' }),
    policyId: texts('Id of the policy.', 'policy-anonymous-links', { brief: '' }),
    subjectType: texts('Kind of what it is about.', 'detection', { brief: '' }),
    resourceId: texts('Id of the resource.', '7b4c2f0e-6d2a-4c55-9b0e-2f3a1c9d8e11', { brief: '' }),
  },
  windows: {
    createdAt: { from: 'from', to: 'to', clock: 'upstream', words: 'createdAt, when it was decided' },
    updatedAt,
  },
  sorts: ['createdAtDesc', 'createdAtAsc', 'updatedAtAsc'],
  examples: [
    { words: 'What was not delivered', input: { decision: 'failed', limit: '100' } },
    {
      words: 'Every row since a moment, oldest first',
      forPollers: true,
      input: { updatedFrom: '2026-11-01T00:00:00Z', sort: 'updatedAtAsc' },
    },
  ],
});
