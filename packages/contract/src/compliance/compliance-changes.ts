import { z } from 'zod';
import { document } from '../operation/operation.ts';
import { choices, instant as instantParameter } from '../parameter/parameter.ts';
import { instant, nullableText } from '../record/scalar.ts';
import { snapshotReference } from './compliance-history.ts';
import { frameworkChanges } from './compliance-status.ts';
import { frameworkKeys } from './framework.ts';

const comparedStatus = z
  .object({
    takenAt: instant('When it was evaluated.'),
    snapshot: snapshotReference.nullable().meta({ description: 'null: evaluated for this response.' }),
    catalogueVersion: z.string().meta({ description: 'Version of the catalogue that was applied.' }),
    evaluatorVersion: nullableText('Version of the evaluation rules that were applied.'),
  })
  .meta({ id: 'ComparedStatus' });

const complianceComparison = z
  .object({
    before: comparedStatus.nullable().meta({ description: 'null if no snapshot was taken by from.' }),
    after: comparedStatus.nullable().meta({ description: 'null if no snapshot was taken by to.' }),
    frameworks: z.array(frameworkChanges).meta({ description: 'From before to after, which is called Now.' }),
    limitations: z.array(z.string()).meta({ description: 'What the comparison cannot show, in English.' }),
    limitationsPl: z.array(z.string()).meta({ description: 'The same in Polish.' }),
  })
  .meta({ id: 'ComplianceComparison', description: 'Two dates compared by what was stored of them.' });

export type ComplianceComparison = z.infer<typeof complianceComparison>;
export type ComparedStatusSource = z.infer<typeof comparedStatus>;

export const getComplianceChanges = document({
  name: 'get_compliance_changes',
  path: '/compliance/changes',
  scope: 'evidence:read',
  tenant: 'required',
  returns: 'record',
  summary: 'Compliance changes between two dates',
  description:
    'Per framework, requirements that improved, regressed, were evaluated for the first time or lost their evidence. Each date is represented by the newest snapshot at or before it; without to the present status is evaluated.',
  toolDescription:
    'What changed between two dates: readiness per framework, requirements improved, regressed, newly evaluated or without evidence. Uses the last snapshot at or before each date; without to, the present status.',
  containsUntrustedText: false,
  record: complianceComparison,
  parameters: {
    from: instantParameter('The earlier date. Default: the last snapshot before to.', '2026-10-01T00:00:00Z', {
      brief: 'Earlier date.',
    }),
    to: instantParameter('The later date. Default: now.', '2026-11-01T00:00:00Z', { brief: 'Later date.' }),
    framework: choices(frameworkKeys, 'Only these frameworks.', 'nis2', { brief: '' }),
  },
  examples: [{ description: 'NIS2 since the last snapshot', input: { framework: 'nis2' } }],
});
