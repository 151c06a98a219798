import { z } from 'zod';
import { relatedList } from '../operation/operation.ts';
import { choices } from '../parameter/parameter.ts';
import { instant, nullableInstant, nullableText } from '../record/scalar.ts';

const findingStates = ['failing', 'unknown', 'excepted'] as const;

/** What a finding can be about: an entity, a row of a feed, or a record about the tenant. */
const subjectTypes = [
  'user',
  'agent',
  'app',
  'file',
  'group',
  'site',
  'device',
  'sensitiveInfoType',
  'log',
  'detection',
  'securityAlert',
  'notification',
  'action',
  'policy',
  'detector',
  'permissionGrant',
  'instructionChange',
  'workload',
  'outage',
] as const;
export type SubjectType = (typeof subjectTypes)[number];

const finding = z
  .object({
    subjectType: z.enum(subjectTypes).meta({
      description: 'What the subject is. Entities, logs, detections and securityAlerts can be read by their id.',
    }),
    subjectId: z.string().meta({ description: 'Its id.' }),
    subjectName: nullableText('Its name; null if it has no name.'),
    state: z.enum(findingStates).meta({
      description:
        'failing; unknown (its source did not report what the requirement needs); or excepted (it fails or is unknown, and an exception is in force).',
    }),
    reason: z.string().meta({ description: 'Code of why, such as mfa_not_registered; not_reported if unknown.' }),
    since: nullableInstant('Since when, as far as the facts report it; null if they do not.'),
    count: z.int().min(1).meta({
      description:
        'How many units of the metric it accounts for: 1, or the number of its licenses or of its failed items.',
    }),
    detail: z.record(z.string(), z.string()).meta({ description: 'The facts behind it, by name.' }),
    exception: z
      .object({
        id: z.string().meta({ description: 'Its id.' }),
        approvedBy: z.string().meta({ description: 'Who approved it.' }),
        validUntil: instant('From this time on the subject counts again.'),
        reason: z.string().meta({ description: 'Why the subject is excepted.' }),
      })
      .nullable()
      .meta({ description: 'The exception that covers it; null unless excepted.' }),
  })
  .meta({
    id: 'ComplianceFinding',
    description: 'A subject for which a requirement fails or cannot be evaluated.',
  });

export type ComplianceFinding = z.infer<typeof finding>;

export const listComplianceFindings = relatedList({
  name: 'list_compliance_findings',
  path: '/compliance/requirements/{id}/findings',
  scope: 'evidence:read',
  summary: 'Findings of a requirement',
  description:
    'Every subject for which a measured requirement fails or is unknown, in the order of subjects; those that an exception covers are excepted. id is the key of the requirement. ' +
    'The counts add up to the metrics of /compliance/status for the same instant, which is pagination.evaluatedAt and the same for every page: failing, unknown and excepted are counted as the rule counts them. ' +
    'Ages, percentiles and ranges have no subjects, and neither have attested requirements: their list is empty. It is empty too while the requirement does not apply or a source is missing or stale; pagination.note then contains the reason.',
  toolDescription:
    'Who and what fails a requirement: the accounts, agents, files, alerts behind a number of get_compliance_status. id: key of the requirement. Next: the get tool of the subject.',
  containsUntrustedText: true,
  record: finding,
  representations: ['csv'],
  orderedBy: 'subjectId',
  exampleId: 'iam.mfa.members',
  filters: {
    state: choices(findingStates, 'Only findings in these states.', 'failing', { brief: '' }),
  },
  examples: [{ description: 'Members without a second factor', input: { state: 'failing' } }],
});

/** The path of a requirement's findings below the base address, of all or of one state. */
export const findingsPath = (requirementKey: string, state?: ComplianceFinding['state']): string =>
  `${listComplianceFindings.path.replace('{id}', requirementKey)}${state === undefined ? '' : `?state=${state}`}`;
