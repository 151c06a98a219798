import { type DatabasePool, sql } from 'slonik';
import { z } from 'zod';
import { countParked, type ParkedCount } from './dead-letters.ts';
import { type ListedLane, listLanes } from './lanes.ts';

const feed = z.object({ completeThrough: z.string().nullable(), lagMs: z.number().nullable() });
const partitions = z.object({
  aheadDays: z.number().nullable(),
  retainedFrom: z.string().nullable(),
  keepDays: z.number(),
});

export interface Status {
  feeds: Record<'logs', z.infer<typeof feed>>;
  lanes: readonly ListedLane[];
  deadLetters: { parked: readonly ParkedCount[] };
  partitions: z.infer<typeof partitions>;
}

/** How the service stands: how far the feeds are settled, where every lane is, what waits for somebody, how many days of partitions lie ahead. */
export async function readStatus(pools: { models: DatabasePool; control: DatabasePool }): Promise<Status> {
  const [settled, modelLanes, controlLanes, modelParked, controlParked, ahead] = await Promise.all([
    pools.models.one(sql.type(feed)`
      select min(settled_at) as "completeThrough", round(extract(epoch from clock_timestamp() - min(settled_at)) * 1000)::bigint as "lagMs"
        from models.ingest_lane where source = 'raw.activity.v1'`),
    listLanes(pools.models, 'models'),
    listLanes(pools.control, 'control'),
    countParked(pools.models, 'models'),
    countParked(pools.control, 'control'),
    pools.models.one(sql.type(partitions)`
      select (select extract(day from max(to_at) - now())::integer from models.audit_log_partition) as "aheadDays",
             (select min(from_at) from models.audit_log_partition) as "retainedFrom", keep_days as "keepDays"
        from models.retention where feed = 'logs'`),
  ]);
  return {
    feeds: { logs: settled },
    lanes: [...modelLanes, ...controlLanes],
    deadLetters: { parked: [...modelParked, ...controlParked] },
    partitions: ahead,
  };
}
