import { agentAudiences, agentPlatforms, agentPublisherTypes } from '@tenantscope/contract';
import type { JsonObject } from '@tenantscope/proof';
import { type InventoryAgent, readInventory } from '@tenantscope/store';
import { accountableOf } from './accountable.ts';
import { newestOf, type SectionReader } from './section.ts';
import { toldFlag, toldText, toldTexts, toldTime, toldWord } from './told-value.ts';

const identities = ['agentIdentity', 'agentUser', 'appRegistration', 'maker', 'endUser', 'unknown'] as const;
const riskClasses = ['prohibited', 'high', 'transparency', 'minimal', 'unclassified'] as const;

export const inventory: SectionReader = {
  key: 'inventory',
  async read(reading, page) {
    const { rows, totalRowCount } = await readInventory(reading, page);
    return { rows: rows.map(rowOf), totalRowCount, asOfMs: newestOf(rows) };
  },
};

function rowOf(agent: InventoryAgent): JsonObject {
  const { facts } = agent;
  return {
    agentId: agent.agentId,
    externalIds: {
      agentIdentityId: toldText(facts.agentIdentityId),
      blueprintId: toldText(facts.blueprintId),
      appId: toldText(facts.appId),
      packageId: toldText(facts.packageId),
      manifestId: toldText(facts.manifestId),
      botId: toldText(facts.botId),
      environmentId: toldText(facts.environmentId),
    },
    name: agent.name,
    description: toldText(facts.description),
    blueprint: reference(facts.blueprintId, facts.blueprintName),
    publisher: {
      name: toldText(facts.publisher),
      verified: toldFlag(facts.isPublisherVerified),
      verifiedPublisherId: toldText(facts.verifiedPublisherId),
      verifiedAt: toldTime(facts.verifiedPublisherAt),
    },
    origin: toldWord(facts.publisherType, agentPublisherTypes, null),
    platform: toldWord(facts.platform, agentPlatforms, 'unknown'),
    runsAs: toldWord(facts.runsAs, identities, 'unknown'),
    orchestration: toldWord(lowerCase(facts.orchestration), ['generative', 'classic'], null),
    model: toldText(facts.model),
    authentication: authenticationOf(facts.authentication),
    creator: creatorOf(facts),
    channels: toldTexts(facts.supportedHosts),
    availableTo: toldWord(facts.availableTo, agentAudiences, null),
    deployedTo: toldWord(facts.deployedTo, agentAudiences, null),
    lifecycleStatus: lifecycleOf(agent),
    permissionCounts: {
      total: agent.total,
      direct: agent.direct,
      inherited: agent.inherited,
      declared: agent.declared,
      tenantWide: agent.tenantWide,
      write: agent.write,
      adminConsented: agent.adminConsented,
    },
    instructionsCaptured: facts.hasInstructions === true || typeof facts.instructionsHash === 'string',
    instructionsHash: toldText(facts.instructionsHash),
    accountable: accountableOf(agent),
    riskClass: toldWord(agent.riskClass, riskClasses, 'unclassified'),
    createdAt: toldTime(facts.createdAt),
    lastPublishedAt: toldTime(facts.lastPublishedAt),
    lastActivityAt: toldTime(agent.lastEventMs),
    firstSeenAt: toldTime(agent.firstSeenMs),
    lastSeenAt: toldTime(facts.lastSeenAt),
  };
}

function lifecycleOf({ facts, isDeleted }: InventoryAgent): string | null {
  if (isDeleted) return 'deleted';
  if (facts.isBlocked === true) return 'blocked';
  return toldWord(facts.lifecycleStatus, ['draft', 'published', 'deployed', 'blocked', 'deleted'], null);
}

/** By the provider's names for it; what signs in with an account of the tenant is entra. */
function authenticationOf(told: unknown): string {
  const word = lowerCase(told) ?? '';
  if (/^(none|no authentication|unauthenticated)$/.test(word)) return 'none';
  if (/entra|azuread|azure ad|integrated|microsoft/.test(word)) return 'entra';
  return /oauth|custom/.test(word) ? 'oauth2' : 'unknown';
}

function creatorOf({ creatorId, creatorName, creatorTool }: InventoryAgent['facts']): JsonObject | null {
  const creator = { userId: toldText(creatorId), name: toldText(creatorName), tool: toldText(creatorTool) };
  return Object.values(creator).some((value) => value !== null) ? creator : null;
}

function reference(id: unknown, name: unknown): JsonObject | null {
  return toldText(id) === null ? null : { id: toldText(id), name: toldText(name) };
}

const lowerCase = (told: unknown): string | null => (typeof told === 'string' ? told.toLowerCase() : null);
