import type { JsonObject } from '@tenantscope/proof';
import { type AgentPermission, readAgentPermissions } from '@tenantscope/store/compliance';
import { findNewestStamp, type SectionReader } from '../section-reader.ts';
import { toEnumValue, toIsoTime } from '../values/reported-value.ts';

export const permissions: SectionReader = {
  key: 'permissions',
  async read(reading, page) {
    const { rows, totalRowCount } = await readAgentPermissions(reading, page);
    return { rows: rows.map(toRow), totalRowCount, asOfMs: findNewestStamp(rows) };
  },
};

function toRow(grant: AgentPermission): JsonObject {
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
    consentedAt: toIsoTime(grant.consentedMs),
    tenantWide: grant.tenantWide,
    writeAccess: grant.writeAccess,
    sensitivity: rateSensitivity(grant),
    lastUsedAt: toIsoTime(grant.lastUsedMs),
  };
}

/** As reported, else from the permission's reach and whether it allows writing. */
function rateSensitivity({ sensitivity, tenantWide, writeAccess }: AgentPermission): string {
  const rated = tenantWide && writeAccess ? 'high' : tenantWide || writeAccess ? 'medium' : 'low';
  return toEnumValue(sensitivity, ['low', 'medium', 'high'], null) ?? rated;
}
