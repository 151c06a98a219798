import { z } from 'zod';
import { orderedList } from '../operation/operation.ts';
import { choices, texts } from '../parameter/parameter.ts';
import { instant, nullableInstant, nullableText } from '../record/scalar.ts';
import { evidenceRefs } from './compliance-status.ts';

const exceptionStates = ['in_force', 'not_yet_in_force', 'expired', 'withdrawn'] as const;

const text = (description: string) => z.string().meta({ description });

const exception = z
  .object({
    id: text('Its id.'),
    requirementKey: text('The measured requirement.'),
    state: z.enum(exceptionStates).meta({ description: 'Whether it counts at pagination.evaluatedAt.' }),
    subjectIds: z.array(z.string()).max(1_000).nullable().meta({ description: 'Its subjects, or null: see query.' }),
    query: z
      .object({
        subjectType: nullableText('Type of its subjects.'),
        subjectName: nullableText('Pattern of their name; * is any text.'),
        detail: z
          .record(z.string(), z.string())
          .nullable()
          .meta({ description: 'Patterns of detail of their findings.' }),
      })
      .nullable()
      .meta({ description: 'Selects its subjects, later ones included; null if it names them.' }),
    reason: text('Why they are excepted.'),
    approvedBy: text('Who approved it.'),
    validFrom: instant('Since when it counts.'),
    validUntil: instant('From this time on its subjects count again.'),
    evidenceRefs,
    recordedBy: text('Who wrote this state, as in the audit log.'),
    recordedAt: instant('When this state was written.'),
    withdrawnAt: nullableInstant('When it was withdrawn.'),
    withdrawnBy: nullableText('Who withdrew it.'),
    withdrawalReason: nullableText('Why it was withdrawn.'),
    findingsUrl: nullableText(
      'Where the findings that it covers are listed; null if the requirement is not in the catalogue.',
    ),
  })
  .meta({ id: 'ComplianceException', description: 'An approved deviation from a measured requirement.' });

export type ComplianceException = z.infer<typeof exception>;

export const listComplianceExceptions = orderedList({
  name: 'list_compliance_exceptions',
  path: '/compliance/exceptions',
  scope: 'evidence:read',
  summary: 'Exceptions',
  description:
    'Approved exceptions from measured requirements, by id, each in its latest state; expired and withdrawn ones stay listed. A page ends before limit at 8 MiB.',
  toolDescription:
    'Approved exceptions from measured requirements: who approved what, why, for which subjects, until when; expired and withdrawn ones too. Next: list_compliance_findings with state=excepted.',
  containsUntrustedText: true,
  record: exception,
  representations: ['csv'],
  orderedBy: 'id',
  filters: {
    state: choices(exceptionStates, 'Only exceptions in these states.', 'in_force', { brief: '' }),
    requirement: texts('Only exceptions from these requirements.', 'iam.mfa.members', { brief: '' }),
  },
  examples: [{ description: 'Exceptions in force', input: { state: 'in_force' } }],
});
