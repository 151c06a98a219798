import type pg from 'pg';
import { type PoolClient, readTogether } from '../../connection/index.ts';
import { requirementsWithSubjects } from '../findings/rules.ts';
import type { TallyName } from './clause/log-tally.ts';
import type { Metrics, MetricsQuery, MetricsReader } from './figures.ts';
import { withoutNestedLoops } from './nested-loops.ts';
import { allowMetricsMemory, listRelationReaders } from './relation.ts';
import { relations } from './relations.ts';
import { readAiActivityMetrics } from './subject/ai-activity.ts';
import { readInventoryMetrics } from './subject/data-inventory.ts';
import { logReaders } from './subject/logs.ts';
import { restrictedReads } from './subject/restricted-reads.ts';
import { readScoreMetrics } from './subject/score.ts';

/** Those of restricted reads and of the log take longest and begin first, so that two connections end at about the same time. */
const readers: readonly MetricsReader[] = [
  ...listRelationReaders([restrictedReads]),
  ...logReaders,
  ...listRelationReaders(relations.filter((relation) => relation !== restrictedReads)),
  readAiActivityMetrics,
  readInventoryMetrics,
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

/** The tallies of the log that metrics are read from, reads of files, files, incidents and users. */
const talliesOf: Readonly<Record<string, readonly TallyName[]>> = {
  'ai.agents.dormant': ['interaction'],
  'ai.agents.lifecycle_logged': ['lifecycle'],
  'ai.apps.decision': ['application', 'interaction'],
  'ai.copilot.governed_users': ['actor_tally', 'user'],
  'ai.data.no_ai_reads_of_restricted': ['read', 'file'],
  'ai.data.restricted_label_coverage': ['file'],
  'ai.data.restriction_decisions': ['file'],
  'ai.data.restriction_no_access_violations': ['read', 'file', 'user'],
  'ai.data.sensitive_reach_protected': ['file'],
  'ai.detection.coverage': ['interaction'],
  'ai.logs.agent_activity_attributed': ['interaction'],
  'ai.logs.continuity': ['arrival'],
  'ai.logs.retention_183': ['arrival'],
  'ai.detection.resolved_7d': ['incident'],
  'ai.threats.prompt_injection_triaged': ['incident', 'interaction'],
  'data.exfiltration.handled': ['incident'],
  'data.labels.coverage': ['file'],
  'data.links.anonymous': ['file'],
  'data.mail.threats_handled': ['incident'],
  'data.sharing.external': ['file'],
  'data.sites.overshared': ['file'],
  'dev.unmanaged_access': ['activity'],
  'iam.accounts.inactive': ['user'],
  'iam.admins.global_count': ['user'],
  'iam.admins.phishing_resistant': ['user'],
  'iam.apps.unused_grants': ['application', 'interaction'],
  'iam.guests.inactive': ['user'],
  'iam.leavers.activity': ['actor_tally', 'user'],
  'iam.mfa.admins': ['user'],
  'iam.mfa.members': ['user'],
  'iam.risky_users.handled': ['user'],
  'lic.disabled_users': ['user'],
  'ops.alerts.backlog': ['incident'],
  'ops.alerts.resolution_7d': ['incident'],
  'ops.alerts.triage_24h': ['incident'],
  'ops.detections.resolution': ['incident'],
  'ops.incident.timeline_recorded': ['incident'],
  'ops.logs.failure_detected': ['arrival'],
  'ops.logs.ingestion_lag': ['lag'],
  'ops.logs.workload_coverage': ['activity'],
  'ops.notify.escalation_1h': ['incident'],
};

/** While the rows of a new tally are being counted, the metrics that are read from it are unknown. */
async function findUncounted(client: pg.ClientBase): Promise<ReadonlySet<string>> {
  const { rows } = await client.query<{ tally: string }>(
    'select tally from models.log_tally_backfill where next_at is not null',
  );
  const names = rows.map(({ tally }) => tally);
  return new Set(Object.keys(talliesOf).filter((key) => talliesOf[key]?.some((name) => names.includes(name))));
}

async function planForMetrics<Value>(client: pg.ClientBase, work: () => Promise<Value>): Promise<Value> {
  await allowMetricsMemory(client);
  return withoutNestedLoops(client, work);
}

/** A requirement may have metrics of several statements. */
function mergeMetrics(read: readonly Metrics[]): Metrics {
  const merged: Record<string, Metrics[string]> = {};
  for (const [key, metric] of read.flatMap(Object.entries<Metrics[string]>))
    merged[key] = { ...merged[key], ...metric };
  return merged;
}

const toUnknown = (metric: Metrics[string]): Metrics[string] =>
  Object.fromEntries(Object.keys(metric).map((name) => [name, null]));

/**
 * The metrics of all measured requirements. The client is in a transaction with the tenant set, see `withReadSnapshot`, so that they are
 * consistent. Integers, or null where the data to count was not reported; the evaluation computes percentages.
 */
export async function readMetrics(client: PoolClient, of: MetricsQuery): Promise<Metrics> {
  const read = await readTogether<Metrics[]>(
    client,
    readers.map((reader) => (one) => planForMetrics(one, () => reader(one, of))),
  );
  const metrics = mergeMetrics(read);
  // Of events and of what this service counts itself nothing is unknown. Exceptions are read apart.
  const excepted = new Map(requirementsWithSubjects.map((key) => [key, { excepted: 0 }]));
  const uncounted = await findUncounted(client);
  return Object.fromEntries(
    Object.entries(metrics).map(([key, metric]) => [
      key,
      {
        ...(withoutPopulation.has(key) ? {} : { unknown: 0, ...excepted.get(key) }),
        ...(uncounted.has(key) ? toUnknown(metric) : metric),
      },
    ]),
  );
}
