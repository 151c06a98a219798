/** Closed on output and as filters; documented as open for readers, since values may be added. */
export const severities = ['informational', 'low', 'medium', 'high', 'critical'] as const;
export type Severity = (typeof severities)[number];

/** Kinds of actors. */
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

/** Product families of events. */
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

/** Result of an action as the provider reports it. */
export const outcomes = ['success', 'failure', 'partial'] as const;
export type Outcome = (typeof outcomes)[number];

/** Kinds of entities, in the singular: also the resources of scans, actions and detections. */
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
