import { z } from 'zod';
import { laneStates, stallCauses } from './lane-status.ts';

/** What every list of lanes reads of the view lane_status. */
export const listedLane = z.object({
  /** The configured name of its Kafka cluster. */
  cluster: z.string(),
  topic: z.string(),
  partition: z.number(),
  writtenAt: z.string().nullable(),
  state: z.enum(laneStates),
  reason: z.string().nullable(),
  stall: z.enum(stallCauses).nullable(),
  stalledSince: z.string().nullable(),
  /** The process that reads it, as last reported. */
  worker: z.string().nullable(),
  /** Records in Kafka that are not read; null: the log was never measured. */
  unread: z.number().nullable(),
});
