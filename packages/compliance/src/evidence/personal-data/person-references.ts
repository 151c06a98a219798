import type { Json, JsonObject } from '@tenantscope/proof';
import { isObject } from '../values/json-object.ts';
import type { Person } from './pseudonyms.ts';

/** Finds the person at a place of a row, or records them. */
export type ResolvePerson = (id: string | null, name: string | null) => Person | null;

/** Members whose value is an object that names an actor or a subject. */
const objectNames = new Set([
  'accountable',
  'actor',
  'consentedBy',
  'creator',
  'declaredBy',
  'entity',
  'publishedBy',
  'resource',
  'subject',
  'topReaders',
]);
/** Of these the type must be known to be a person. */
const subjectNames = new Set(['entity', 'resource', 'subject']);
/** Members whose text is the id or the name of a person. */
const textNames = new Set([
  'approvedBy',
  'assignedBy',
  'assignedUser',
  'attestedBy',
  'by',
  'exemptIds',
  'recordedBy',
  'reviewedBy',
  'userIds',
  'withdrawnBy',
]);

const personTypes = new Set(['user', 'guest', 'mailbox', 'person', 'member']);
const nonPersonTypes = new Set(['servicePrincipal', 'application', 'app', 'agent', 'system', 'policy', 'anonymous']);
/** Who acts where no person does. */
const nonPersonTexts = new Set(['system', 'policy', 'service', 'automation']);
/** Actors of the audit log that are processes. */
const processActor = /^(?:ingest|jobs|database):/;

/**
 * The value with each named person replaced; other texts go through `rewrite`. An actor of unknown type counts as a person.
 * Replaces nothing where `resolve` returns null.
 */
export function replacePersons(
  value: Json,
  resolve: ResolvePerson,
  rewrite: (text: string) => string,
  memberName = '',
): Json {
  if (typeof value === 'string') {
    const isPerson = textNames.has(memberName) && !nonPersonTexts.has(value) && !processActor.test(value);
    return (isPerson ? resolve(null, value)?.pseudonym : null) ?? rewrite(value);
  }
  if (Array.isArray(value)) return value.map((item) => replacePersons(item, resolve, rewrite, memberName));
  if (!isObject(value)) return value;
  const person = objectNames.has(memberName) && namesPerson(value, memberName) ? resolveObject(value, resolve) : null;
  // As a map first: a member may be named __proto__.
  const members = new Map<string, Json>();
  for (const [name, member] of Object.entries(value)) {
    const isIdentity = person !== null && typeof member === 'string' && identityNames.has(name);
    const isType = typeof member === 'string' && typeNames.has(name);
    const replaced = isIdentity ? person.pseudonym : isType ? member : replacePersons(member, resolve, rewrite, name);
    members.set(findFreeName(members, rewrite(name)), replaced);
  }
  return Object.fromEntries(members);
}

const identityNames = new Set(['id', 'userId', 'name']);
const typeNames = new Set(['type', 'kind']);

function namesPerson(value: JsonObject, memberName: string): boolean {
  const type = value.type ?? value.kind;
  if (subjectNames.has(memberName)) return typeof type === 'string' && personTypes.has(type.toLowerCase());
  return typeof type !== 'string' || !nonPersonTypes.has(type);
}

function resolveObject(value: JsonObject, resolve: ResolvePerson): Person | null {
  const [id, name] = [value.id ?? value.userId, value.name];
  return resolve(typeof id === 'string' ? id : null, typeof name === 'string' ? name : null);
}

/** Two names may have become the same pseudonym. */
function findFreeName(members: ReadonlyMap<string, Json>, name: string): string {
  let free = name;
  for (let number = 2; members.has(free); number++) free = `${name} (${number})`;
  return free;
}
