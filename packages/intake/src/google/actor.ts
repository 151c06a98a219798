import type { ActorType } from '@tenantscope/contract';
import type { Actor } from '../activity/activity.ts';
import { firstText, type Json, type JsonObject, toObject } from '../json/value.ts';
import type { Parameters } from './parameters.ts';

/**
 * The actor of an activity. An account outside of the organization is an external caller, or has an address of another domain
 * and no profile; a visitor who is not signed in has neither.
 *
 * @param ownerDomain the domain that the activity concerns
 */
export function readGoogleActor(actor: JsonObject, parameters: Parameters, ownerDomain?: Json): Actor {
  const caller = firstText(actor.callerType)?.toUpperCase() ?? '';
  const email = firstText(actor.email);
  const key = firstText(actor.key);
  if (key === outsiderKey) return readParticipant(parameters);
  const app = toObject(actor.applicationInfo);
  const appId = firstText(app.oauthClientId);
  const profileId = readProfileId(actor);
  return {
    id: profileId ?? email?.toLowerCase() ?? key ?? appId,
    name: email ?? key ?? firstText(app.applicationName) ?? appId,
    type: readType({ caller, email, key, profileId, isApp: appId !== null, ownerDomain: firstText(ownerDomain) }),
  };
}

/** A participant of Google Meet from outside: by an address, else by a telephone number or the name that was entered. */
function readParticipant(parameters: Parameters): Actor {
  const identifier = parameters.text('identifier');
  const isAddress = parameters.text('identifier_type') === 'email_address';
  return {
    id: isAddress ? (identifier?.toLowerCase() ?? null) : identifier,
    name: (isAddress ? identifier : parameters.text('display_name')) ?? identifier,
    type: isAddress ? 'guest' : 'anonymous',
  };
}

/** Google writes a placeholder for visitors and for accounts outside of Workspace. */
function readProfileId(actor: JsonObject): string | null {
  const profileId = firstText(actor.profileId);
  return profileId === placeholderProfileId ? null : profileId;
}

interface Traits {
  readonly caller: string;
  readonly email: string | null;
  readonly key: string | null;
  readonly profileId: string | null;
  readonly isApp: boolean;
  readonly ownerDomain: string | null;
}

function readType({ caller, email, key, profileId, isApp, ownerDomain }: Traits): ActorType {
  if (key?.toUpperCase() === 'SYSTEM') return 'system';
  if (caller === 'KEY' || caller === 'APPLICATION') return 'application';
  if (caller === 'EXTERNAL_USER') return 'guest';
  if (email !== null) return profileId === null && isForeign(email, ownerDomain) ? 'guest' : 'user';
  if (profileId !== null) return caller === 'USER' ? 'user' : 'unknown';
  if (isApp) return 'application';
  return caller === 'USER' ? 'anonymous' : 'unknown';
}

function isForeign(email: string, ownerDomain: string | null): boolean {
  const domain = email.split('@')[1]?.toLowerCase();
  return domain !== undefined && ownerDomain !== null && domain !== ownerDomain.toLowerCase();
}

/** In place of a participant of Google Meet who is not of the organization. */
const outsiderKey = 'HANGOUTS_EXTERNAL_OR_ANONYMOUS';
const placeholderProfileId = '105250506097979753968';
