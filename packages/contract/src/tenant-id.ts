const guid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

declare const brand: unique symbol;

/** Our own id of a tenant: a lower-case GUID. Made by `asTenantId` only, where a tenant was looked up or read from an envelope. */
export type TenantId = string & { readonly [brand]: 'TenantId' };

/** Lower-cases and checks; what is no GUID is a programming mistake here, since text from outside goes through `readGuid` first. */
export function asTenantId(text: string): TenantId {
  const read = readGuid(text);
  if (read === null) throw new TypeError('a tenant id must be a GUID');
  return read as TenantId;
}

/** A GUID in any letter case, in lower case; null for anything else. */
export function readGuid(text: string): string | null {
  const lower = text.toLowerCase();
  return guid.test(lower) ? lower : null;
}
