import type { Agent, Company } from '../company.ts';
import type { AgentPlatform } from '../company-plan.ts';
import { type DemoState, formatInstant, formatOptionalInstant } from '../demo-state.ts';
import { deriveGuid, deriveNumber } from '../random.ts';
import { storylineStartMs } from '../storylines/storyline-start.ts';
import { buildAgentHistory, isCompromised, listInstructions } from './agent-history.ts';
import { listAgentPermissions } from './agent-permissions.ts';
import { countSensitiveInfo, findSensitiveInfo, isProtected, listReadableFiles } from './file-attributes.ts';
import { createEntityState, deriveRisk, formatTimeBefore, type InventorySnapshot } from './inventory-snapshot.ts';
import { toReference } from './users.ts';

const kinds: Record<AgentPlatform, string> = {
  copilotStudio: 'copilotStudioAgent',
  agentBuilder: 'declarativeAgent',
  sharePoint: 'sharePointAgent',
  foundry: 'foundryAgent',
  teams: 'bot',
  microsoft365Copilot: 'customEngineAgent',
  other: 'thirdParty',
};

export function createAgentState(snapshot: InventorySnapshot, agent: Agent): DemoState {
  const { company, atMs } = snapshot;
  const { id, name, platform, creator } = agent;
  const is = (mark: Agent['marks'][number]) => agent.marks.includes(mark);
  const files = listReadableFiles(company, agent);
  const sensitive = files.filter((file) => findSensitiveInfo(company, file).length > 0);
  const permissions = listAgentPermissions(agent);
  const life = buildAgentHistory(company, agent, atMs, storylineStartMs(company, atMs));
  const texts = listInstructions(company, agent);
  const status = statusOf(company, agent);
  const isLive = status === 'published' || status === 'deployed';
  const risk = deriveRisk(snapshot, id);
  const isAttacked = isCompromised(company, agent);
  const sites = [...new Set(files.map((file) => file.site))].slice(0, 20);
  return createEntityState(snapshot, 'agent', id, {
    createdAt: formatInstant(life.createdMs),
    lastPublishedAt: formatOptionalInstant(
      life.versions.length > 1 ? (life.versions.at(-1)?.publishedMs ?? null) : life.publishedMs,
    ),
    displayName: name,
    description: `Answers questions about ${files[0]?.site.name ?? 'the company'}.`,
    kind: kinds[platform],
    platform,
    runMode: platform === 'foundry' ? 'autonomous' : platform === 'teams' ? 'scheduled' : 'interactive',
    publisher: is('external') ? `${name.split(' ')[0]} Inc` : company.plan.name,
    isPublisherVerified: is('external') ? platform !== 'other' : null,
    publisherType: is('external') ? 'external' : platform === 'agentBuilder' ? 'shared' : 'custom',
    agentVersion: `1.${deriveNumber(9, id, 'minor')}.${deriveNumber(20, id, 'patch')}`,
    lifecycleStatus: status,
    isBlocked: status === 'blocked',
    availableTo: is('wide') ? 'all' : is('draft') ? 'none' : 'some',
    deployedTo: isAttacked ? 'all' : isLive && is('wide') ? 'some' : 'none',
    supportedHosts: platform === 'teams' ? ['teams'] : ['teams', 'outlook', 'm365App'],
    blueprintId: platform === 'foundry' ? deriveGuid(company.plan.azureTenantId, 'blueprint', name) : null,
    blueprintName: platform === 'foundry' ? `${name} blueprint` : null,
    appId: agent.appId,
    agentIdentityId: agent.servicePrincipalId,
    creatorId: creator.id,
    creatorName: creator.displayName,
    creatorTool: platform,
    ownerId: is('orphan') ? null : creator.id,
    ownerName: is('orphan') ? null : creator.displayName,
    ownerSource: is('orphan') ? 'none' : deriveNumber(3, id, 'owner') === 0 ? 'nativeSponsor' : 'nativeOwner',
    model: platform === 'foundry' ? 'GPT-5' : 'DEEP_LEO',
    toolCount: toolsOf(agent).length,
    mcpServerCount: platform === 'foundry' ? 1 : 0,
    knowledgeSourceCount: sites.length,
    permissionCount: permissions.length,
    highPrivilegePermissionCount: permissions.filter(({ tenantWide }) => tenantWide).length,
    hasTenantWideReach: is('wide'),
    hasWriteAccess: permissions.some(({ write }) => write),
    canSendMail: permissions.some(({ value }) => value === 'Mail.Send'),
    fileReachCount: files.length,
    sensitiveFileReachCount: sensitive.length,
    userReachCount: is('wide') ? company.employees.length : 1 + deriveNumber(12, id, 'users'),
    externalUserReachCount: isAttacked ? company.guests.length : 0,
    interactionCount30d: deriveNumber(60, id, 'interactions'),
    distinctUserCount30d: deriveNumber(12, id, 'askers'),
    lastActivityAt: formatTimeBefore(snapshot, is('retired') ? 90 : 2, id, 'active'),
    threatEventCount30d: isAttacked ? 3 : 0,
    riskLevel: risk,
    riskState: risk === 'none' ? 'none' : 'atRisk',
    // Agents created by others do not disclose their instructions.
    instructions: is('external') ? null : (texts.at(-1) ?? null),
    instructionChangeCount: texts.length - 1,
    authentication: isAttacked ? 'none' : 'entra',
    orchestration: 'generative',
    runsAs: runsAsOf(agent),
    riskUpdatedAt: risk === 'none' ? null : formatTimeBefore(snapshot, 2, id, 'risk'),
    environmentId: platform === 'copilotStudio' ? deriveGuid(company.plan.azureTenantId, 'environment') : null,
    dataSensitivity: sensitive.length > 0 ? 'confidential' : 'general',
    elementPermissions: permissions.filter(({ source }) => source === 'declared').map(({ value }) => value),
    labeledFileReachCount: files.filter(({ label }) => label !== null).length,
    protectedFileReachCount: files.filter(isProtected).length,
    siteReachCount: new Set(files.map((file) => file.site)).size,
    mailboxReachCount: is('wide') ? company.employees.length : 0,
    reachBasis: 'permissions',
    reachComputedAt: formatTimeBefore(snapshot, 1, id, 'reach'),
    permissions,
    tools: toolsOf(agent),
    mcpServers:
      platform === 'foundry'
        ? [{ id: 'lab-instruments', name: 'Lab instruments', url: `https://mcp.${company.plan.domain}/lab` }]
        : [],
    knowledgeSources: sites.map((site) => ({ id: site.id, name: site.name, type: 'site' })),
    triggers: platform === 'teams' ? [{ id: 'each-morning', name: 'Each morning', type: 'schedule' }] : [],
    allowedPrincipals: is('wide')
      ? [{ id: 'everyone', name: 'Everyone', type: 'tenant' }]
      : [{ ...toReference(creator), type: 'user' }],
    owners: is('orphan') ? [] : [toReference(creator)],
    sponsors: is('orphan') ? [] : [toReference(creator)],
    sensitiveInfoTypes: countSensitiveInfo(company, sensitive),
    aliases: {
      packageId: `P_${deriveGuid(agent.appId, 'package')}`,
      manifestId: deriveGuid(agent.appId, 'manifest'),
      botId: deriveGuid(agent.appId, 'bot'),
      servicePrincipalId: agent.servicePrincipalId,
    },
  });
}

function runsAsOf({ platform, marks }: Agent): string {
  if (platform === 'foundry') return 'agentIdentity';
  if (marks.includes('external')) return 'appRegistration';
  return platform === 'copilotStudio' ? 'maker' : 'endUser';
}

function toolsOf({ platform }: Agent) {
  const search = { id: 'search', name: 'Search', type: 'builtIn' };
  return platform === 'foundry' ? [search, { id: 'code', name: 'Code interpreter', type: 'builtIn' }] : [search];
}

function statusOf(company: Company, agent: Agent): string {
  if (isCompromised(company, agent)) return 'blocked';
  if (agent.marks.includes('draft')) return 'draft';
  return agent.marks.includes('wide') || deriveNumber(2, agent.id, 'deployed') === 0 ? 'deployed' : 'published';
}

/** Retired agents are deleted after a last state. */
export function createRetirement(state: DemoState): DemoState {
  return {
    topic: 'entity',
    kind: 'agent',
    id: state.id,
    changedAtMs: state.changedAtMs + 60_000,
    removedBecause: 'retired',
  };
}
