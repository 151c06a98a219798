import type { ActorType } from '@tenantscope/contract';
import type { Actor } from '../activity/activity.ts';
import { firstText, type JsonObject } from '../json/value.ts';

export function readGoogleActor(actor: JsonObject): Actor {
  const email = firstText(actor.email);
  const key = firstText(actor.key);
  return {
    id: firstText(actor.profileId) ?? email?.toLowerCase() ?? key,
    name: email ?? key,
    type: callers.get(firstText(actor.callerType) ?? '') ?? (email === null ? 'unknown' : 'user'),
  };
}

/** A KEY belongs to a service account or an OAuth consumer. */
const callers = new Map<string, ActorType>([
  ['USER', 'user'],
  ['KEY', 'application'],
  ['APPLICATION', 'application'],
]);
