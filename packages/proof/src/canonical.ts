export type Json = string | number | boolean | null | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [name: string]: Json;
}

/** A value that has no canonical text. `path` leads to it from the root, as in `rows[3].count`; empty for the root. */
export class NotCanonical extends TypeError {
  readonly path: string;
  readonly reason: string;

  constructor(path: string, reason: string) {
    super(path === '' ? reason : `${path}: ${reason}`);
    this.path = path;
    this.reason = reason;
  }
}

/**
 * The one text of a JSON value by RFC 8785: members sorted by UTF-16 code units at all levels, no white space, numbers
 * and escapes as ECMAScript writes them. What two readers could understand differently is refused with `NotCanonical`: a number
 * beyond ±(2^53 − 1) (neighbouring integers share a double there), a number that is not finite, an unpaired surrogate,
 * a member without a value.
 */
export function canonical(value: Json): string {
  return write(value, '');
}

function write(value: Json, path: string): string {
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'string') return text(value, path);
  if (typeof value === 'number') return number(value, path);
  if (Array.isArray(value)) return `[${value.map((item, index) => write(item, `${path}[${index}]`)).join(',')}]`;
  if (!isPlainObject(value)) throw new NotCanonical(path, 'not a JSON value');
  const members = Object.keys(value)
    .sort()
    .map((name) => `${text(name, path)}:${write(value[name] as Json, member(path, name))}`);
  return `{${members.join(',')}}`;
}

export const member = (path: string, name: string) => (path === '' ? name : `${path}.${name}`);

function text(value: string, path: string): string {
  if (!value.isWellFormed()) throw new NotCanonical(path, 'a text with an unpaired surrogate');
  return JSON.stringify(value);
}

function number(value: number, path: string): string {
  if (!Number.isFinite(value)) throw new NotCanonical(path, 'a number that is not finite');
  if (Math.abs(value) > Number.MAX_SAFE_INTEGER) throw new NotCanonical(path, 'a number beyond ±(2^53 − 1)');
  return JSON.stringify(value);
}

function isPlainObject(value: unknown): value is JsonObject {
  if (typeof value !== 'object' || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** The canonical text of an object whose members' canonical texts are at hand, so that large ones are written once. */
export function canonicalObject(members: Readonly<Record<string, string>>): string {
  const named = Object.keys(members)
    .sort()
    .map((name) => `${text(name, '')}:${members[name]}`);
  return `{${named.join(',')}}`;
}
