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
] as const;

export type Scope = (typeof scopes)[number];

/** Names that keys made long ago still carry, and what they count as. */
export const scopeAliases = { 'monitoring-alerts:read': 'policy-scans:read' } as const satisfies Record<string, Scope>;

/** Everything a key may be given by name. */
export const grantableScopes: readonly string[] = [...scopes, ...Object.keys(scopeAliases)];

/** The scopes a key's words grant, aliases resolved; words that grant nothing are left out. */
export function expandScopes(words: Iterable<string>): ReadonlySet<Scope> {
  const granted = new Set<string>();
  for (const word of words)
    granted.add(Object.hasOwn(scopeAliases, word) ? scopeAliases[word as keyof typeof scopeAliases] : word);
  return new Set(scopes.filter((scope) => granted.has(scope)));
}
