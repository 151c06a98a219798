import type { EntityKind } from '@tenantscope/contract';
import { makeVisible } from '../field/text.ts';
import { type Json, type JsonObject, toList, toObject, toText } from '../json/value.ts';

/** Other names that find an entity, in lower case, because addresses and GUIDs are compared case-insensitively. */
export function listAliases(kind: EntityKind, facts: JsonObject): string[] {
  const names = aliasFields[kind].map((field) => toText(facts[field]));
  const others = Object.values(toObject(facts.aliases)).map(toText);
  return normaliseAliases([
    ...names,
    ...others,
    ...(kind === 'user' ? listAddresses(facts.proxyAddresses) : []),
    ...(kind === 'email' ? [normaliseMessageId(toText(facts.internetMessageId))] : []),
  ]);
}

/** The mail and sign-in addresses of a list such as proxyAddresses, without their `smtp:`; others, such as `x500:`, are none. */
export function listAddresses(list: Json | undefined): string[] {
  const addresses: string[] = [];
  for (const entry of toList(list).slice(0, maxAddresses)) {
    const address = toText(entry)?.replace(/^(?:smtp|sip):/i, '');
    if (address?.includes('@') && !/^[\w-]+:/.test(address)) addresses.push(address);
  }
  return addresses;
}

/**
 * Distinct, sorted, and visible as in the rows of the log: the database refuses a NUL. Names longer than an id may be are left out: no request can contain
 * them.
 */
export function normaliseAliases(names: readonly (string | null)[]): string[] {
  const usable = names.flatMap((name) => (name && name.length <= maxAliasLength ? [makeVisible(name)] : []));
  return [...new Set(usable.filter(({ length }) => length <= maxAliasLength).map((name) => name.toLowerCase()))].sort();
}

/**
 * An address that is too long for an alias, in lower case: events name files by addresses of up to 800 characters, and
 * interactions with AI of up to 1,024. Null of any other.
 */
export function findLongAddress(address: Json | undefined): string | null {
  const text = toText(address);
  return text !== null && text.length > maxAliasLength && text.length <= maxAddressLength ? text.toLowerCase() : null;
}

/** The form by which messages are joined: without angle brackets, in lower case. */
export function normaliseMessageId(internetMessageId: string | null): string | null {
  return internetMessageId?.trim().replace(/^<|>$/g, '').toLowerCase() || null;
}

const aliasFields: Readonly<Record<EntityKind, readonly string[]>> = {
  user: ['userPrincipalName', 'mail'],
  agent: ['appId', 'agentIdentityId'],
  file: ['webUrl'],
  group: ['mail'],
  site: ['webUrl'],
  app: ['appId'],
  device: ['deviceId', 'managedDeviceId'],
  email: ['internetMessageId', 'networkMessageId'],
  license: ['skuId', 'skuPartNumber'],
  sensitiveInfoType: [],
};
const maxAliasLength = 300;
/** Longer ones are truncated in the log. */
const maxAddressLength = 1_024;
/** Exchange allows about 400 addresses of a mailbox. */
const maxAddresses = 500;
