/** A number whose digits a double would not give back: beyond 2^53, `1.0`, `1e3`, `-0`. Kept as it was written. */
export class ExactNumber {
  readonly digits: string;

  constructor(digits: string) {
    this.digits = digits;
  }
}

/** What a provider sent. Nothing in it can be trusted to have the type its documentation says. */
export type Json = string | number | boolean | null | ExactNumber | readonly Json[] | JsonObject;
export type JsonObject = { readonly [name: string]: Json | undefined };

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber);
}

/** The object itself, or an empty one, so that a chain of optional members reads plainly. */
export function objectOf(value: Json | undefined): JsonObject {
  return isObject(value) ? value : nothing;
}

export function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : none;
}

/** A non-empty text, trimmed; numbers give their digits as written. Empty, missing or any other type: null. */
export function textOf(value: Json | undefined): string | null {
  if (typeof value === 'string') return value.trim() || null;
  if (typeof value === 'number') return String(value);
  return value instanceof ExactNumber ? value.digits : null;
}

/** First that is a non-empty text. */
export function firstText(...values: readonly (Json | undefined)[]): string | null {
  for (const value of values) {
    const text = textOf(value);
    if (text !== null) return text;
  }
  return null;
}

/** A safe integer, also where it comes as text («"25"», «"1.0"», «"1e9"»). */
export function integerOf(value: Json | undefined): number | null {
  const text = textOf(value);
  if (text === null || !decimal.test(text)) return null;
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : null;
}

/** True and false, also where they come as text («"True"»). */
export function booleanOf(value: Json | undefined): boolean | null {
  if (typeof value === 'boolean') return value;
  const text = typeof value === 'string' ? value.trim().toLowerCase() : null;
  if (text === 'true') return true;
  return text === 'false' ? false : null;
}

const nothing: JsonObject = Object.freeze({});
const none: readonly Json[] = Object.freeze([]);
const decimal = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
