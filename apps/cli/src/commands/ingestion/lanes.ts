import { CommandError, usageError } from '../../command-error.ts';
import { withAdmin } from '../../connections/admin-connection.ts';
import type { CommandContext } from '../../context.ts';
import type { CommandResult } from '../../output/command-result.ts';
import { formatTable } from '../../output/table.ts';

export async function listLanes(context: CommandContext): Promise<CommandResult> {
  const found = await withAdmin(context.environment, (admin) => admin.lanes.list());
  const text = formatTable(
    found,
    [
      ['lane', (lane) => `${lane.topic}/${lane.partition}`],
      ['state', (lane) => lane.state],
      ['next offset', (lane) => lane.nextOffset],
      ['unread', (lane) => lane.unread?.toLocaleString('en')],
      ['settled at', (lane) => lane.settledAt],
      ['reason', (lane) => lane.reason],
      ['skip', (lane) => lane.skip && `to ${lane.skip.toOffset}, requested at ${lane.skip.requestedAt}`],
    ],
    'No lanes. Ingestion creates them when it first joins its topics.',
  );
  return { document: { data: found }, text };
}

export async function resumeLane(lane: string, context: CommandContext): Promise<CommandResult> {
  const { topic, partition } = parseLane(lane);
  const resumed = await withAdmin(context.environment, async (admin) => {
    if ((await admin.lanes.resume(topic, partition)) > 0) return true;
    const lanes = await admin.lanes.list();
    if (lanes.some((lane) => lane.topic === topic && lane.partition === partition)) return false;
    throw new CommandError(`there is no lane ${topic}/${partition}; see "tenantscope lanes list"`);
  });
  const text = resumed ? `${topic}/${partition} resumes within a minute.` : `${topic}/${partition} is not stopped.`;
  return { document: { topic, partition, resumed }, text };
}

/** Parses TOPIC/PARTITION; topic names contain no slash. */
export function parseLane(text: string): { topic: string; partition: number } {
  const [, topic = '', partition = ''] = /^([A-Za-z0-9._-]{1,249})\/(\d{1,6})$/.exec(text) ?? [];
  if (topic === '') throw usageError('a lane must be TOPIC/PARTITION, for example tenantscope.raw.activity.v1/3');
  return { topic, partition: Number(partition) };
}
