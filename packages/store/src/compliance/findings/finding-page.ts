import type { SubjectType } from '@tenantscope/contract';
import type pg from 'pg';
import type { MetricsQuery } from '../metrics/figures.ts';
import { type Relation, type Rule, readValues, type Subject } from '../metrics/relation.ts';
import { findRule } from './rules.ts';
import { subjectName, subjectNameByType } from './subject-name.ts';

export type FindingState = 'failing' | 'unknown' | 'excepted';

export interface Finding {
  readonly subjectType: SubjectType;
  readonly subjectId: string;
  readonly subjectName: string | null;
  readonly state: FindingState;
  readonly reason: string;
  /** Epoch ms. */
  readonly sinceMs: number | null;
  readonly count: number;
  readonly detail: Readonly<Record<string, string>>;
}

/** The values that order a row. */
export type FindingPosition = readonly string[];

export interface FindingPageQuery extends MetricsQuery {
  readonly requirementKey: string;
  /** Null: all. */
  readonly states: readonly FindingState[] | null;
  readonly after: FindingPosition | null;
  readonly limit: number;
}

export interface FindingPage {
  readonly findings: readonly Finding[];
  readonly hasMore: boolean;
  /** Of the last finding; null on an empty page. */
  readonly last: FindingPosition | null;
}

interface Row {
  readonly subject_type: SubjectType;
  readonly subject_id: string;
  readonly subject_name: string | null;
  readonly is_unknown: boolean;
  readonly since_ms: number | null;
  readonly units: number;
  readonly detail: Readonly<Record<string, string>>;
  readonly position: FindingPosition;
}

const emptyPage: FindingPage = { findings: [], hasMore: false, last: null };

/**
 * One page of the subjects for which a rule fails or is unknown. Empty for a requirement without subjects. The client is in a transaction
 * with the tenant set, see `withReadSnapshot`.
 */
export async function readFindingPage(client: pg.ClientBase, query: FindingPageQuery): Promise<FindingPage> {
  const found = findRule(query.requirementKey);
  if (found === null) return emptyPage;
  const { relation, rule } = found;
  const values = [...(await readValues(relation, client, query))];
  const statement = findingsStatement(relation, rule, query, values);
  if (statement === null) return emptyPage;
  const { rows } = await client.query<Row>(statement, values);
  const page = rows.slice(0, query.limit);
  return {
    findings: page.map((row) => toFinding(row, rule)),
    hasMore: rows.length > page.length,
    last: page.at(-1)?.position ?? null,
  };
}

const toFinding = (row: Row, rule: Rule): Finding => ({
  subjectType: row.subject_type,
  subjectId: row.subject_id,
  subjectName: row.subject_name,
  state: row.is_unknown ? 'unknown' : 'failing',
  reason: row.is_unknown ? 'not_reported' : rule.reason,
  sinceMs: row.since_ms,
  count: row.units,
  detail: row.detail,
});

/** Adds its own values to those of the relation. Null: no row can match. */
function findingsStatement(
  { with: ctes, from, subject }: Relation,
  rule: Rule,
  { states, after, limit }: FindingPageQuery,
  values: unknown[],
): string | null {
  const bind = (value: unknown) => `$${values.push(value)}`;
  const isTyped = values.length > 1;
  const inStates = selectStates(rule, states);
  if (inStates === null) return null;
  const order = subject.order ?? [{ sql: subject.id, type: 'text' as const }];
  const keys = order.map(({ sql, type }) => (type === 'text' ? `(${sql}) collate "C"` : sql));
  const conditions = [
    // Names the type of a value that the rule itself may not use.
    ...(isTyped ? ['$2::timestamptz is not null'] : []),
    rule.population[1],
    inStates,
    ...(after === null
      ? []
      : [
          `(${keys.join(', ')}) > (${order.map(({ type }, index) => `${bind(after[index] ?? '')}::${type}`).join(', ')})`,
        ]),
  ];
  return `${ctes}
    select ${selectSubject(subject)},
           (${isUnknown(rule)}) as is_unknown,
           ${rule.since ? `floor(extract(epoch from ${rule.since}) * 1000)::float8` : 'null::float8'} as since_ms,
           (${rule.badUnits ?? rule.units ?? '1'})::float8 as units,
           ${detailObject(rule)} as detail,
           array[${order.map(({ sql }) => `(${sql})::text`).join(', ')}] as position
      from ${from}
     where ${conditions.map((condition) => `(${condition})`).join(' and ')}
     order by ${keys.join(', ')}
     limit ${bind(limit + 1)}`;
}

function selectSubject({ type, id, name }: Subject): string {
  const typeSql = typeof type === 'string' ? `'${type}'::text` : type.sql;
  const found = typeof type === 'string' ? subjectName(type, id) : subjectNameByType(type.sql, type.among, id);
  return `${typeSql} as subject_type, (${id})::text as subject_id, ${name ?? found} as subject_name`;
}

const isUnknown = ({ reported }: Rule): string => (reported === undefined ? 'false' : `(${reported}) is not true`);

/** SQL for rows that are bad or unknown, and of the requested states. */
function selectStates(
  { good, bad, reported, units, badUnits }: Rule,
  states: readonly FindingState[] | null,
): string | null {
  const wants = (state: FindingState) => states === null || states.includes(state);
  const isBad = good ? `(${good[1]}) is not true` : `(${bad?.[1] ?? 'false'}) is true`;
  const alternatives = [
    ...(wants('failing') ? [reported === undefined ? isBad : `(${reported}) is true and ${isBad}`] : []),
    ...(wants('unknown') && reported !== undefined ? [`(${reported}) is not true`] : []),
  ];
  if (alternatives.length === 0) return null;
  const counted = badUnits ?? units;
  const any = `(${alternatives.map((one) => `(${one})`).join(' or ')})`;
  return counted === undefined ? any : `${any} and (${counted}) > 0`;
}

const detailObject = ({ detail }: Rule): string =>
  detail === undefined
    ? `'{}'::jsonb`
    : `jsonb_strip_nulls(jsonb_build_object(${Object.entries(detail)
        .map(([name, sql]) => `'${name}', left((${sql})::text, 1024)`)
        .join(', ')}))`;
