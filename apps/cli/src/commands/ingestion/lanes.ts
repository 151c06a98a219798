import { mainCluster } from '@tenantscope/runtime';
import type { ListedLane } from '@tenantscope/store/admin';
import { CommandError, usageError } from '../../command-error.ts';
import { withAdmin } from '../../connections/admin-connection.ts';
import type { CommandContext } from '../../context.ts';
import type { CommandResult } from '../../output/command-result.ts';
import { formatTable } from '../../output/table.ts';

export async function listLanes(context: CommandContext): Promise<CommandResult> {
  const { found, problems } = await withAdmin(context.environment, (admin) => admin.lanes.listAvailable());
  const text = formatTable(
    found,
    [
      ['lane', (lane) => `${lane.topic}/${lane.partition}`],
      ['cluster', (lane) => lane.cluster],
      ['state', (lane) => lane.state],
      ['next offset', (lane) => lane.nextOffset],
      ['unread', (lane) => lane.unread?.toLocaleString('en')],
      ['settled at', (lane) => lane.settledAt],
      ['reason', (lane) => lane.reason],
      ['skip', (lane) => lane.skip && `to ${lane.skip.toOffset}, requested at ${lane.skip.requestedAt}`],
    ],
    'No lanes. Ingestion creates them when it first joins its topics.',
  );
  return { document: { data: found }, text, problems };
}

export interface LaneOptions {
  /** The configured name of a Kafka cluster. */
  readonly cluster: string;
}

export async function resumeLane(
  name: string,
  { cluster }: LaneOptions,
  context: CommandContext,
): Promise<CommandResult> {
  const lane = { cluster, ...parseLane(name) };
  const resumed = await withAdmin(context.environment, async (admin) => {
    const { found } = await admin.lanes.resume(lane);
    if (found.some((count) => count > 0)) return true;
    findListedLanes(await admin.lanes.listAvailable(), lane);
    return false;
  });
  const text = resumed ? `${formatLane(lane)} resumes within a minute.` : `${formatLane(lane)} is not stopped.`;
  return { document: { ...lane, resumed }, text };
}

export type LaneName = Pick<ListedLane, 'cluster' | 'topic' | 'partition'>;

/** As below; a lane that is not found may be one of a cell that does not respond. */
export function findListedLanes(
  { found, problems }: { readonly found: readonly ListedLane[]; readonly problems: readonly string[] },
  name: LaneName,
): readonly ListedLane[] {
  const isListed = found.some((lane) => lane.topic === name.topic && lane.cluster === name.cluster);
  if (!isListed && problems.length > 0)
    throw new CommandError(`the lane ${formatLane(name)} was not found, and ${problems.join('; ')}`);
  return findLanes(found, name);
}

/** The lanes of a topic-partition: a recreated topic has several. */
function findLanes(lanes: readonly ListedLane[], { cluster, topic, partition }: LaneName): readonly ListedLane[] {
  const named = lanes.filter((lane) => lane.topic === topic && lane.partition === partition);
  const found = named.filter((lane) => lane.cluster === cluster);
  if (found.length > 0) return found;
  const others = [...new Set(named.map((lane) => lane.cluster))];
  const hint = others.length === 0 ? '' : ` in the cluster ${cluster}; use --cluster ${others.join(' or ')}`;
  throw new CommandError(`there is no lane ${topic}/${partition}${hint}; see "tenantscope lanes list"`);
}

/** TOPIC/PARTITION, with the name of its cluster where it is not the main one. */
export const formatLane = ({ cluster, topic, partition }: LaneName): string =>
  formatTopic(cluster, `${topic}/${partition}`);

export const formatTopic = (cluster: string, topic: string): string =>
  cluster === mainCluster ? topic : `${topic} of ${cluster}`;

/** Parses TOPIC/PARTITION; topic names contain no slash. */
export function parseLane(text: string): { topic: string; partition: number } {
  const [, topic = '', partition = ''] = /^([A-Za-z0-9._-]{1,249})\/(\d{1,6})$/.exec(text) ?? [];
  if (topic === '') throw usageError('a lane must be TOPIC/PARTITION, for example tenantscope.raw.activity.v1/3');
  return { topic, partition: Number(partition) };
}
