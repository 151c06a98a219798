import type { ActorType } from '@tenantscope/contract';
import type { Actor } from '../activity.ts';
import { firstGuid } from '../field/guid.ts';
import { firstText, integerOf, isObject, type Json, type JsonObject, listOf, objectOf, textOf } from '../json/value.ts';
import { dlpRecordTypes } from './record-type.ts';

/** Who acted, from a Management Activity record. */
export function readActor(record: JsonObject, recordType: number | null): Actor {
  if (recordType !== null && dlpRecordTypes.has(recordType)) {
    // The record's own user is Microsoft's agent; the match is about the person who shared or sent.
    const person = firstText(objectOf(record.SharePointMetaData).From, objectOf(record.ExchangeMetaData).From);
    if (person !== null) return { id: person.toLowerCase(), name: person, type: 'user' };
  }
  const entries = readEntries(record.Actor);
  const userId = meaningful(record.UserId);
  return {
    id: actorId(record, entries, userId),
    name: actorName(entries, userId),
    type: actorType(record, entries, userId),
  };
}

/** Entra's list of the actor's identifiers. Type 1 is a name, 3 a PUID, 5 a UPN; 0 and 2 carry object ids and classes. */
interface Entry {
  readonly type: number | null;
  readonly id: string;
}

function readEntries(value: Json | undefined): readonly Entry[] {
  return listOf(value).flatMap((entry) => {
    const id = isObject(entry) ? textOf(entry.ID) : null;
    return id === null ? [] : [{ type: integerOf(objectOf(entry).Type), id }];
  });
}

function actorId(record: JsonObject, entries: readonly Entry[], userId: string | null): string | null {
  return directoryId(record, entries) ?? keyOf(record.UserKey) ?? userId?.toLowerCase() ?? null;
}

/** The Entra object id, which is the only identifier of a person that every workload could agree on. */
function directoryId(record: JsonObject, entries: readonly Entry[]): string | null {
  for (const { type, id } of entries) {
    const guid = type === 0 ? firstGuid(id) : type === 2 ? prefixedGuid(id) : null;
    if (guid !== null) return guid;
  }
  return firstGuid(record.TokenObjectId) ?? prefixedGuid(textOf(record.UserId));
}

/** Of `User_<guid>` and `ServicePrincipal_<guid>`. */
function prefixedGuid(text: string | null): string | null {
  return text === null ? null : firstGuid(prefixed.exec(text)?.[1]);
}

/** A GUID or a PUID, also where the latter is dressed as `i:0h.f|membership|1003…@live.com` or `1003…@contoso.com`. */
function keyOf(value: Json | undefined): string | null {
  const key = textOf(value);
  return key === null ? null : (firstGuid(key) ?? puid.exec(key)?.[1]?.toLowerCase() ?? null);
}

function actorName(entries: readonly Entry[], userId: string | null): string | null {
  const saysNoName = userId === null || userId === 'Certificate' || prefixed.test(userId);
  const displayName = saysNoName ? entries.find(({ type }) => type === 1)?.id : undefined;
  return displayName ?? userId ?? entries.find(({ type }) => type === 5)?.id ?? null;
}

/** The rules in the order in which they win. UserType comes last: it calls every service principal «System». */
function actorType(record: JsonObject, entries: readonly Entry[], userId: string | null): ActorType {
  const agent = firstText(record.AgentId, objectOf(record.CopilotEventData).AgentId);
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

/** The object class is the third entry of type 2, or the fourth where an application id stands before it. */
function isServicePrincipal(entries: readonly Entry[], userId: string | null): boolean {
  if (userId?.startsWith('ServicePrincipal_')) return true;
  return entries.some(
    ({ type, id }) => type === 2 && (id === 'ServicePrincipal' || id.startsWith('ServicePrincipal_')),
  );
}

function isGuest(record: JsonObject, userId: string | null): boolean {
  if (userId?.toUpperCase().includes('#EXT#')) return true;
  const claim = membership.exec(textOf(record.UserKey) ?? '')?.[1]?.toLowerCase();
  if (claim === undefined) return false;
  if (claim.includes('#ext#') || claim.startsWith('urn:spo:guest') || claim.startsWith('urn%3aspo%3aguest'))
    return true;
  // Members' PUIDs are dressed with live.com; any other domain than the user's own is a guest's.
  const domain = claim.split('@')[1];
  return domain !== undefined && domain !== 'live.com' && domain !== userId?.split('@')[1]?.toLowerCase();
}

function readUserType(value: Json | undefined): number | null {
  return integerOf(value) ?? userTypeNames.get(textOf(value)?.toLowerCase() ?? '') ?? null;
}

/** A user id that names someone. */
function meaningful(value: Json | undefined): string | null {
  const text = textOf(value);
  return text === null || nobody.has(text.toLowerCase()) ? null : text;
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
const nobody: ReadonlySet<string> = new Set(['not-found', 'not available', 'unknown', '<null>']);
const prefixed = /^(?:User|ServicePrincipal)_(.+)$/;
const puid = /(?:^|\|)([0-9a-f]{16})(?:@|$)/i;
const membership = /^i:0h\.f\|membership\|(.+)$/i;
const anonymousUsers = /^(?:anonymous|urn:spo:anon.*)$/i;
const systemAccounts =
  /^(?:NT AUTHORITY\\SYSTEM\b.*|SHAREPOINT\\system|Microsoft\\ServiceOperator|S-1-5-18|SecurityComplianceAlerts|DlpAgent|ThreatIntel)$/i;
