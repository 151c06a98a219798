import { guidOf, numberOf } from '../chance.ts';
import type { Agent, Company } from '../company.ts';
import type { DemoState } from '../demo-state.ts';
import { shown, shownOrNull } from '../demo-state.ts';
import { type AgentPermission, permissionsOf } from '../estate/agent-permissions.ts';
import { one } from '../estate/file-facts.ts';
import { evidenceState } from './evidence-state.ts';

/** What an agent was granted, what it has from its blueprint, and what it only declares. */
export function* permissionGrants(
  company: Company,
  agent: Agent,
  grantedMs: number,
  endMs: number,
): Generator<DemoState> {
  for (const permission of permissionsOf(agent))
    yield evidenceState(
      'permissionGrant',
      guidOf(agent.id, permission.value),
      grantedMs,
      grantOf(company, agent, permission, grantedMs, endMs),
    );
}

function grantOf(company: Company, agent: Agent, permission: AgentPermission, grantedMs: number, endMs: number) {
  const { value, kind, source, resource, resourceId, adminConsented, tenantWide, write } = permission;
  const consenter = one(company.admins, agent.id, value);
  const isGranted = source !== 'declared';
  const usedMs = endMs - numberOf(20 * 86_400_000, agent.id, value, 'used');
  return {
    agentId: agent.id,
    agentName: agent.name,
    value,
    permissionKind: kind,
    source,
    resourceId,
    resourceName: resource,
    consentType: kind === 'delegated' && isGranted ? (tenantWide ? 'allPrincipals' : 'principal') : null,
    adminConsented,
    consentedBy: adminConsented ? { userId: consenter.id, name: consenter.displayName } : null,
    consentedAt: shownOrNull(isGranted ? grantedMs : null),
    tenantWide,
    writeAccess: write,
    sensitivity: tenantWide ? 'high' : write ? 'medium' : 'low',
    lastUsedAt: isGranted && usedMs > grantedMs ? shown(usedMs) : null,
  };
}
