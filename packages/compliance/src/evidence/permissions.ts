import type { JsonObject } from '@tenantscope/proof';
import { type AgentPermission, readAgentPermissions } from '@tenantscope/store';
import { newestOf, type SectionReader } from './section.ts';
import { toldTime, toldWord } from './told-value.ts';

export const permissions: SectionReader = {
  key: 'permissions',
  async read(reading, page) {
    const { rows, totalRowCount } = await readAgentPermissions(reading, page);
    return { rows: rows.map(rowOf), totalRowCount, asOfMs: newestOf(rows) };
  },
};

function rowOf(grant: AgentPermission): JsonObject {
  const { consentedById: userId, consentedByName: name } = grant;
  return {
    agentId: grant.agentId,
    agentName: grant.agentName ?? grant.agentId,
    permissionId: grant.permissionId,
    value: grant.value,
    permissionKind: grant.permissionKind,
    source: grant.source,
    resourceId: grant.resourceId,
    resourceName: grant.resourceName,
    consentType: grant.consentType,
    adminConsented: grant.adminConsented,
    consentedBy: userId === null && name === null ? null : { userId, name },
    consentedAt: toldTime(grant.consentedMs),
    tenantWide: grant.tenantWide,
    writeAccess: grant.writeAccess,
    sensitivity: sensitivityOf(grant),
    lastUsedAt: toldTime(grant.lastUsedMs),
  };
}

/** As told, else by what the permission reaches and whether it lets anything be changed. */
function sensitivityOf({ sensitivity, tenantWide, writeAccess }: AgentPermission): string {
  const rated = tenantWide && writeAccess ? 'high' : tenantWide || writeAccess ? 'medium' : 'low';
  return toldWord(sensitivity, ['low', 'medium', 'high'], null) ?? rated;
}
