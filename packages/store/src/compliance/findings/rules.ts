import type { Relation, Rule } from '../metrics/relation.ts';
import { relations } from '../metrics/relations.ts';

const rules: ReadonlyMap<string, { readonly relation: Relation; readonly rule: Rule }> = new Map(
  relations.flatMap((relation) =>
    Object.entries(relation.rules).map(([key, rule]) => [key, { relation, rule }] as const),
  ),
);

/** The rule of a requirement and the relation it counts; null where it counts no subjects. */
export const findRule = (requirementKey: string) => rules.get(requirementKey) ?? null;

/** Keys of the requirements whose subjects are accounts of persons. */
export const requirementsAboutAccounts: readonly string[] = [...rules].flatMap(([key, { relation }]) =>
  relation.subject.type === 'user' ? [key] : [],
);

/** Keys of the requirements whose metrics count subjects. */
export const requirementsWithSubjects: readonly string[] = [...rules.keys()];

/** Those about events that must not happen: their subjects are no part of the population, and only the faulty ones are known. */
export const requirementsAboutEvents: readonly string[] = [...rules].flatMap(([key, { rule }]) =>
  rule.population[0] === null ? [key] : [],
);
