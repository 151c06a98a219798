export type { LedgerEntry } from './apply-entries.ts';
export {
  ChangedAfterRestore,
  connectRestore,
  type FeedWindow,
  type FinishedRestore,
  type Restore,
  type RestoredLane,
  type WrittenMessage,
} from './restore.ts';
