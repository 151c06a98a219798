import { z } from 'zod';
import { list } from '../operation/operation.ts';
import { choices, texts } from '../parameter/parameter.ts';
import { discriminatedIdReference, resourceByKind } from './id-reference.ts';
import { mutableRecord, updatedAt } from './mutable-record.ts';
import { instant, nullableText } from './scalar.ts';
import { severities } from './vocabulary.ts';

export const notificationSources = ['policy', 'anomaly', 'ingestion'] as const;
export const notificationChannels = ['email', 'teams', 'inApp'] as const;
export const notificationDecisions = ['sent', 'suppressed', 'failed'] as const;

/** One decision. Stored and served documents have the members in this order. */
const notification = z
  .object({
    ...mutableRecord,
    createdAt: instant('When it was decided.'),
    source: nullableText('Trigger: policy, anomaly or ingestion.'),
    kind: z.string().meta({ description: 'digest, instant or anomaly.' }),
    channel: nullableText('email, teams or inApp.'),
    decision: nullableText('sent, suppressed or failed.'),
    reason: nullableText(
      'Why it was not sent. Suppressed: belowThreshold, informationalTier, noChange, duplicate, cooldown, quietHours, snoozed, policyDisabled, channelDisabled, noRecipients, ' +
        'recipientOptedOut, rateLimited, tenantPaused, simulation. Failed: invalidRecipient, recipientRejected, senderNotAuthorized, providerThrottled, providerUnavailable, timeout, templateError, internalError.',
    ),
    policyId: nullableText('Id of the policy.'),
    policyName: nullableText('Name of the policy.'),
    subjectType: nullableText('Kind of the subject: an entity kind, policyScan or detection.'),
    subjectId: discriminatedIdReference('subjectType', resourceByKind, 'Id of the subject.'),
    subjectCount: z.int().nullable().meta({ description: 'Number of subjects.' }),
    resourceType: nullableText('Kind of the resource.'),
    resourceId: discriminatedIdReference('resourceType', resourceByKind, 'Id of the resource.'),
    severity: nullableText('informational, low, medium, high or critical.'),
    recipients: z.array(z.string()).nullable().meta({ description: 'Intended recipients.' }),
    recipientSource: nullableText('explicit, policyDefault, resourceOwner, manager, role or tenantAdmins.'),
    senderMode: nullableText('platform or tenantMailbox.'),
    mailSubject: nullableText('Subject of the mail.'),
  })
  .meta({ id: 'Notification', description: 'A decision whether to send a notification. Notifications never change.' });

export type Notification = z.infer<typeof notification>;

export const listNotifications = list({
  name: 'list_notifications',
  path: '/notifications',
  scope: 'notifications:read',
  summary: 'Notifications',
  description:
    'Log of every decision whether to send a notification: sent, suppressed (with its reason) or failed. Rows never change. ' +
    'from and to filter on createdAt, where rows can still arrive late; poll with sort=updatedAtAsc to receive every row. ' +
    'Subjects and names are text from third parties. Values may be added to every vocabulary.',
  toolDescription:
    'Who was notified and why not: every decision to notify as sent, suppressed with its reason, or failed. Shows whether an alert or anomaly reached a recipient.',
  containsUntrustedText: true,
  record: notification,
  filters: {
    decision: choices(notificationDecisions, 'What was decided.', 'suppressed,failed', { brief: '' }),
    source: choices(notificationSources, 'Trigger of the notification.', 'policy', { brief: '' }),
    kind: texts('Kind of the notification.', 'digest,instant', { vocabulary: 'kind', brief: '' }),
    channel: choices(notificationChannels, 'Delivery channel.', 'email', { brief: '' }),
    severity: choices(severities, 'Severity of the subject.', 'high,critical', { brief: '' }),
    policyId: texts('Id of the policy.', 'policy-anonymous-links', { brief: '' }),
    subjectType: texts('Kind of the subject.', 'detection', { vocabulary: 'subjectType', brief: '' }),
    resourceId: texts('Id of the resource.', '7b4c2f0e-6d2a-4c55-9b0e-2f3a1c9d8e11', { hasCommas: true, brief: '' }),
  },
  windows: {
    createdAt: { from: 'from', to: 'to', clock: 'upstream', description: 'createdAt, when it was decided' },
    updatedAt,
  },
  sorts: ['createdAtDesc', 'createdAtAsc', 'updatedAtAsc'],
  examples: [
    { description: 'Failed notifications', input: { decision: 'failed', limit: '50' } },
    {
      description: 'Every row since an instant, oldest first',
      pollingOnly: true,
      input: { updatedFrom: '2026-11-01T00:00:00Z', sort: 'updatedAtAsc' },
    },
  ],
});
