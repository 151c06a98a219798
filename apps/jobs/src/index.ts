export { computeSpreadOffset, type Schedule } from './schedule.ts';
export {
  type SnapshotDependencies,
  type SnapshotTenant,
  type SnapshotTrigger,
  type StatusDocument,
  takeSnapshot,
} from './take-snapshot.ts';
export { findPreviousWeek, findWeek } from './week.ts';
