import type { Rule } from '../metrics/relation.ts';

/** Conditions over a row of a rule's relation, as SQL. */
export interface SubjectConditions {
  /** Whether it belongs to the population. All must hold. */
  readonly population: readonly string[];
  readonly isUnknown: string;
  readonly isFailing: string;
  /** Whether it fails or is unknown, and stands for a unit of the metric at least. */
  readonly isAffected: string;
  /** Units of the metric that it accounts for. */
  readonly units: string;
}

/** @param valueCount the number of values of the relation's statement */
export function subjectConditions(rule: Rule, valueCount: number): SubjectConditions {
  const { population, good, bad, reported, units, badUnits } = rule;
  const isBad = good ? `(${good[1]}) is not true` : `(${bad?.[1] ?? 'false'}) is true`;
  const isFailing = reported === undefined ? isBad : `(${reported}) is true and ${isBad}`;
  const isUnknown = reported === undefined ? 'false' : `(${reported}) is not true`;
  const counted = badUnits ?? units;
  const affected = `(${isFailing}) or (${isUnknown})`;
  return {
    // The second value is a time: its type is named where the rule itself does not use it.
    population: [...(valueCount > 1 ? ['$2::timestamptz is not null'] : []), population[1]],
    isUnknown,
    isFailing,
    isAffected: counted === undefined ? affected : `(${affected}) and (${counted}) > 0`,
    units: counted ?? '1',
  };
}
