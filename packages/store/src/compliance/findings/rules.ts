import type { Relation, Rule } from '../metrics/relation.ts';
import { relations } from '../metrics/relations.ts';

const rules: ReadonlyMap<string, { readonly relation: Relation; readonly rule: Rule }> = new Map(
  relations.flatMap((relation) =>
    Object.entries(relation.rules).map(([key, rule]) => [key, { relation, rule }] as const),
  ),
);

/** The rule of a requirement and the relation it counts; null where it counts no subjects. */
export const findRule = (requirementKey: string) => rules.get(requirementKey) ?? null;

/** Keys of the requirements whose metrics count subjects. */
export const requirementsWithSubjects: readonly string[] = [...rules.keys()];

/** Those whose population is counted in subjects too; of the others only the faulty rows are known. */
export const requirementsWithPopulation: readonly string[] = [...rules].flatMap(([key, { rule }]) =>
  rule.population[0] === null ? [] : [key],
);
