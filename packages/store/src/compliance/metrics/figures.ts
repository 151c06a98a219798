import type pg from 'pg';

/** Tenant, time of measurement and time of connection, epoch ms. The client is in a transaction with the tenant set. */
export interface MetricsQuery {
  readonly tenantId: string;
  readonly connectedAtMs: number;
  readonly nowMs: number;
}

/** The metrics of one requirement by their names: null where the data to count was not reported. */
export type Metric = Readonly<Record<string, number | null>>;
/** By the requirement's key. */
export type Metrics = Readonly<Record<string, Metric>>;

/** Reads the metrics of some requirements. */
export type MetricsReader = (client: pg.ClientBase, query: MetricsQuery) => Promise<Metrics>;

/** Runs a statement of one row whose columns are named `requirement/metric`. */
export async function readFigures(
  client: pg.ClientBase,
  statement: string,
  values: readonly unknown[],
): Promise<Metrics> {
  const { rows } = await client.query<Record<string, string | number | null>>(statement, [...values]);
  const metrics: Record<string, Record<string, number | null>> = {};
  for (const [column, value] of Object.entries(rows[0] ?? {})) {
    const [requirement = '', metric = ''] = column.split('/');
    metrics[requirement] = { ...metrics[requirement], [metric]: value === null ? null : Number(value) };
  }
  return metrics;
}

/**
 * SQL that counts the rows `of` a population that meet a `condition`, or sums their `units`. Null where there are such rows but none of them
 * `reported` it: an unknown count is not zero.
 */
export function countReported(of: string, reported: string, condition: string, units?: string): string {
  return `case when bool_or((${reported}) is true) filter (where ${of}) is not false then ${countRows(`(${of}) and (${condition})`, units)} end`;
}

/** SQL that counts the rows that meet a `condition`, or sums their `units`. */
export const countRows = (condition: string, units?: string): string =>
  units === undefined
    ? `count(*) filter (where ${condition})`
    : `coalesce(sum(${units}) filter (where ${condition}), 0)`;

/** A time in the server's format. */
export const toIsoTime = (ms: number): string => new Date(ms).toISOString();
