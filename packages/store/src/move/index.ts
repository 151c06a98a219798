export {
  type CellUrl,
  connectCell,
  connectControl,
  connectMove,
  type MoveConnections,
  MoveRefused,
} from './connections.ts';
export { cancelMove, confirmMove } from './end-move.ts';
export { lockMoves, type MoveRecord, type MoveState, readMoves } from './move-record.ts';
export { type MovedTenant, type MoveOptions, type MoveStep, moveTenant } from './move-tenant.ts';
export { type MovedTable, movedTables, otherTables } from './moved-tables.ts';
export { type ComparedTable, copyTable, readColumns } from './table-copy.ts';
