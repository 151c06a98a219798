import { z } from 'zod';
import { document } from '../operation/operation.ts';
import { nullableInstant, nullableText } from '../record/scalar.ts';

const points = (description: string) => z.number().nullable().meta({ description });
const percent = (description: string) => z.number().nullable().meta({ description });
const whole = (description: string) => z.int().min(0).nullable().meta({ description });

const control = z.object({
  id: z.string().meta({ description: 'Name of the control, as the vendor spells it.' }),
  title: nullableText('Title.'),
  category: nullableText('Category.'),
  service: nullableText('Product it belongs to.'),
  currentScore: points('Points reached.'),
  maxScore: points('Maximum points; null if the vendor reports no maximum.'),
  gap: points('Points missing.'),
  rank: z.int().nullable().meta({ description: 'Rank the vendor gives it.' }),
  tier: nullableText('Tier.'),
  userImpact: nullableText('What users notice.'),
  implementationCost: nullableText('Cost of implementation.'),
  threats: z.array(z.string()).meta({ description: 'Threats that it mitigates.' }),
  actionType: nullableText('Kind of action.'),
  actionUrl: nullableText('Where to implement it.'),
  remediation: nullableText('Remediation steps, as the vendor describes them.'),
  state: nullableText('Decision of the tenant, such as ignored or thirdParty.'),
  stateUpdatedAt: nullableInstant('When the decision last changed.'),
  deprecated: z.boolean().nullable().meta({ description: 'Whether the vendor deprecated it.' }),
});

const securityScore = z
  .object({
    asOf: nullableInstant('Time of the newest vendor score; null if no score was reported.'),
    vendor: z
      .object({ name: nullableText('Name.'), provider: nullableText('Product.') })
      .nullable()
      .meta({ description: 'The vendor of the score.' }),
    currentScore: points('Points, as reported by the vendor.'),
    maxScore: points('Maximum points.'),
    percent: percent('100 × current / max, truncated to one decimal.'),
    delta7d: percent('Change in percentage points over seven days; null if no score is that old.'),
    delta30d: percent('Change in percentage points over thirty days.'),
    licensedUserCount: whole('Licensed users, as counted by the vendor.'),
    activeUserCount: whole('Active users, as counted by the vendor.'),
    enabledServices: z.array(z.string()).meta({ description: 'Services that the score covers.' }),
    comparatives: z
      .array(
        z.object({
          basis: z.string().meta({ description: 'Group compared with.' }),
          averageScore: z.number().meta({ description: 'Average of the group in points, as reported by the vendor.' }),
        }),
      )
      .meta({ description: 'Comparison with other organizations.' }),
    categories: z
      .array(
        z.object({
          category: z.string().meta({ description: 'Category of controls.' }),
          currentScore: z.number().meta({ description: 'Sum over its controls.' }),
          maxScore: points('Sum over its controls; null if one of them has no maximum.'),
          percent: percent('100 × current / max, truncated to one decimal.'),
        }),
      )
      .meta({ description: 'Sums over controls.' }),
    controls: z.array(control).meta({ description: 'Largest gap first.' }),
    history: z
      .array(
        z.object({
          date: z.string().meta({ description: 'Day in UTC, YYYY-MM-DD.' }),
          currentScore: z.number().meta({ description: 'Last score of the day, in points.' }),
          maxScore: z.number().meta({ description: 'Maximum points.' }),
          percent: percent('100 × current / max, truncated to one decimal.'),
        }),
      )
      .max(90)
      .meta({ description: 'One score per day, oldest first, for at most 90 days.' }),
    service: z
      .object({
        catalogueVersion: z.string().meta({ description: 'Version of the catalogue.' }),
        evaluatorVersion: z.string().meta({ description: 'Version of the evaluation rules.' }),
        percent: z.int().min(0).max(100).nullable().meta({
          description: 'floor(100 × met / applicable) over the measured requirements of the compliance status.',
        }),
        percentWithoutExceptions: z
          .int()
          .min(0)
          .max(100)
          .nullable()
          .meta({ description: 'The same without exceptions.' }),
        byArea: z
          .array(
            z.object({
              area: z.string().meta({ description: 'Area.' }),
              met: z.int().min(0).meta({ description: 'Requirements met.' }),
              metWithExceptions: z.int().min(0).meta({ description: 'Of these, only because of exceptions.' }),
              atRisk: z.int().min(0).meta({ description: 'At risk.' }),
              notMet: z.int().min(0).meta({ description: 'Not met.' }),
              notEvaluated: z.int().min(0).meta({ description: 'Applicable and not evaluated.' }),
            }),
          )
          .meta({ description: 'By area.' }),
      })
      .meta({ description: "This service's own measurements; never added to the vendor's." }),
  })
  .meta({
    id: 'SecurityScore',
    description: "The vendor's security score, unchanged, and this service's own measurements.",
  });

export type SecurityScore = z.infer<typeof securityScore>;
export type ScoreControl = z.infer<typeof control>;

export const getSecurityScore = document({
  name: 'get_security_score',
  path: '/security-score',
  scope: 'evidence:read',
  tenant: 'required',
  returns: 'record',
  summary: 'Security score',
  description:
    "The vendor's security score, unchanged: controls ordered by gap, categories, comparison and history. This service's own measurements by area are separate and never added to it. Members are null or empty if no score was reported.",
  toolDescription:
    'Microsoft Secure Score: points, percent, change over 7 and 30 days, improvement actions by gap, comparison with others, history; and our own measured requirements by area.',
  containsUntrustedText: true,
  record: securityScore,
  examples: [{ description: 'Which improvements give the most points?', input: {} }],
});
