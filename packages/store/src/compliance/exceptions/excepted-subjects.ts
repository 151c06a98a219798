import type pg from 'pg';
import { findRule } from '../findings/rules.ts';
import { subjectConditions } from '../findings/subject-conditions.ts';
import type { MetricsQuery } from '../metrics/figures.ts';
import { allowMetricsMemory, queryRelation, type Relation, readValues, relationFrom } from '../metrics/relation.ts';
import { type Covering, coveringIndex, listCoveredIds } from './covering.ts';

/** Subjects of a requirement that fail or are unknown and are covered by an exception, in units of its metrics. */
export interface ExceptedSubjects {
  readonly failing: number;
  readonly unknown: number;
  /** By the index of the exception. A subject that several cover counts for the first. */
  readonly byException: readonly number[];
}

const none: ExceptedSubjects = { failing: 0, unknown: 0, byException: [] };

/** Reading an event takes 10 µs. Without a bound an exception of such a requirement took all the time of a document, and each document of the tenant failed. */
const eventsMax = 500_000;

/** Counts them in one statement over the rule's relation. Without exceptions or subjects nothing is read. Null: too many events would have to be read one by one for a query. */
export async function readExceptedSubjects(
  client: pg.ClientBase,
  query: MetricsQuery,
  requirementKey: string,
  coverings: readonly Covering[],
): Promise<ExceptedSubjects | null> {
  const found = findRule(requirementKey);
  if (found === null || coverings.length === 0) return none;
  const { relation, rule } = found;
  await allowMetricsMemory(client);
  const values = [...(await readValues(relation, client, query))];
  // Events that are named by id are few, whatever the tenant has.
  const ids = typeof relation.from === 'string' ? null : listCoveredIds(coverings);
  if (ids === null && (await countEvents(relation, client, values)) > eventsMax) return null;
  const { population, isAffected, isUnknown, units } = subjectConditions(rule, values.length);
  const bind = (value: unknown) => `$${values.push(value)}`;
  const covering = coveringIndex(relation, rule, coverings, bind);
  const selection = ids === null ? {} : { ids: `${bind(ids)}::text[]` };
  const { rows } = await queryRelation<{ covering: number; is_unknown: boolean; units: number }>(
    relation,
    client,
    `${relation.with}
     select covering, is_unknown, sum(units)::float8 as units
       from (select ${covering} as covering, (${isUnknown}) as is_unknown, (${units})::float8 as units
               from ${relationFrom(relation, selection)}
              where ${[...population, isAffected].map((one) => `(${one})`).join(' and ')}) affected
      where covering is not null
      group by covering, is_unknown`,
    values,
  );
  const sum = (is: (row: (typeof rows)[number]) => boolean) =>
    rows.filter(is).reduce((total, row) => total + row.units, 0);
  return {
    failing: sum((row) => !row.is_unknown),
    unknown: sum((row) => row.is_unknown),
    byException: coverings.map((_, index) => sum((row) => row.covering === index)),
  };
}

async function countEvents(
  { eventCount }: Relation,
  client: pg.ClientBase,
  values: readonly unknown[],
): Promise<number> {
  if (eventCount === undefined) return 0;
  const { rows } = await client.query<{ events: number }>(`select coalesce((${eventCount}), 0)::float8 as events`, [
    ...values,
  ]);
  return rows[0]?.events ?? 0;
}
