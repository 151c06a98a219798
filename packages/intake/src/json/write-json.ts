import { makeVisible, mayHideText } from '../field/text.ts';
import { ExactNumber, isObject, type Json, type JsonObject } from './value.ts';

/** JSON text of a value: members in their order, digits unchanged. */
export function writeJson(value: Json): string {
  return JSON.stringify(value, (_name, member: Json) =>
    member instanceof ExactNumber ? rawJson(member.digits) : member,
  );
}

/** JSON text of an object's members without its braces, everything in them made visible. */
export function writeMembers(members: JsonObject): string {
  return writeVisible(members).slice(1, -1);
}

/** JSON text of a value without invisible characters; see `makeVisible`. */
export function writeVisible(value: Json): string {
  const text = writeJson(value);
  return mayHideText(text) ? writeJson(toVisibleJson(value)) : text;
}

/** The same value with all texts, member names included, made visible. */
export function toVisibleJson(value: Json): Json {
  if (typeof value === 'string') return makeVisible(value);
  if (Array.isArray(value)) return value.map(toVisibleJson);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([name, member]) => [makeVisible(name), member && toVisibleJson(member)]);
  return Object.fromEntries(entries) as JsonObject;
}

/** The same value with every number a double, as a schema reads it. */
export function toPlainJson(value: Json): unknown {
  if (value instanceof ExactNumber) return Number(value.digits);
  if (Array.isArray(value)) return value.map(toPlainJson);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, member === undefined ? member : toPlainJson(member)]),
  );
}

/** A number that `JSON.stringify` writes digit by digit; TypeScript does not know the function yet. */
const rawJson = (JSON as unknown as { rawJSON(digits: string): unknown }).rawJSON;
