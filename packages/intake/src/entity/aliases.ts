import type { EntityKind } from '@tenantscope/contract';
import { type JsonObject, objectOf, textOf } from '../json/value.ts';

/** Other names by which an entity is asked for: lower case, since addresses and GUIDs are compared so. */
export function aliasesOf(kind: EntityKind, facts: JsonObject): string[] {
  const names = aliasFields[kind].map((field) => textOf(facts[field]));
  const others = Object.values(objectOf(facts.aliases)).map(textOf);
  return asAliases([
    ...names,
    ...others,
    ...(kind === 'email' ? [bareMessageId(textOf(facts.internetMessageId))] : []),
  ]);
}

/** Distinct and in order. Longer ones than an id may be are left out: nobody can ask for them. */
export function asAliases(names: readonly (string | null)[]): string[] {
  const known = names.filter((name) => name !== null && name !== '' && name.length <= longestAlias) as string[];
  return [...new Set(known.map((name) => name.toLowerCase()))].sort();
}

/** As messages are joined: without angle brackets, in lower case. */
export function bareMessageId(internetMessageId: string | null): string | null {
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
const longestAlias = 300;
