import type { ActorType } from '@tenantscope/contract';
import { readAccountName } from '../activity/account-name.ts';
import type { Actor } from '../activity/activity.ts';
import { firstGuid } from '../field/guid.ts';
import { firstText, isObject, type Json, type JsonObject, toInteger, toList, toObject, toText } from '../json/value.ts';
import { dlpRecordTypes } from './record-type.ts';

/** The actor of a Management Activity record. */
export function readActor(record: JsonObject, recordType: number | null): Actor {
  if (recordType !== null && dlpRecordTypes.has(recordType)) {
    // The record's own user is Microsoft's agent; the match concerns the person who shared or sent.
    const person = firstText(toObject(record.SharePointMetaData).From, toObject(record.ExchangeMetaData).From);
    if (person !== null) return { id: person.toLowerCase(), name: person, type: 'user' };
  }
  const entries = readEntries(record.Actor);
  const userId = readUserId(record.UserId) ?? readSystemKey(record.UserKey);
  return {
    id: readActorId(record, entries, userId),
    name: readActorName(entries, userId),
    type: readActorType(record, entries, userId),
  };
}

/** Entra's list of the actor's identifiers. Type 1 is a name, 3 a PUID, 5 a UPN; 0 and 2 carry object ids and classes. */
interface Entry {
  readonly type: number | null;
  readonly id: string;
}

function readEntries(value: Json | undefined): readonly Entry[] {
  return toList(value).flatMap((entry) => {
    const id = isObject(entry) ? toText(entry.ID) : null;
    return id === null ? [] : [{ type: toInteger(toObject(entry).Type), id }];
  });
}

function readActorId(record: JsonObject, entries: readonly Entry[], userId: string | null): string | null {
  return readDirectoryId(record, entries) ?? readUserKey(record.UserKey) ?? userId?.toLowerCase() ?? null;
}

/** The Entra object id, the only identifier of a person that all workloads have in common. */
function readDirectoryId(record: JsonObject, entries: readonly Entry[]): string | null {
  for (const { type, id } of entries) {
    const guid = type === 0 ? firstGuid(id) : type === 2 ? readPrefixedGuid(id) : null;
    if (guid !== null) return guid;
  }
  return firstGuid(record.TokenObjectId) ?? readPrefixedGuid(toText(record.UserId));
}

/** Of `User_<guid>` and `ServicePrincipal_<guid>`. */
function readPrefixedGuid(text: string | null): string | null {
  return text === null ? null : firstGuid(prefixed.exec(text)?.[1]);
}

/** A GUID or a PUID, also in the form `i:0h.f|membership|1003…@live.com` or `1003…@contoso.com`. */
function readUserKey(value: Json | undefined): string | null {
  const key = toText(value);
  return key === null ? null : (firstGuid(key) ?? puid.exec(key)?.[1]?.toLowerCase() ?? null);
}

function readActorName(entries: readonly Entry[], userId: string | null): string | null {
  const hasNoName = userId === null || userId === 'Certificate' || prefixed.test(userId);
  const displayName = hasNoName ? entries.find(({ type }) => type === 1)?.id : undefined;
  return displayName ?? userId ?? entries.find(({ type }) => type === 5)?.id ?? null;
}

/** The rules in order of precedence. UserType comes last: it names every service principal "System". */
function readActorType(record: JsonObject, entries: readonly Entry[], userId: string | null): ActorType {
  const agent = firstText(record.AgentId, toObject(record.CopilotEventData).AgentId);
  if (agent !== null && !userId?.includes('@')) return 'agent';
  if (isServicePrincipal(entries, userId)) return 'servicePrincipal';
  if (userId === 'app@sharepoint') return 'application';
  if (userId === 'Certificate' && entries.some(({ type, id }) => type === 1 && id.startsWith('Self-Service'))) {
    return 'application';
  }
  if (userId !== null && systemAccounts.test(userId)) return 'system';
  const userType = readUserType(record.UserType);
  if (userType === 10 || isGuest(record, userId)) return 'guest';
  if (userId !== null && anonymousUsers.test(userId)) return 'anonymous';
  if (userId === null) return 'unknown';
  return (userType !== null && typesOfUserType[userType]) || 'unknown';
}

/** The object class is the third entry of type 2, or the fourth after an application id. */
function isServicePrincipal(entries: readonly Entry[], userId: string | null): boolean {
  if (userId?.startsWith('ServicePrincipal_')) return true;
  return entries.some(
    ({ type, id }) => type === 2 && (id === 'ServicePrincipal' || id.startsWith('ServicePrincipal_')),
  );
}

function isGuest(record: JsonObject, userId: string | null): boolean {
  if (userId !== null && readAccountName(userId)?.isGuest === true) return true;
  const key = readAccountName(toText(record.UserKey) ?? '');
  if (key === null || key.isGuest) return key !== null;
  const claim = key.account.toLowerCase();
  // Members' PUIDs have the domain live.com; any other domain than the user's own is a guest's.
  const domain = claim.split('@')[1];
  return domain !== undefined && domain !== 'live.com' && domain !== userId?.split('@')[1]?.toLowerCase();
}

/** Some records of system accounts have a key alone. */
function readSystemKey(value: Json | undefined): string | null {
  const key = toText(value);
  return key !== null && systemAccounts.test(key) ? key : null;
}

function readUserType(value: Json | undefined): number | null {
  return toInteger(value) ?? userTypeNames.get(toText(value)?.toLowerCase() ?? '') ?? null;
}

/** The user id, null where it is a placeholder. */
function readUserId(value: Json | undefined): string | null {
  const text = toText(value);
  return text === null || placeholderUserIds.has(text.toLowerCase()) ? null : text;
}

const typesOfUserType: readonly (ActorType | undefined)[] = [
  'user',
  undefined,
  'user',
  'system',
  'system',
  'application',
  'servicePrincipal',
  'policy',
  'policy',
  'partner',
  'guest',
];
const userTypeNames = new Map(
  [
    'regular',
    'reserved',
    'admin',
    'dcadmin',
    'system',
    'application',
    'serviceprincipal',
    'custompolicy',
    'systempolicy',
    'partnertechnician',
    'guest',
  ].map((name, number) => [name, number]),
);
const placeholderUserIds: ReadonlySet<string> = new Set(['not-found', 'not available', 'unknown', '<null>']);
const prefixed = /^(?:User|ServicePrincipal)_(.+)$/;
const puid = /(?:^|\|)([0-9a-f]{16})(?:@|$)/i;
const anonymousUsers = /^(?:anonymous|urn:spo:anon.*)$/i;
const systemAccounts =
  /^(?:NT AUTHORITY\\(?:SYSTEM|LOCAL SERVICE|NETWORK SERVICE)\b.*|NT SERVICE\\.*|SHAREPOINT\\system|Microsoft\\ServiceOperator|S-1-5-(?:18|19|20)|SecurityComplianceAlerts|DlpAgent|ThreatIntel)$/i;
