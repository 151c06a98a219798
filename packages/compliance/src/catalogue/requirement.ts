import { z } from 'zod';
import file from '../../data/requirements.json' with { type: 'json' };

const metricName = z.string().regex(/^[a-z][A-Za-z0-9]*$/);
const bounds = z.tuple([z.number(), z.number()]);

const condition = z.strictObject({
  metric: metricName,
  op: z.enum(['>', '=', '<']),
  value: z.number(),
});

const guard = condition.extend({
  and: condition.optional(),
  effect: z.enum(['cap_at_risk', 'force_not_met', 'lift_to_at_risk']),
  meaning: z.string(),
});

const common = {
  primaryMetric: metricName,
  /** Of percents: what is computed. Of anything else: what the primary metric is, in words. */
  expression: z.string(),
  guards: z.array(guard),
  /** The metric whose 0 means that there is nothing to judge; without it the expression's denominator. */
  population: metricName.optional(),
  emptyPopulation: z.enum(['not_applicable', 'no_data', 'met', 'not_met']),
  /** Older sources are no data. Null: age is what is measured. */
  maxSourceAgeHours: z.number().positive().nullable(),
};

const rule = z.discriminatedUnion('direction', [
  z.strictObject({
    ...common,
    unit: z.enum(['percent', 'count', 'hours', 'minutes', 'days']),
    direction: z.enum(['higher', 'lower']),
    met: z.number(),
    atRisk: z.number().nullable(),
  }),
  z.strictObject({
    ...common,
    unit: z.enum(['count']),
    direction: z.literal('range'),
    met: bounds,
    atRisk: bounds.nullable(),
  }),
]);

/** When a requirement does not apply although nobody attested so; `when` says it in words. */
const notApplicable = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('unlicensed'), when: z.string(), source: z.string() }),
  z.strictObject({
    kind: z.literal('tenantFact'),
    when: z.string(),
    key: z.string(),
    value: z.boolean(),
    /** Key of the attestation that has to back the fact. */
    attested: z.string().optional(),
  }),
  z.strictObject({ kind: z.literal('metric'), when: z.string(), metric: metricName, value: z.number() }),
]);

const described = {
  /** Never used again for another meaning. */
  key: z.string().regex(/^[a-z0-9_]+(\.[a-z0-9_]+)+$/),
  area: z.string(),
  title: z.string(),
  titlePl: z.string(),
  whatIsMeasured: z.string(),
  sources: z.array(z.string()),
  /** Trailing days that count; null where it is the present state. */
  windowDays: z.number().int().positive().nullable(),
  /** Name and meaning of every metric. */
  metricsJson: z.record(metricName, z.string()),
  notApplicable: notApplicable.optional(),
  /** Ids of articles in frameworks.json. */
  articles: z.array(z.string()).min(1),
  evidenceSections: z.array(z.string()),
  /** Orders gaps, nothing else. */
  weight: z.union([z.literal(1), z.literal(2)]),
};

const measured = z.strictObject({ ...described, kind: z.literal('measured'), rule });
const attested = z.strictObject({
  ...described,
  kind: z.literal('attested'),
  attestation: z.strictObject({ defaultValidityDays: z.number().int().positive() }),
});

const requirements = z.strictObject({
  catalogueVersion: z.string(),
  requirements: z.array(z.discriminatedUnion('kind', [measured, attested])),
});

export type MeasuredRequirement = z.infer<typeof measured>;
export type AttestedRequirement = z.infer<typeof attested>;
export type Requirement = MeasuredRequirement | AttestedRequirement;
export type Rule = MeasuredRequirement['rule'];
export type Guard = z.infer<typeof guard>;
export type NotApplicable = z.infer<typeof notApplicable>;

const read = requirements.parse(file);

/** Which edition of requirements, thresholds and articles a document was made by. */
export const catalogueVersion = read.catalogueVersion;

/** What an organization does or measures, in the order of the catalogue. */
export const requirementCatalogue: readonly Requirement[] = read.requirements;
