export { placeOf, type Schedule } from './schedule.ts';
export { type Occasion, type SnapshotTenant, type StatusDocument, type Taking, takeSnapshot } from './take-snapshot.ts';
export { weekAt, weekBefore } from './week.ts';
