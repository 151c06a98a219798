import type { ActorType } from '@tenantscope/contract';
import type { Actor } from '../activity.ts';
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

/** A KEY is a service account's or an OAuth consumer's. */
const callers = new Map<string, ActorType>([
  ['USER', 'user'],
  ['KEY', 'application'],
  ['APPLICATION', 'application'],
]);
