export { type ClaimedStream, type ClaimOptions, claimStream, readTopicPrefix } from './claim-stream.ts';
export type { CollectionGap, CollectorState, RunFailure } from './collector-state.ts';
export { advanceStream, finishRun, type RunResult, recordReport, renewLease } from './collector-stream.ts';
