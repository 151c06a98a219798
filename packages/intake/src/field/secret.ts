import { isObject, type Json, type JsonObject } from '../json/value.ts';

/** The same object with the values of members whose names speak of secrets masked, at every level. */
export function maskSecrets(members: JsonObject): JsonObject {
  const entries = Object.entries(members).map(([name, member]) => [
    name,
    namesSecret(name) && isValue(member) ? masked : member === undefined ? member : maskedWithin(member),
  ]);
  return Object.fromEntries(entries) as JsonObject;
}

function maskedWithin(value: Json): Json {
  if (Array.isArray(value)) return value.map(maskedWithin);
  return isObject(value) ? maskSecrets(value) : value;
}

function isValue(member: Json | undefined): boolean {
  return member !== undefined && member !== null && typeof member !== 'boolean';
}

/** Whole words of the name only: a `tokenCount` and a `secretaryId` are none. */
function namesSecret(name: string): boolean {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/);
  return secretEndings.test(words.filter((word) => word !== '').join(''));
}

const secretEndings =
  /(?:password|passphrase|passwd|pwd|secret|secrets|token|apikey|accesskey|privatekey|clientkey|credential|credentials|authorization|connectionstring)(?:value|text)?$/;
export const masked = '[removed]';
