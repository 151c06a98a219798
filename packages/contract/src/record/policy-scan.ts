import { z } from 'zod';
import { get, list } from '../operation/operation.ts';
import { choices, flag, texts } from '../parameter/parameter.ts';
import { mutableRecord, updatedAt } from './mutable-record.ts';
import { instant, nullableInstant, nullableText } from './scalar.ts';
import { severities } from './vocabulary.ts';

export const policyScanStatuses = ['open', 'resolved', 'snoozed', 'clear', 'error'] as const;

/** One evaluation of one policy. Stored and served documents have the members in this order. */
const policyScan = z
  .object({
    ...mutableRecord,
    name: nullableText('Name of the policy.'),
    severity: nullableText('informational, low, medium, high or critical.'),
    status: nullableText('open (matches, not handled), resolved, snoozed, clear (nothing matched) or error.'),
    isResolved: z.boolean().nullable().meta({ description: 'Whether the status is resolved or clear.' }),
    resourceType: nullableText('Kind of the resources that the policy looks at, for example file.'),
    resources: z.int().nullable().meta({ description: 'How many resources matched.' }),
    assignedUser: nullableText('User principal name of the assignee.'),
    description: nullableText('What the policy looks for.'),
    createdFrom: nullableText('template, custom, recommendation or system.'),
    scannedAt: instant('When the scan ran.'),
    resolvedAt: nullableInstant('When it was resolved.'),
  })
  .meta({
    id: 'PolicyScan',
    description: 'At a time, a policy matched a number of resources. A metric series, not alerts.',
  });

const policyScanDetail = policyScan
  .extend({
    policyId: nullableText('Id of the policy.'),
    automations: nullableText("The policy's automations, as JSON text."),
  })
  .meta({ id: 'PolicyScanDetail', description: 'A policy scan with its policy and automations.' });

export type PolicyScan = z.infer<typeof policyScan>;

export const listPolicyScans = list({
  name: 'list_policy_scans',
  path: '/policy-scans',
  scope: 'policy-scans:read',
  summary: 'Policy scans',
  description:
    'Policy evaluation snapshots: at a time, a policy matched a number of resources. A metric series, not an alert feed: notifications are in /notifications. ' +
    'from and to filter on scannedAt, where rows can still arrive late; poll with sort=updatedAtAsc and upsert on id. Values may be added to every vocabulary.',
  toolDescription:
    'Results of policy checks over time: at scannedAt, a policy matched so many resources (oversharing, external access, stale accounts). Measurements, not alerts. Next: list_actions for what was done.',
  containsUntrustedText: true,
  record: policyScan,
  filters: {
    severity: choices(severities, 'Severity of the policy.', 'high,critical', { brief: '' }),
    status: choices(policyScanStatuses, 'Status of the scan.', 'open', { brief: '' }),
    isResolved: flag('Only scans that are resolved or clear, or only the others.', 'false', {
      brief: 'Resolved or clear.',
    }),
    resourceType: texts('Kind of the resources that the policy looks at.', 'file,agent', {
      vocabulary: 'resourceType',
      brief: '',
    }),
    policyId: texts('Id of the policy.', 'policy-anonymous-links', { brief: '' }),
  },
  windows: {
    scannedAt: { from: 'from', to: 'to', clock: 'upstream', description: 'scannedAt, when the scan ran' },
    updatedAt,
  },
  sorts: ['scannedAtDesc', 'scannedAtAsc', 'updatedAtAsc'],
  examples: [
    {
      description: 'Unresolved findings of high or critical severity',
      input: { isResolved: 'false', severity: 'high,critical' },
    },
    {
      description: 'Scans of one policy since a date, oldest first',
      input: {
        policyId: 'policy-anonymous-links',
        from: '2026-10-01T00:00:00Z',
        sort: 'scannedAtAsc',
      },
    },
  ],
});

export const getPolicyScan = get({
  name: 'get_policy_scan',
  path: '/policy-scans/{id}',
  scope: 'policy-scans:read',
  summary: 'One policy scan',
  description: 'One policy scan by its id, with policyId and automations.',
  toolDescription:
    'One policy check with its policyId and automations. Next: list_policy_scans with that policyId for its trend.',
  containsUntrustedText: true,
  exampleId: 'scan_717692a90c7f422f8080',
  record: policyScanDetail,
  examples: [],
});
