export type { PoolClient } from 'pg';
export { isUnavailable, QueryTimedOut, readErrorCode, StoreUnavailable } from './errors.ts';
export { assertLeastPrivilege, openPool, withConnection } from './pool.ts';
export { tryAdvisoryLock } from './query-cancellation.ts';
export { type ReadLimits, readClock, withReadSnapshot } from './read-snapshot.ts';
