import { isTimeZone, parseGuid as parseAnyGuid } from '@tenantscope/contract';
import { usageError } from '../command-error.ts';

/** Parses a GUID to lower case; the error names the option but not its value, which may be a pasted secret. */
export function parseGuid(text: string, option: string): string {
  return (
    parseAnyGuid(text.trim()) ?? fail(`${option} must be a GUID, for example 3f2b8c1e-5d4a-4b6f-9c8d-7e6f5a4b3c2d`)
  );
}

export function parseName(text: string): string {
  const trimmed = text.trim();
  return trimmed.length > 0 && trimmed.length <= 200 ? trimmed : fail('--name must have 1 to 200 characters');
}

export function parseTimeZone(text: string, option: string): string {
  return isTimeZone(text.trim()) ? text.trim() : fail(`${option} must be an IANA time zone, for example Europe/Warsaw`);
}

export function parseChoice<Value extends string>(text: string, allowed: readonly Value[], option: string): Value {
  return allowed.find((value) => value === text) ?? fail(`${option} must be one of ${allowed.join(', ')}`);
}

export function parseInteger(text: string, option: string, limits: { from: number; to: number }): number {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  return value >= limits.from && value <= limits.to
    ? value
    : fail(`${option} must be a whole number from ${limits.from} to ${limits.to}`);
}

/** Collects `name=value`, given several times. */
export function parseAssignment(
  text: string,
  earlier: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  const [, name, value] = /^([A-Za-z]+)=(.+)$/s.exec(text) ?? [];
  return name === undefined || value === undefined
    ? fail('--filter must be name=value, for example action=FileDeleted')
    : { ...earlier, [name]: value };
}

function fail(message: string): never {
  throw usageError(message);
}
