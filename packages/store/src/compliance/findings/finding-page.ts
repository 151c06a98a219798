import type { SubjectType } from '@tenantscope/contract';
import type pg from 'pg';
import { type Covering, coveringIndex, detailText, listCoveredIds } from '../exceptions/covering.ts';
import type { MetricsQuery } from '../metrics/figures.ts';
import { queryRelation, type Relation, type Rule, readValues, relationFrom } from '../metrics/relation.ts';
import { findRule } from './rules.ts';
import { type SubjectConditions, subjectConditions } from './subject-conditions.ts';
import { subjectSql } from './subject-name.ts';

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
  /** Of an excepted subject: the index of the first exception that covers it. */
  readonly covering: number | null;
}

/** The values that order a row. */
export type FindingPosition = readonly string[];

export interface FindingPageQuery extends MetricsQuery {
  readonly requirementKey: string;
  /** Null: all. */
  readonly states: readonly FindingState[] | null;
  /** Exceptions of the requirement that are in force. */
  readonly coverings: readonly Covering[];
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
  readonly covering: number | null;
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
  const { rows } = await queryRelation<Row>(found.relation, client, statement, values);
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
  state: row.covering !== null ? 'excepted' : row.is_unknown ? 'unknown' : 'failing',
  reason: row.is_unknown ? 'not_reported' : rule.reason,
  sinceMs: row.since_ms,
  count: row.units,
  detail: row.detail,
  covering: row.covering,
});

/** Adds its own values to those of the relation. Null: no row can match. */
function findingsStatement(
  relation: Relation,
  rule: Rule,
  { states, coverings, after, limit }: FindingPageQuery,
  values: unknown[],
): string | null {
  const conditions = subjectConditions(rule, values.length);
  const bind = (value: unknown) => `$${values.push(value)}`;
  const covering = coverings.length === 0 ? null : coveringIndex(relation, rule, coverings, bind);
  const inStates = selectStates(conditions, covering, states);
  if (inStates === null) return null;
  const { with: ctes, subject } = relation;
  const order = subject.order ?? [{ sql: subject.id, type: 'text' as const }];
  const keys = order.map(({ sql, type }) => (type === 'text' ? `(${sql}) collate "C"` : sql));
  const position = order.map(({ type }, index) => (after === null ? '' : `${bind(after[index] ?? '')}::${type}`));
  // Without the ids a page would read events until it has enough that an exception covers.
  const isExceptedOnly = typeof relation.from !== 'string' && states?.every((state) => state === 'excepted');
  const ids = isExceptedOnly ? listCoveredIds(coverings) : null;
  const selection = {
    ...(after === null ? {} : { after: position }),
    ...(ids === null ? {} : { ids: `${bind(ids)}::text[]` }),
  };
  const where = [
    ...conditions.population,
    conditions.isAffected,
    inStates,
    ...(after === null ? [] : [`(${keys.join(', ')}) > (${position.join(', ')})`]),
  ];
  const { type, id, name } = subjectSql(subject);
  return `${ctes}
    select ${type} as subject_type, ${id} as subject_id, ${name} as subject_name,
           (${conditions.isUnknown}) as is_unknown, ${covering ?? 'null::int'} as covering,
           ${rule.since ? `floor(extract(epoch from ${rule.since}) * 1000)::float8` : 'null::float8'} as since_ms,
           (${conditions.units})::float8 as units,
           ${detailObject(rule)} as detail,
           array[${order.map(({ sql }) => `(${sql})::text`).join(', ')}] as position
      from ${relationFrom(relation, selection)}
     where ${where.map((condition) => `(${condition})`).join(' and ')}
     order by ${[...(subject.presorted ? [subject.presorted] : []), ...keys].join(', ')}
     limit ${bind(limit + 1)}`;
}

/** SQL for affected rows of the requested states; null where there can be none. */
function selectStates(
  { isFailing, isUnknown }: SubjectConditions,
  covering: string | null,
  states: readonly FindingState[] | null,
): string | null {
  if (states === null) return 'true';
  const isUncovered = covering === null ? 'true' : `${covering} is null`;
  const alternatives: Readonly<Record<FindingState, string | null>> = {
    failing: `(${isFailing}) and ${isUncovered}`,
    unknown: isUnknown === 'false' ? null : `(${isUnknown}) and ${isUncovered}`,
    excepted: covering === null ? null : `${covering} is not null`,
  };
  const requested = states.map((state) => alternatives[state]).filter((one) => one !== null);
  return requested.length === 0 ? null : requested.map((one) => `(${one})`).join(' or ');
}

const detailObject = ({ detail }: Rule): string =>
  detail === undefined
    ? `'{}'::jsonb`
    : `jsonb_strip_nulls(jsonb_build_object(${Object.entries(detail)
        .map(([name, sql]) => `'${name}', ${detailText(sql)}`)
        .join(', ')}))`;
