export type { Pool, PoolClient } from 'pg';
export { type DatabaseAddress, parseDatabaseUrl } from './database-url.ts';
export { isUnavailable, QueryTimedOut, readErrorCode, StoreUnavailable } from './errors.ts';
export { type OwnCell, readOwnCell, readTenantCell } from './own-cell.ts';
export { assertLeastPrivilege, openPool, withConnection } from './pool.ts';
export { type FailoverState, type ProcessRegistration, registerProcess } from './process-registry.ts';
export { type ReadLimits, readClock, type StatementRunner, withReadSnapshot } from './read-snapshot.ts';
export { readTogether, type SnapshotTask } from './snapshot-tasks.ts';
