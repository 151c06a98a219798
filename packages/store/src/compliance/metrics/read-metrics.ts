import type pg from 'pg';
import { requirementsWithSubjects } from '../findings/rules.ts';
import { readAiActivityMetrics } from './ai-activity.ts';
import { readInventoryMetrics } from './data-inventory.ts';
import type { Metrics, MetricsQuery } from './figures.ts';
import { readLogMetrics } from './logs.ts';
import { readRelationMetrics } from './relation.ts';
import { relations } from './relations.ts';
import { readScoreMetrics } from './score.ts';

const readers: readonly ((client: pg.ClientBase, of: MetricsQuery) => Promise<Metrics>)[] = [
  readAiActivityMetrics,
  readInventoryMetrics,
  readLogMetrics,
  readScoreMetrics,
];

/** Requirements that measure an age, a delay or a score, not subjects. */
const withoutPopulation: ReadonlySet<string> = new Set([
  'ai.agents.inventory_fresh',
  'ai.logs.continuity',
  'ai.logs.retention_183',
  'data.inventory.fresh',
  'ops.evidence.snapshots',
  'ops.logs.ingestion_lag',
  'ops.posture.secure_score',
]);

/**
 * The metrics of all measured requirements. The client is in a transaction with the tenant set, see `withReadSnapshot`, so that they are
 * consistent. Integers, or null where the data to count was not reported; the evaluation computes percentages.
 */
export async function readMetrics(client: pg.ClientBase, of: MetricsQuery): Promise<Metrics> {
  // Rows of the log are wide but their counted columns are narrow, so passing them from parallel workers is cheap.
  await client.query("select set_config('parallel_tuple_cost', '0.01', true)");
  const metrics: Record<string, Metrics[string]> = {};
  Object.assign(metrics, await readRelationMetrics(client, of, relations));
  for (const read of readers) Object.assign(metrics, await read(client, of));
  // Of events and of what this service counts itself nothing is unknown. Exceptions are read apart.
  const excepted = new Map(requirementsWithSubjects.map((key) => [key, { excepted: 0 }]));
  return Object.fromEntries(
    Object.entries(metrics).map(([key, metric]) => [
      key,
      withoutPopulation.has(key) ? metric : { unknown: 0, ...excepted.get(key), ...metric },
    ]),
  );
}
