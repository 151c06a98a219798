import type pg from 'pg';

/** Whose figures, at which moment, since when the tenant is connected: epoch ms. The client stands in a transaction with the tenant set. */
export interface MetricsOf {
  readonly tenantId: string;
  readonly connectedAtMs: number;
  readonly nowMs: number;
}

/** The metrics of one requirement by their names: null where nobody said what it counts. */
export type Metric = Readonly<Record<string, number | null>>;
/** By the requirement's key. */
export type Metrics = Readonly<Record<string, Metric>>;

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
 * SQL that counts the rows `of` a population for which something `holds`. Null where there are such rows and none of them `told` of it: nobody
 * looked, which is not the same as that it holds for none.
 */
export function countTold(of: string, told: string, holds: string): string {
  return `case when bool_or((${told}) is true) filter (where ${of}) is not false then count(*) filter (where ${of} and ${holds}) end`;
}

/** A moment as the server takes it. */
export const at = (ms: number): string => new Date(ms).toISOString();
