export {
  failSnapshotRequest,
  readScheduledTenants,
  readTakenPeriods,
  readWaitingSnapshotRequests,
} from './due-snapshots.ts';
export { type ChainEnd, extendSnapshotChain, type SnapshotRow } from './snapshot-chain.ts';
