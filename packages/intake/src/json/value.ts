/** A number whose digits a double would not preserve: beyond 2^53, `1.0`, `1e3`, `-0`. */
export class ExactNumber {
  readonly digits: string;

  constructor(digits: string) {
    this.digits = digits;
  }
}

/** A provider's value. Nothing in it can be trusted to have the documented type. */
export type Json = string | number | boolean | null | ExactNumber | readonly Json[] | JsonObject;
export type JsonObject = { readonly [name: string]: Json | undefined };

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber);
}

/** The object itself, or an empty one, so that chains of optional members stay short. */
export function toObject(value: Json | undefined): JsonObject {
  return isObject(value) ? value : emptyObject;
}

export function toList(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : emptyList;
}

/** A non-empty text, trimmed; numbers give their digits unchanged. Empty, missing or any other type: null. */
export function toText(value: Json | undefined): string | null {
  if (typeof value === 'string') return value.trim() || null;
  if (typeof value === 'number') return String(value);
  return value instanceof ExactNumber ? value.digits : null;
}

/** The first value that is a non-empty text. */
export function firstText(...values: readonly (Json | undefined)[]): string | null {
  for (const value of values) {
    const text = toText(value);
    if (text !== null) return text;
  }
  return null;
}

/** A safe integer, also from text (`"25"`, `"1.0"`, `"1e9"`). */
export function toInteger(value: Json | undefined): number | null {
  const text = toText(value);
  if (text === null || !decimal.test(text)) return null;
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : null;
}

/** A finite number, also from text (`"52.5"`). */
export function toNumber(value: Json | undefined): number | null {
  const text = toText(value);
  if (text === null || !decimal.test(text)) return null;
  const number = Number(text);
  return Number.isFinite(number) ? number : null;
}

/** True and false, also from text (`"True"`). */
export function toBoolean(value: Json | undefined): boolean | null {
  if (typeof value === 'boolean') return value;
  const text = typeof value === 'string' ? value.trim().toLowerCase() : null;
  if (text === 'true') return true;
  return text === 'false' ? false : null;
}

const emptyObject: JsonObject = Object.freeze({});
const emptyList: readonly Json[] = Object.freeze([]);
const decimal = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
