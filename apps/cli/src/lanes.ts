import { withAdmin } from './admin.ts';
import type { Answer } from './answer.ts';
import { misused, Refusal } from './failure.ts';
import type { Surroundings } from './surroundings.ts';
import { table } from './table.ts';

export async function listLanes(around: Surroundings): Promise<Answer> {
  const found = await withAdmin(around.environment, (admin) => admin.lanes.list());
  const text = table(
    found,
    [
      ['lane', (lane) => `${lane.topic}/${lane.partition}`],
      ['state', (lane) => lane.state],
      ['next offset', (lane) => lane.nextOffset],
      ['settled at', (lane) => lane.settledAt],
      ['reason', (lane) => lane.reason],
    ],
    'No lane is open yet: ingestion opens them when it first joins its topics.',
  );
  return { document: { data: found }, text };
}

export async function resumeLane(lane: string, around: Surroundings): Promise<Answer> {
  const { topic, partition } = readLane(lane);
  const resumed = await withAdmin(around.environment, async (admin) => {
    if ((await admin.lanes.resume(topic, partition)) > 0) return true;
    const lanes = await admin.lanes.list();
    if (lanes.some((lane) => lane.topic === topic && lane.partition === partition)) return false;
    throw new Refusal(`there is no lane ${topic}/${partition}; «tenantscope lanes list» names them`);
  });
  const text = resumed ? `${topic}/${partition} goes on within a minute.` : `${topic}/${partition} was not stopped.`;
  return { document: { topic, partition, resumed }, text };
}

/** Topic names hold no slash. */
export function readLane(text: string): { topic: string; partition: number } {
  const [, topic = '', partition = ''] = /^([A-Za-z0-9._-]{1,249})\/(\d{1,6})$/.exec(text) ?? [];
  if (topic === '') throw misused('a lane is named TOPIC/PARTITION, for example tenantscope.raw.activity.v1/3');
  return { topic, partition: Number(partition) };
}
