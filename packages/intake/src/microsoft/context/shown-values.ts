import type { Activity } from '../../activity/activity.ts';
import type { EventContext } from '../../activity/event-context.ts';

/** The parts of an activity that members of a record are compared with. */
export type ActivityParts = Pick<Activity, 'actor' | 'actorIp' | 'resource' | 'clientApp' | 'device' | 'application'>;

/** What other fields of the row show, by field. */
export interface ShownValues {
  readonly actorId: string | null;
  readonly actorName: string | null;
  readonly actorType: string | null;
  readonly actorIp: string | null;
  readonly resourceId: string | null;
  readonly resourceName: string | null;
  readonly resourceType: string | null;
  readonly clientApp: string | null;
  readonly deviceId: string | null;
  readonly deviceName: string | null;
  readonly clientId: string | null;
  readonly applicationName: string | null;
  readonly category: string | null;
  readonly errorCode: string | null;
  readonly outcomeReason: string | null;
  readonly sessionId: string | null;
  readonly correlationId: string | null;
  readonly userAgent: string | null;
  readonly deviceOs: string | null;
  readonly country: string | null;
  readonly protocol: string | null;
  readonly aiHost: string | null;
  readonly agentId: string | null;
  readonly agentName: string | null;
}

export function listShownValues(parts: ActivityParts, context: Omit<EventContext, 'details'>): ShownValues {
  const { actor, resource, device, application } = parts;
  return {
    actorId: actor.id,
    actorName: actor.name,
    actorType: actor.type,
    actorIp: parts.actorIp,
    resourceId: resource.id,
    resourceName: resource.name,
    resourceType: resource.type,
    clientApp: parts.clientApp,
    deviceId: device.id,
    deviceName: device.name,
    clientId: application.clientId,
    applicationName: application.displayName,
    category: context.category,
    errorCode: context.errorCode,
    outcomeReason: context.outcomeReason,
    sessionId: context.sessionId,
    correlationId: context.correlationId,
    userAgent: context.userAgent,
    deviceOs: context.deviceOs,
    country: context.location?.country ?? null,
    protocol: context.signIn?.authenticationProtocol ?? null,
    aiHost: context.ai?.host ?? null,
    agentId: context.ai?.agentId ?? null,
    agentName: context.ai?.agentName ?? null,
  };
}

/** Whether one of the fields shows the text; ids are shown in lower case. */
export function isShown(shown: ShownValues, fields: readonly (keyof ShownValues)[], text: string): boolean {
  for (const field of fields) {
    const value = shown[field];
    if (value === text) return true;
    if (value !== null && value.length === text.length && value.toLowerCase() === text.toLowerCase()) return true;
  }
  return false;
}
