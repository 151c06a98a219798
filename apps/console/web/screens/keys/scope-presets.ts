import { type Scope, type ScopeGroup, scopeGroups } from '@tenantscope/contract/feeds';

export type { Scope, ScopeGroup } from '@tenantscope/contract/feeds';

export const scopeGroup = (scope: Scope): ScopeGroup => scopeGroups[scope];

/** Scopes by the purpose of a key. */
export const presets = {
  siem: (scope: Scope) => scopeGroup(scope) === 'feeds',
  mcp: (scope: Scope) => scopeGroup(scope) !== 'evidence',
  auditor: (scope: Scope) => scopeGroup(scope) === 'evidence',
  all: () => true,
  noScopes: () => false,
} as const;
export type Preset = keyof typeof presets;
