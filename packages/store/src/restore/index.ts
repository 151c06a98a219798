export type { LedgerEntry } from './apply-entries.ts';
export { listMovesAfter, type TenantArrival } from './lost-moves.ts';
export {
  ChangedAfterRestore,
  connectRestore,
  type FeedWindow,
  type FinishedRestore,
  type Restore,
  type RestoredLane,
  type WrittenMessage,
} from './restore.ts';
