import type pg from 'pg';
import { readActionMetrics } from './actions.ts';
import { readAgentMetrics } from './agents.ts';
import { readAiActivityMetrics } from './ai-activity.ts';
import { readAlertMetrics } from './alerts.ts';
import { readAppMetrics } from './apps.ts';
import { readDataMetrics } from './data.ts';
import { readDetectionMetrics } from './detections.ts';
import { readDeviceMetrics } from './devices.ts';
import type { Metrics, MetricsOf } from './figures.ts';
import { readLicenseMetrics } from './licenses.ts';
import { readLogMetrics } from './logs.ts';
import { readNotificationMetrics } from './notifications.ts';
import { readPeopleMetrics } from './people.ts';
import { readPolicyMetrics } from './policies.ts';
import { readScoreMetrics } from './score.ts';

const readers: readonly ((client: pg.ClientBase, of: MetricsOf) => Promise<Metrics>)[] = [
  readAgentMetrics,
  readAiActivityMetrics,
  readDataMetrics,
  readAppMetrics,
  readPeopleMetrics,
  readDeviceMetrics,
  readLicenseMetrics,
  readLogMetrics,
  readAlertMetrics,
  readDetectionMetrics,
  readNotificationMetrics,
  readActionMetrics,
  readPolicyMetrics,
  readScoreMetrics,
];

/**
 * The figures that all measured requirements are judged by. The client stands in a transaction with the tenant set, see `atOneMoment`, so that
 * they agree with each other. Integers, or null where nobody told what would have to be counted; percentages are left to whoever judges.
 */
export async function readMetrics(client: pg.ClientBase, of: MetricsOf): Promise<Metrics> {
  // Rows of the log are wide, and what is counted of them is narrow: handing it over costs workers little.
  await client.query("select set_config('parallel_tuple_cost', '0.01', true)");
  const metrics: Record<string, Metrics[string]> = {};
  for (const read of readers) Object.assign(metrics, await read(client, of));
  return metrics;
}
