export {
  type ListedAction,
  type RungFigures,
  readActionsThat,
  readRungFigures,
  readSettlingFigures,
  type SettlingFigures,
} from './actions.ts';
export {
  type FindingDay,
  type FindingFigures,
  type FindingKind,
  type NamedEntity,
  type OpenFinding,
  readFindingDays,
  readFindingFigures,
  readMostNamed,
  readOpenFindings,
} from './findings.ts';
export {
  type Incident,
  type IncidentAction,
  type IncidentNotification,
  readIncident,
  readIncidentActions,
  readIncidentNotifications,
} from './incident.ts';
export { type NotificationFigures, readNotificationFigures } from './notifications.ts';
export { type ReadinessPoint, readReadinessTrend, readSnapshotBefore } from './snapshots.ts';
