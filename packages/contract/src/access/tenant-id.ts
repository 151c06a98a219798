const guid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

declare const brand: unique symbol;

/** This service's id of a tenant: a lower-case GUID. Only `asTenantId` creates it, from a tenant that was looked up or read from an envelope. */
export type TenantId = string & { readonly [brand]: 'TenantId' };

/** Lower-cases the id. Throws on anything but a GUID: text from outside goes through `parseGuid` first. */
export function asTenantId(text: string): TenantId {
  const read = parseGuid(text);
  if (read === null) throw new TypeError('a tenant id must be a GUID');
  return read as TenantId;
}

/** A GUID in any letter case, in lower case; null for anything else. */
export function parseGuid(text: string): string | null {
  const lower = text.toLowerCase();
  return guid.test(lower) ? lower : null;
}
