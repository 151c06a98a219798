import { guidOf, numberOf } from '../chance.ts';
import type { Agent, Company } from '../company.ts';
import type { AgentPlatform } from '../company-plan.ts';
import { type DemoState, shown, shownOrNull } from '../demo-state.ts';
import { storylineStartMs } from '../storylines/storyline-start.ts';
import { isBroken, lifeOf, textsOf } from './agent-life.ts';
import { permissionsOf } from './agent-permissions.ts';
import { filesReadBy, infoCounts, infoIn, isProtected } from './file-facts.ts';
import { entityState, momentBefore, type Picture, riskOf } from './picture.ts';
import { reference } from './users.ts';

const kinds: Record<AgentPlatform, string> = {
  copilotStudio: 'copilotStudioAgent',
  agentBuilder: 'declarativeAgent',
  sharePoint: 'sharePointAgent',
  foundry: 'foundryAgent',
  teams: 'bot',
  microsoft365Copilot: 'customEngineAgent',
  other: 'thirdParty',
};

export function agentState(picture: Picture, agent: Agent): DemoState {
  const { company, atMs } = picture;
  const { id, name, platform, creator } = agent;
  const is = (mark: Agent['marks'][number]) => agent.marks.includes(mark);
  const files = filesReadBy(company, agent);
  const sensitive = files.filter((file) => infoIn(company, file).length > 0);
  const permissions = permissionsOf(agent);
  const life = lifeOf(company, agent, atMs, storylineStartMs(company, atMs));
  const texts = textsOf(company, agent);
  const status = statusOf(company, agent);
  const isLive = status === 'published' || status === 'deployed';
  const risk = riskOf(picture, id);
  const isAttacked = isBroken(company, agent);
  const sites = [...new Set(files.map((file) => file.site))].slice(0, 20);
  return entityState(picture, 'agent', id, {
    createdAt: shown(life.createdMs),
    lastPublishedAt: shownOrNull(
      life.editions.length > 1 ? (life.editions.at(-1)?.publishedMs ?? null) : life.publishedMs,
    ),
    displayName: name,
    description: `Answers questions about ${files[0]?.site.name ?? 'the company'}.`,
    kind: kinds[platform],
    platform,
    runMode: platform === 'foundry' ? 'autonomous' : platform === 'teams' ? 'scheduled' : 'interactive',
    publisher: is('external') ? `${name.split(' ')[0]} Inc` : company.plan.name,
    isPublisherVerified: is('external') ? platform !== 'other' : null,
    publisherType: is('external') ? 'external' : platform === 'agentBuilder' ? 'shared' : 'custom',
    agentVersion: `1.${numberOf(9, id, 'minor')}.${numberOf(20, id, 'patch')}`,
    lifecycleStatus: status,
    isBlocked: status === 'blocked',
    availableTo: is('wide') ? 'all' : is('draft') ? 'none' : 'some',
    deployedTo: isAttacked ? 'all' : isLive && is('wide') ? 'some' : 'none',
    supportedHosts: platform === 'teams' ? ['teams'] : ['teams', 'outlook', 'm365App'],
    blueprintId: platform === 'foundry' ? guidOf(company.plan.azureTenantId, 'blueprint', name) : null,
    blueprintName: platform === 'foundry' ? `${name} blueprint` : null,
    appId: agent.appId,
    agentIdentityId: agent.servicePrincipalId,
    creatorId: creator.id,
    creatorName: creator.displayName,
    creatorTool: platform,
    ownerId: is('orphan') ? null : creator.id,
    ownerName: is('orphan') ? null : creator.displayName,
    ownerSource: is('orphan') ? 'none' : numberOf(3, id, 'owner') === 0 ? 'nativeSponsor' : 'nativeOwner',
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
    userReachCount: is('wide') ? company.people.length : 1 + numberOf(12, id, 'users'),
    externalUserReachCount: isAttacked ? company.guests.length : 0,
    interactionCount30d: numberOf(60, id, 'interactions'),
    distinctUserCount30d: numberOf(12, id, 'askers'),
    lastActivityAt: momentBefore(picture, is('retired') ? 90 : 2, id, 'active'),
    threatEventCount30d: isAttacked ? 3 : 0,
    riskLevel: risk,
    riskState: risk === 'none' ? 'none' : 'atRisk',
    // Agents that others made keep what they are told to themselves.
    instructions: is('external') ? null : (texts.at(-1) ?? null),
    instructionChangeCount: texts.length - 1,
    authentication: isAttacked ? 'none' : 'entra',
    orchestration: 'generative',
    runsAs: runsAsOf(agent),
    riskUpdatedAt: risk === 'none' ? null : momentBefore(picture, 2, id, 'risk'),
    environmentId: platform === 'copilotStudio' ? guidOf(company.plan.azureTenantId, 'environment') : null,
    dataSensitivity: sensitive.length > 0 ? 'confidential' : 'general',
    elementPermissions: permissions.filter(({ source }) => source === 'declared').map(({ value }) => value),
    labeledFileReachCount: files.filter(({ label }) => label !== null).length,
    protectedFileReachCount: files.filter(isProtected).length,
    siteReachCount: new Set(files.map((file) => file.site)).size,
    mailboxReachCount: is('wide') ? company.people.length : 0,
    reachBasis: 'permissions',
    reachComputedAt: momentBefore(picture, 1, id, 'reach'),
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
      : [{ ...reference(creator), type: 'user' }],
    owners: is('orphan') ? [] : [reference(creator)],
    sponsors: is('orphan') ? [] : [reference(creator)],
    sensitiveInfoTypes: infoCounts(company, sensitive),
    aliases: {
      packageId: `P_${guidOf(agent.appId, 'package')}`,
      manifestId: guidOf(agent.appId, 'manifest'),
      botId: guidOf(agent.appId, 'bot'),
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
  if (isBroken(company, agent)) return 'blocked';
  if (agent.marks.includes('draft')) return 'draft';
  return agent.marks.includes('wide') || numberOf(2, agent.id, 'deployed') === 0 ? 'deployed' : 'published';
}

/** Retired agents are deleted after a last state. */
export function retirementOf(state: DemoState): DemoState {
  return {
    topic: 'entity',
    kind: 'agent',
    id: state.id,
    changedAtMs: state.changedAtMs + 60_000,
    removedBecause: 'retired',
  };
}
