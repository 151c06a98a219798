export type { LaneIdentity, Ledger } from '../ingest/lane/lane.ts';
export type { LogEnd, MeasuredLane } from './lane-log.ts';
export { registerLaneMetrics } from './lane-metrics.ts';
export { type ReadLogEnds, startLaneMonitor } from './lane-monitor.ts';
export { describeHalt, type LaneStatus, readLaneStatuses } from './lane-status.ts';
