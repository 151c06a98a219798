export { UnknownTable } from './apply-entries.ts';
export { ControlNotRestored, LostMoves } from './lost-moves.ts';
export {
  connectRestore,
  type FeedWindow,
  type FinishedRestore,
  type Restore,
  type RestoredLane,
} from './restore.ts';
export { ChangedAfterRestore, type WrittenMessage } from './staged-entries.ts';
