export { type AuditLogEvent, auditLogEvent } from './audit-log-event.ts';
export { ApiError, type ErrorBody, type ErrorCode, type ErrorDetail, errors } from './error.ts';
export { expandScopes, grantableScopes, type Scope, scopeAliases, scopes } from './scope.ts';
export { asTenantId, readGuid, type TenantId } from './tenant-id.ts';
export { parseTime, showTime } from './time.ts';
export { type Topic, type TopicName, topicName, topics } from './topics.ts';
export {
  type ActorType,
  actorTypes,
  type Outcome,
  outcomes,
  type Severity,
  type SourceType,
  severities,
  sourceTypes,
} from './vocabulary.ts';
