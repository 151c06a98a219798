export {
  type SnapshotDependencies,
  type SnapshotTrigger,
  takeSnapshot,
} from './take-snapshot.ts';
