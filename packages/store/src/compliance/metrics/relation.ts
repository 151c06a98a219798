import type { SubjectType } from '@tenantscope/contract';
import type pg from 'pg';
import { countReported, countRows, type MetricsQuery, type MetricsReader, readFigures, toIsoTime } from './figures.ts';
import { withoutNestedLoops } from './nested-loops.ts';

/**
 * What a rule counts: the one declaration from which both its metrics and its findings are read. Conditions are SQL over a row of the
 * relation and may be null, which is false.
 */
export interface Rule {
  /** The metric of the population, where the rows are counted, and which rows belong to it. */
  readonly population: readonly [metric: string | null, condition: string];
  /** Which rows of the population are in order, and the metric that counts them. Either this or `bad`. */
  readonly good?: readonly [metric: string, condition: string];
  /** Which rows are not; the metric may be a difference of two others. */
  readonly bad?: readonly [metric: string | null, condition: string];
  /**
   * Whether all was reported that decides whether a row belongs to the population and is in order. Other rows are unknown: they
   * belong to the population, are never good and always bad, and the metric `unknown` counts them, so that the evaluation can take them as both.
   */
  readonly reported?: string;
  /** Units of the metric that a row stands for; 1 by default. Rows of 0 units are no findings. */
  readonly units?: string;
  /** Units of a row that are bad, where its good and bad units are counted apart. */
  readonly badUnits?: string;
  /** Further metrics, and those that are counted in another way, as aggregates. */
  readonly figures?: Readonly<Record<string, string>>;
  /** Code of why a row is bad. */
  readonly reason: string;
  /** Since when it is, a timestamptz. */
  readonly since?: string;
  /** The facts behind it, as texts. */
  readonly detail?: Readonly<Record<string, string>>;
}

/** Columns of the relation that name a row's subject, qualified: they are read inside of subqueries. */
export interface Subject {
  readonly type: SubjectType | { readonly sql: string; readonly among: readonly SubjectType[] };
  readonly id: string;
  /** Default: the name of the entity with this id. */
  readonly name?: string;
  /** What orders the rows and is unique among them. Default: the id. */
  readonly order?: readonly { readonly sql: string; readonly type: 'text' | 'timestamptz' | 'uuid' }[];
  /** What ascends with the order and the rows come sorted by, so that the server sorts no more of them than a page needs. */
  readonly presorted?: string;
}

/** Which rows of a relation a statement needs, as SQL. */
export interface RowSelection {
  /** The position that a page of findings follows: values in the order of the subject. */
  readonly after?: readonly string[];
  /** An array of texts: the ids of subjects. */
  readonly ids?: string;
}

/** Rows of one population, one for each subject. */
export interface Relation {
  /** Common table expressions. The first value is the tenant, the second the time of measurement. */
  readonly with: string;
  /** A function where a selection limits what is read: events, of which a tenant may have millions. Rows that are not selected may be among those that are read. */
  readonly from: string | ((selection: RowSelection) => string);
  readonly subject: Subject;
  readonly rules: Readonly<Record<string, Rule>>;
  /** Metrics of rules without subjects, by `requirement/metric`, as aggregates. */
  readonly figures?: Readonly<Record<string, string>>;
  /** What its metrics are counted from instead: rows with the columns of the conditions, each of which stands for `units` rows of the relation. */
  readonly counted?: { readonly with: string; readonly from: string; readonly units: string };
  /** Whether the metrics are read by another statement, with the same conditions. */
  readonly isCountedElsewhere?: boolean;
  /** How many events are read one by one where rows are counted by other conditions, as SQL: a tenant may have millions. */
  readonly eventCount?: string;
  /** Values of the statement. Default: the tenant and the time. */
  values?(client: pg.ClientBase, query: MetricsQuery): Promise<readonly unknown[]> | readonly unknown[];
}

/**
 * Rows of the log are wide but their counted columns are narrow, so passing them from parallel workers is cheap. With 4 MB, statements of a tenant with 500,000
 * files and two million counts wrote hash tables to disk: 10.3 s of processor time instead of 8.9 with 64 MB, and twice the time next to other work. Applies until the end of the
 * transaction.
 */
export async function allowMetricsMemory(client: pg.ClientBase): Promise<void> {
  await client.query("select set_config('parallel_tuple_cost', '0.01', true), set_config('work_mem', '32MB', true)");
}

export const readValues = async (
  relation: Relation,
  client: pg.ClientBase,
  query: MetricsQuery,
): Promise<readonly unknown[]> => (await relation.values?.(client, query)) ?? [query.tenantId, toIsoTime(query.nowMs)];

/** Runs a statement of the relation's rows. Those that are counted elsewhere are rows of the log, which are read by index. */
export const queryRelation = <Row extends pg.QueryResultRow>(
  { isCountedElsewhere = false }: Relation,
  client: pg.ClientBase,
  statement: string,
  values: readonly unknown[],
): Promise<pg.QueryResult<Row>> => {
  const run = () => client.query<Row>(statement, [...values]);
  return isCountedElsewhere ? run() : withoutNestedLoops(client, run);
};

export const relationFrom = ({ from }: Relation, selection: RowSelection = {}): string =>
  typeof from === 'string' ? from : from(selection);

/**
 * What reads the metrics of all rules of relations. Relations of the same common table expressions and values are counted by one statement, which evaluates those once:
 * three of the sensitive files of a tenant with 500,000 files took 1.0 s instead of 2.0.
 */
export function listRelationReaders(relations: readonly Relation[]): MetricsReader[] {
  const counted = relations.filter(({ isCountedElsewhere }) => !isCountedElsewhere);
  const groups = Map.groupBy(counted, (relation) => (relation.values ? relation : ctesOfCount(relation)));
  return [...groups.values()].map((group) => async (client, query) => {
    const [first] = group as [Relation, ...Relation[]];
    return readFigures(client, metricsStatement(ctesOfCount(first), group), await readValues(first, client, query));
  });
}

const ctesOfCount = ({ with: ctes, counted }: Relation): string => counted?.with ?? ctes;

function metricsStatement(ctes: string, relations: readonly Relation[]): string {
  const counts = relations.map((relation, index) => `(${countsOf(relation)}) as counted_${index}`);
  return `${ctes} select * from ${counts.join(' cross join ')}`;
}

/** A select of one row. */
function countsOf(relation: Relation): string {
  const { rules, figures = {}, counted } = relation;
  const columns = [
    ...Object.entries(figures),
    ...Object.entries(rules).flatMap(([key, rule]) =>
      Object.entries(listCounts(counted ? { ...rule, units: counted.units } : rule)).map(
        ([metric, sql]) => [`${key}/${metric}`, sql] as const,
      ),
    ),
  ];
  return `select ${columns.map(([name, sql]) => `${sql} as "${name}"`).join(',\n')} from ${counted?.from ?? relationFrom(relation)}`;
}

function listCounts(rule: Rule): Record<string, string> {
  const { population, good, bad, reported, units } = rule;
  const [ofMetric, of] = population;
  const [metric = null, condition = 'false'] = good ?? bad ?? [];
  const isUnknown = `(${reported}) is not true`;
  const decided = good ? `(${condition}) and (${reported})` : `(${condition}) or ${isUnknown}`;
  // Of events that must not happen none is in order: without a reported one their number is still known.
  const counted =
    reported && ofMetric !== null
      ? countReported(of, reported, decided, rule.badUnits ?? units)
      : countRows(`(${of}) and (${reported ? decided : condition})`, rule.badUnits ?? units);
  return {
    ...(ofMetric === null ? {} : { [ofMetric]: countRows(of, units) }),
    ...(metric === null ? {} : { [metric]: counted }),
    unknown: reported ? countRows(`(${of}) and ${isUnknown}`, units) : '0',
    ...rule.figures,
  };
}
