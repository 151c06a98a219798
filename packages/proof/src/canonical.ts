export type Json = string | number | boolean | null | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [name: string]: Json;
}

/** A value without a canonical text. `path` is its path from the root, as in `rows[3].count`; empty for the root. */
export class NotCanonicalError extends TypeError {
  readonly path: string;
  readonly reason: string;

  constructor(path: string, reason: string) {
    super(path === '' ? reason : `${path}: ${reason}`);
    this.path = path;
    this.reason = reason;
  }
}

/**
 * The canonical text of a JSON value (RFC 8785): members sorted by UTF-16 code units at all levels, no white space, numbers
 * and escapes as ECMAScript writes them. Values that two readers could parse differently are rejected with
 * `NotCanonicalError`: a number beyond ±(2^53 − 1) (neighbouring integers share a double there), a number that is not
 * finite, an unpaired surrogate, a member without a value.
 */
export function canonicalize(value: Json): string {
  return writeValue(value, '');
}

function writeValue(value: Json, path: string): string {
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'string') return writeText(value, path);
  if (typeof value === 'number') return writeNumber(value, path);
  if (Array.isArray(value)) return `[${value.map((item, index) => writeValue(item, `${path}[${index}]`)).join(',')}]`;
  if (!isPlainObject(value)) throw new NotCanonicalError(path, 'not a JSON value');
  const members = Object.keys(value)
    .sort()
    .map((name) => `${writeText(name, path)}:${writeValue(value[name] as Json, joinPath(path, name))}`);
  return `{${members.join(',')}}`;
}

export const joinPath = (path: string, name: string) => (path === '' ? name : `${path}.${name}`);

function writeText(value: string, path: string): string {
  if (!value.isWellFormed()) throw new NotCanonicalError(path, 'a text with an unpaired surrogate');
  return JSON.stringify(value);
}

function writeNumber(value: number, path: string): string {
  if (!Number.isFinite(value)) throw new NotCanonicalError(path, 'a number that is not finite');
  if (Math.abs(value) > Number.MAX_SAFE_INTEGER) throw new NotCanonicalError(path, 'a number beyond ±(2^53 − 1)');
  return JSON.stringify(value);
}

function isPlainObject(value: unknown): value is JsonObject {
  if (typeof value !== 'object' || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** The canonical text of an object from the canonical texts of its members, so that large members are written once. */
export function canonicalizeObject(members: Readonly<Record<string, string>>): string {
  const named = Object.keys(members)
    .sort()
    .map((name) => `${writeText(name, '')}:${members[name]}`);
  return `{${named.join(',')}}`;
}
