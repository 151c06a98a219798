import type { LaneIdentity } from '@tenantscope/store/lane';

/** The name of a lane in a map. */
export const laneKey = ({ clusterId, topicId, partition }: LaneIdentity): string =>
  `${clusterId}/${topicId}/${partition}`;
