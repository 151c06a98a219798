/** Closed on output and as filters; documented as open for readers, since values may be added. */
export const severities = ['informational', 'low', 'medium', 'high', 'critical'] as const;
export type Severity = (typeof severities)[number];

/** Who acted. */
export const actorTypes = [
  'user',
  'guest',
  'servicePrincipal',
  'application',
  'agent',
  'system',
  'policy',
  'partner',
  'anonymous',
  'unknown',
] as const;
export type ActorType = (typeof actorTypes)[number];

/** Which family of products an event comes from. */
export const sourceTypes = [
  'microsoft365',
  'entra',
  'defender',
  'intune',
  'googleWorkspace',
  'okta',
  'platform',
  'other',
] as const;
export type SourceType = (typeof sourceTypes)[number];

/** How an action ended, as far as the provider says. Kept beside a row, not served. */
export const outcomes = ['success', 'failure', 'partial', 'unknown'] as const;
export type Outcome = (typeof outcomes)[number];

/** What a tenant consists of, in the singular: kinds of entities, and what scans, actions and detections speak of. */
export const entityKinds = [
  'user',
  'agent',
  'file',
  'group',
  'site',
  'app',
  'device',
  'email',
  'license',
  'sensitiveInfoType',
] as const;
export type EntityKind = (typeof entityKinds)[number];
