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
  /** For percentages: the computed expression. Otherwise: a description of the primary metric. */
  expression: z.string(),
  guards: z.array(guard),
  /** The metric whose 0 means an empty population; without it the expression's denominator. */
  population: metricName.optional(),
  emptyPopulation: z.enum(['not_applicable', 'no_data', 'met', 'not_met']),
  /** Older sources count as missing. Null: the age itself is measured. */
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

/** When a requirement does not apply without an attestation; `when` describes it. */
const notApplicable = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('unlicensed'), when: z.string(), source: z.string() }),
  z.strictObject({
    kind: z.literal('tenantFact'),
    when: z.string(),
    key: z.string(),
    value: z.boolean(),
    /** Key of the attestation that must confirm the fact. */
    attested: z.string().optional(),
  }),
  z.strictObject({ kind: z.literal('metric'), when: z.string(), metric: metricName, value: z.number() }),
]);

/**
 * The feeds of the log that a rule needs, by provider: every list is needed, and names the routes by which the same events may arrive. Only the
 * providers that a tenant is connected to count, and at least one must be.
 */
const routes = z.array(z.string().startsWith('logs/')).min(1);
const neededFeeds = z.partialRecord(z.enum(['microsoft', 'google', 'okta']), z.array(routes).min(1));

const described = {
  /** Never reused for another meaning. */
  key: z.string().regex(/^[a-z0-9_]+(\.[a-z0-9_]+)+$/),
  area: z.string(),
  title: z.string(),
  titlePl: z.string(),
  whatIsMeasured: z.string(),
  whatIsMeasuredPl: z.string(),
  sources: z.array(z.string()),
  /** Trailing days that count; null for the present state. */
  windowDays: z.number().int().positive().nullable(),
  /** Name and meaning of every metric. */
  metricsJson: z.record(metricName, z.string()),
  notApplicable: notApplicable.optional(),
  /** Ids of articles in frameworks.json. */
  articles: z.array(z.string()).min(1),
  evidenceSections: z.array(z.string()),
  /** Used only to order gaps. */
  weight: z.union([z.literal(1), z.literal(2)]),
};

const measured = z.strictObject({ ...described, kind: z.literal('measured'), feeds: neededFeeds.optional(), rule });
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
export type NeededFeeds = z.infer<typeof neededFeeds>;
export type Guard = z.infer<typeof guard>;
export type NotApplicable = z.infer<typeof notApplicable>;

const read = requirements.parse(file);

/** The edition of requirements, thresholds and articles that produced a document. */
/** When it changes: ADR 0029. */
export const catalogueVersion = read.catalogueVersion;

/** All requirements, in the order of the catalogue. */
export const requirementCatalogue: readonly Requirement[] = read.requirements;

/** Days that an attestation of a requirement is valid at most. Throws for a key that no attested requirement has. */
export function readValidityDays(key: string): number {
  const found = requirementCatalogue.find((one) => one.key === key);
  if (found?.kind !== 'attested') throw new TypeError(`${key} is not an attested requirement`);
  return found.attestation.defaultValidityDays;
}
