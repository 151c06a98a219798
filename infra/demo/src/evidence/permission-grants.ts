import type { Agent, Company } from '../company.ts';
import type { DemoState } from '../demo-state.ts';
import { formatInstant, formatOptionalInstant } from '../demo-state.ts';
import { type AgentPermission, listAgentPermissions } from '../inventory/agent-permissions.ts';
import { derivePick } from '../inventory/file-attributes.ts';
import { deriveGuid, deriveNumber } from '../random.ts';
import { createEvidenceState } from './evidence-state.ts';

/** The permissions of an agent: granted, inherited from its blueprint, and only declared. */
export function* generatePermissionGrants(
  company: Company,
  agent: Agent,
  grantedMs: number,
  endMs: number,
): Generator<DemoState> {
  for (const permission of listAgentPermissions(agent))
    yield createEvidenceState(
      'permissionGrant',
      deriveGuid(agent.id, permission.value),
      grantedMs,
      createGrant(company, agent, permission, grantedMs, endMs),
    );
}

function createGrant(company: Company, agent: Agent, permission: AgentPermission, grantedMs: number, endMs: number) {
  const { value, kind, source, resource, resourceId, adminConsented, tenantWide, write } = permission;
  const consenter = derivePick(company.admins, agent.id, value);
  const isGranted = source !== 'declared';
  const usedMs = endMs - deriveNumber(20 * 86_400_000, agent.id, value, 'used');
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
    consentedAt: formatOptionalInstant(isGranted ? grantedMs : null),
    tenantWide,
    writeAccess: write,
    sensitivity: tenantWide ? 'high' : write ? 'medium' : 'low',
    lastUsedAt: isGranted && usedMs > grantedMs ? formatInstant(usedMs) : null,
  };
}
