import { subjectSql } from '../findings/subject-name.ts';
import type { Relation, Rule } from '../metrics/relation.ts';
import type { SubjectQuery } from './read-exceptions.ts';

/** An exception that is in force. */
export interface Covering {
  readonly subjectIds: readonly string[] | null;
  readonly query: SubjectQuery | null;
}

/** Binds a value of a statement; returns its placeholder. */
export type Bind = (value: unknown) => string;

/**
 * SQL for the index of the first exception that covers the subject of a row; null where none does. What exceptions compare is a row of its own (`offset 0`), or the name of a subject
 * would be looked up for each exception.
 */
export function coveringIndex(relation: Relation, rule: Rule, coverings: readonly Covering[], bind: Bind): string {
  if (coverings.length === 0) return 'null::int';
  const compared = new Map<string, string>();
  const compare = (sql: string): string => {
    const column = compared.get(sql) ?? `compared_${compared.size}`;
    compared.set(sql, column);
    return `s.${column}`;
  };
  const cases = coverings.map((one, index) => `when ${covers(relation, rule, one, { bind, compare })} then ${index}`);
  const columns = [...compared].map(([sql, column]) => `${sql} as ${column}`);
  if (columns.length === 0) return 'null::int';
  return `(select case ${cases.join(' ')} end from (select ${columns.join(', ')} offset 0) s)::int`;
}

/** The ids of all subjects that exceptions can cover; null where one selects by a query. */
export const listCoveredIds = (coverings: readonly Covering[]): readonly string[] | null =>
  coverings.every(({ subjectIds }) => subjectIds !== null)
    ? coverings.flatMap(({ subjectIds }) => subjectIds ?? [])
    : null;

interface Comparison {
  readonly bind: Bind;
  /** A column with the value of an expression over the row. */
  readonly compare: (sql: string) => string;
}

function covers(
  { subject }: Relation,
  rule: Rule,
  { subjectIds, query }: Covering,
  { bind, compare }: Comparison,
): string {
  const { type, id, name } = subjectSql(subject);
  // Ids are compared as they are: of some providers they differ by case alone.
  if (subjectIds !== null) return `${compare(id)} = any (${bind(subjectIds)}::text[])`;
  if (query === null) return 'false';
  const matches = (sql: string, pattern: string) => `${compare(sql)} ilike ${bind(toLikePattern(pattern))}::text`;
  const conditions = [
    ...(query.subjectType == null ? [] : [`${compare(type)} = ${bind(query.subjectType)}::text`]),
    ...(query.subjectName == null ? [] : [matches(`(${name})`, query.subjectName)]),
    ...Object.entries(query.detail ?? {}).map(([member, pattern]) => {
      const sql = rule.detail && Object.hasOwn(rule.detail, member) ? rule.detail[member] : undefined;
      return sql === undefined ? 'false' : matches(detailText(sql), pattern);
    }),
  ];
  // A query without members covers nothing.
  return conditions.length === 0 ? 'false' : conditions.map((one) => `(${one})`).join(' and ');
}

/** A member of a finding's detail, as it is served. */
export const detailText = (sql: string): string => `left((${sql})::text, 1024)`;

/** An asterisk matches any text; what LIKE reads in another way stands for itself. */
const toLikePattern = (pattern: string): string => pattern.replace(/[\\%_]/g, '\\$&').replaceAll('*', '%');
