export { type Admin, connectAdmin } from './admin-store.ts';
export type { OriginalDeadLetter } from './dead-letters.ts';
export type { ApiKey, Organization, Tenant } from './directory.ts';
export type { ListedLane, RequestedSkip } from './lanes.ts';
export { migrate } from './migrate.ts';
export type { ListedSnapshot, StoredSnapshot } from './snapshots.ts';
export type { Status } from './status.ts';
export type { VersionedRow } from './versions.ts';
