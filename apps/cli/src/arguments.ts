import { isTimeZone, readGuid } from '@tenantscope/contract';
import { misused } from './failure.ts';

/** A GUID in lower case; refuses anything else, naming the option but not its value, which may be a pasted secret. */
export function guid(text: string, option: string): string {
  return readGuid(text.trim()) ?? refuse(`${option} must be a GUID, for example 3f2b8c1e-5d4a-4b6f-9c8d-7e6f5a4b3c2d`);
}

export function name(text: string): string {
  const trimmed = text.trim();
  return trimmed.length > 0 && trimmed.length <= 200 ? trimmed : refuse('--name must have 1 to 200 characters');
}

export function timeZone(text: string, option: string): string {
  return isTimeZone(text.trim())
    ? text.trim()
    : refuse(`${option} must be an IANA time zone, for example Europe/Warsaw`);
}

export function oneOf<Value extends string>(text: string, allowed: readonly Value[], option: string): Value {
  return allowed.find((value) => value === text) ?? refuse(`${option} must be one of ${allowed.join(', ')}`);
}

export function wholeNumber(text: string, option: string, limits: { from: number; to: number }): number {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  return value >= limits.from && value <= limits.to
    ? value
    : refuse(`${option} must be a whole number from ${limits.from} to ${limits.to}`);
}

function refuse(message: string): never {
  throw misused(message);
}
