import { type AlertUser, alertElementsMax } from '@tenantscope/contract';
import type { AlertElements } from './alert.ts';

interface Element {
  readonly id: string;
  readonly roles?: readonly string[];
  readonly verdict?: string | null;
}

/** An element as found in evidence; without an id it is dropped. */
export type FoundElement<One extends Element> = Omit<One, 'id'> & { readonly id: string | null };

/**
 * Merges elements by id, in the order of first mention. Later evidence fills in what earlier evidence leaves null; roles are
 * combined; the most severe verdict wins.
 */
export function mergeElements<One extends Element>(found: readonly FoundElement<One>[]): One[] {
  const byId = new Map<string, One>();
  for (const element of found) {
    if (element.id === null) continue;
    const existing = byId.get(element.id);
    if (existing !== undefined) byId.set(element.id, merge(existing, element as One));
    else if (byId.size < alertElementsMax) byId.set(element.id, element as One);
  }
  return [...byId.values()];
}

/** A user with nothing but an address. */
export function toAddressUser(address: string): AlertUser {
  return { id: address, name: null, userPrincipalName: address, roles: [], verdict: null };
}

function merge<One extends Element>(existing: One, addition: One): One {
  const merged: { [name: string]: unknown } = Object.fromEntries(Object.entries(existing));
  for (const [name, value] of Object.entries(addition)) merged[name] ??= value;
  if (existing.roles !== undefined) merged.roles = [...new Set([...existing.roles, ...(addition.roles ?? [])])];
  if (addition.verdict !== undefined) merged.verdict = pickGraver(existing.verdict ?? null, addition.verdict);
  return merged as unknown as One;
}

function pickGraver(one: string | null, other: string | null): string | null {
  return verdicts.indexOf(other ?? '') > verdicts.indexOf(one ?? '') ? other : (one ?? other);
}

/** From harmless to severe; an unlisted verdict never replaces a listed one. */
const verdicts = ['unknown', 'noThreatsFound', 'suspicious', 'malicious'];

export const noElements: AlertElements = { users: [], groups: [], emails: [], apps: [] };
