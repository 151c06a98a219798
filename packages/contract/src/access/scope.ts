import type { FeedScope } from '../feed/feeds.ts';

/** What a key may read, in the order of the documentation. */
export const scopes = [
  'logs:read',
  'detections:read',
  'policy-scans:read',
  'notifications:read',
  'actions:read',
  'security-alerts:read',
  'evidence:read',
  'users:read',
  'agents:read',
  'files:read',
  'groups:read',
  'sites:read',
  'apps:read',
  'devices:read',
  'emails:read',
  'licenses:read',
  'sensitive-info:read',
] as const satisfies readonly FeedScope[];

export type Scope = (typeof scopes)[number];

/** Former scope names that older keys still carry, and the scopes that replaced them. */
const scopeAliases = { 'monitoring-alerts:read': 'policy-scans:read' } as const satisfies Record<string, Scope>;

/** Every scope name that a key may be created with. */
export const grantableScopes: readonly string[] = [...scopes, ...Object.keys(scopeAliases)];

/** The scopes that these names grant, aliases resolved; unknown names are left out. */
export function expandScopes(names: Iterable<string>): ReadonlySet<Scope> {
  const granted = new Set<string>();
  for (const name of names)
    granted.add(Object.hasOwn(scopeAliases, name) ? scopeAliases[name as keyof typeof scopeAliases] : name);
  return new Set(scopes.filter((scope) => granted.has(scope)));
}
