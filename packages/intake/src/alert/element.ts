import { type AlertUser, alertElementsMax } from '@tenantscope/contract';
import type { AlertElements } from './alert.ts';

interface Element {
  readonly id: string;
  readonly roles?: readonly string[];
  readonly verdict?: string | null;
}

/** An element as evidence gives it: without an id it can be linked to nothing. */
export type Found<One extends Element> = Omit<One, 'id'> & { readonly id: string | null };

/**
 * One element for each id, in the order of first mention. What an earlier piece of evidence leaves open a later one fills
 * in; roles add up; the gravest verdict stands.
 */
export function distinct<One extends Element>(found: readonly Found<One>[]): One[] {
  const byId = new Map<string, One>();
  for (const element of found) {
    if (element.id === null) continue;
    const known = byId.get(element.id);
    if (known !== undefined) byId.set(element.id, merge(known, element as One));
    else if (byId.size < alertElementsMax) byId.set(element.id, element as One);
  }
  return [...byId.values()];
}

/** A user of whom nothing but an address is known. */
export function userNamed(address: string): AlertUser {
  return { id: address, name: null, userPrincipalName: address, roles: [], verdict: null };
}

function merge<One extends Element>(known: One, more: One): One {
  const merged: { [name: string]: unknown } = Object.fromEntries(Object.entries(known));
  for (const [name, value] of Object.entries(more)) merged[name] ??= value;
  if (known.roles !== undefined) merged.roles = [...new Set([...known.roles, ...(more.roles ?? [])])];
  if (more.verdict !== undefined) merged.verdict = graver(known.verdict ?? null, more.verdict);
  return merged as unknown as One;
}

function graver(one: string | null, other: string | null): string | null {
  return verdicts.indexOf(other ?? '') > verdicts.indexOf(one ?? '') ? other : (one ?? other);
}

/** From harmless to grave; a word not known here never replaces one. */
const verdicts = ['unknown', 'noThreatsFound', 'suspicious', 'malicious'];

export const noElements: AlertElements = { users: [], groups: [], emails: [], apps: [] };
