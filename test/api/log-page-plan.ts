import { type LogsPageQuery, logWindowStatements, readLogsPage } from '@tenantscope/store/read';
import pg from 'pg';

export interface Plan {
  readonly 'Node Type': string;
  readonly 'Index Cond'?: string;
  readonly 'Actual Rows'?: number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Shared Hit Blocks'?: number;
  readonly 'Shared Read Blocks'?: number;
  /** Partitions that were pruned when the plan was executed. */
  readonly 'Subplans Removed'?: number;
  readonly Plans?: readonly Plan[];
}

export const listNodes = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(listNodes)];

/** The plan of a statement that is one text with its settings, run as the api runs it. */
export async function readPlan(pool: pg.Pool, statement: string): Promise<Plan> {
  const [settings = '', query = ''] = statement.split(/;(.+)/s);
  return explain(pool, settings, query.replace(/^copy \((.+)\) to stdout.*$/s, '$1'));
}

/** Reads a page with a pool of one connection, and returns the plan of the statement which that connection has prepared. */
export async function readPreparedPlan(pool: pg.Pool, query: LogsPageQuery): Promise<Plan> {
  await readLogsPage({ poolFor: () => pool, sealedBeforeMs: Number.NEGATIVE_INFINITY }, query);
  const [settings = '', page = ''] = logWindowStatements(query).map(
    ({ name, values }) => `execute "${name}"(${values.map(pg.escapeLiteral).join(', ')})`,
  );
  return explain(pool, settings, page);
}

async function explain(pool: pg.Pool, settings: string, statement: string): Promise<Plan> {
  const client = await pool.connect();
  try {
    await client.query(`begin; ${settings}`);
    const { rows } = await client.query(`explain (analyze, buffers, format json) ${statement}`);
    return rows[0]['QUERY PLAN'][0].Plan;
  } finally {
    await client.query('rollback');
    client.release();
  }
}
