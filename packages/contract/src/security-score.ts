import { z } from 'zod';
import { document } from './operation.ts';
import { nullableInstant, nullableText } from './scalar.ts';

const points = (description: string) => z.number().nullable().meta({ description });
const percent = (description: string) => z.number().nullable().meta({ description });
const whole = (description: string) => z.int().min(0).nullable().meta({ description });

const control = z.object({
  id: z.string().meta({ description: 'Name of the control, as the vendor spells it.' }),
  title: nullableText('Title.'),
  category: nullableText('Category.'),
  service: nullableText('Product it belongs to.'),
  currentScore: points('Points reached.'),
  maxScore: points('Points there are; null where the vendor says none.'),
  gap: points('Points missing.'),
  rank: z.int().nullable().meta({ description: 'Rank the vendor gives it.' }),
  tier: nullableText('Tier.'),
  userImpact: nullableText('What users notice.'),
  implementationCost: nullableText('Cost of doing it.'),
  threats: z.array(z.string()).meta({ description: 'What it helps against.' }),
  actionType: nullableText('Kind of action.'),
  actionUrl: nullableText('Where to do it.'),
  remediation: nullableText('How, in the words of the vendor.'),
  state: nullableText('What the tenant decided about it, such as ignored or thirdParty.'),
  stateUpdatedAt: nullableInstant('When.'),
  deprecated: z.boolean().nullable().meta({ description: 'Whether the vendor gave it up.' }),
});

export const securityScore = z
  .object({
    asOf: nullableInstant("Time of the newest vendor's score; null where none was ever told."),
    vendor: z
      .object({ name: nullableText('Name.'), provider: nullableText('Product.') })
      .nullable()
      .meta({ description: 'Whose score it is.' }),
    currentScore: points('Points, as the vendor gives them.'),
    maxScore: points('Points there are.'),
    percent: percent('100 × current / max, cut to one decimal.'),
    delta7d: percent('Points of percent against seven days before; null where no score is that old.'),
    delta30d: percent('Points of percent against thirty days before.'),
    licensedUserCount: whole('Licensed users, as the vendor counts them.'),
    activeUserCount: whole('Active users, as the vendor counts them.'),
    enabledServices: z.array(z.string()).meta({ description: 'Services the score speaks of.' }),
    comparatives: z
      .array(
        z.object({
          basis: z.string().meta({ description: 'Compared with whom.' }),
          averageScore: z.number().meta({ description: 'Their average, in points as the vendor gives it.' }),
        }),
      )
      .meta({ description: 'Others.' }),
    categories: z
      .array(
        z.object({
          category: z.string().meta({ description: 'Category of controls.' }),
          currentScore: z.number().meta({ description: 'Sum over its controls.' }),
          maxScore: points('Sum over its controls; null where one of them says none.'),
          percent: percent('100 × current / max, cut to one decimal.'),
        }),
      )
      .meta({ description: 'Sums over controls.' }),
    controls: z.array(control).meta({ description: 'Largest gap first.' }),
    history: z
      .array(
        z.object({
          date: z.string().meta({ description: 'Day in UTC, YYYY-MM-DD.' }),
          currentScore: z.number().meta({ description: 'Points, the last of the day.' }),
          maxScore: z.number().meta({ description: 'Points there were.' }),
          percent: percent('100 × current / max, cut to one decimal.'),
        }),
      )
      .max(90)
      .meta({ description: 'A score a day, oldest first, at most 90 days back.' }),
    service: z
      .object({
        percent: z.int().min(0).max(100).nullable().meta({
          description: 'floor(100 × met / applicable) over the measured requirements of the compliance status.',
        }),
        byArea: z
          .array(
            z.object({
              area: z.string().meta({ description: 'Area.' }),
              met: z.int().min(0).meta({ description: 'Requirements met.' }),
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
    description: "The vendor's security score, its numbers unchanged, and beside it what this service measures itself.",
  });

export type SecurityScore = z.infer<typeof securityScore>;
export type ScoreControl = z.infer<typeof control>;

export const getSecurityScore = document({
  name: 'get_security_score',
  path: '/security-score',
  scope: 'evidence:read',
  tenant: 'required',
  holds: 'one',
  summary: 'Security score',
  description:
    "The vendor's security score with its controls ordered by what is missing, categories, comparison and history, its numbers unchanged; beside it, never added, the service's own measurements by area. Members are null or empty where no score was ever told.",
  guidance:
    'Microsoft Secure Score: points, percent, change over 7 and 30 days, improvement actions by gap, comparison with others, history; beside it our own measured requirements by area.',
  textOfOthers: true,
  record: securityScore,
  examples: [{ words: 'Which improvements give the most points?', input: {} }],
});
