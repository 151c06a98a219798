import { agentAudiences, agentPlatforms, agentPublisherTypes } from '@tenantscope/contract';
import type { JsonObject } from '@tenantscope/proof';
import { type InventoryAgent, readInventory } from '@tenantscope/store/compliance';
import { maskFreeText } from '../personal-data/mask-personal-data.ts';
import { findNewestStamp, type SectionReader } from '../section-reader.ts';
import { toAccountable } from '../values/accountable.ts';
import { toEnumValue, toFlag, toIsoTime, toText, toTexts } from '../values/reported-value.ts';

const identities = ['agentIdentity', 'agentUser', 'appRegistration', 'maker', 'endUser', 'unknown'] as const;
const riskClasses = ['prohibited', 'high', 'transparency', 'minimal', 'unclassified'] as const;

export const inventory: SectionReader = {
  key: 'inventory',
  async read(reading, page) {
    const { rows, totalRowCount } = await readInventory(reading, page);
    return { rows: rows.map(toRow), totalRowCount, asOfMs: findNewestStamp(rows) };
  },
};

function toRow(agent: InventoryAgent): JsonObject {
  const { facts } = agent;
  return {
    agentId: agent.agentId,
    externalIds: {
      agentIdentityId: toText(facts.agentIdentityId),
      blueprintId: toText(facts.blueprintId),
      appId: toText(facts.appId),
      packageId: toText(facts.packageId),
      manifestId: toText(facts.manifestId),
      botId: toText(facts.botId),
      environmentId: toText(facts.environmentId),
    },
    name: agent.name,
    evidence: agent.isReported ? 'reported' : 'auditOnly',
    description: maskDescription(facts.description),
    blueprint: toReference(facts.blueprintId, facts.blueprintName),
    publisher: {
      name: toText(facts.publisher),
      verified: toFlag(facts.isPublisherVerified),
      verifiedPublisherId: toText(facts.verifiedPublisherId),
      verifiedAt: toIsoTime(facts.verifiedPublisherAt),
    },
    origin: toEnumValue(facts.publisherType, agentPublisherTypes, null),
    platform: toEnumValue(facts.platform, agentPlatforms, 'unknown'),
    runsAs: toEnumValue(facts.runsAs, identities, 'unknown'),
    orchestration: toEnumValue(toLowerCase(facts.orchestration), ['generative', 'classic'], null),
    model: toText(facts.model),
    authentication: readAuthentication(facts.authentication),
    creator: readCreator(facts),
    channels: toTexts(facts.supportedHosts),
    availableTo: toEnumValue(facts.availableTo, agentAudiences, null),
    deployedTo: toEnumValue(facts.deployedTo, agentAudiences, null),
    lifecycleStatus: readLifecycle(agent),
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
    instructionsHash: toText(facts.instructionsHash),
    accountable: toAccountable(agent),
    riskClass: toEnumValue(agent.riskClass, riskClasses, 'unclassified'),
    createdAt: toIsoTime(facts.createdAt),
    lastPublishedAt: toIsoTime(facts.lastPublishedAt),
    lastActivityAt: toIsoTime(agent.lastEventMs),
    firstSeenAt: toIsoTime(agent.firstSeenMs),
    lastSeenAt: agent.isReported ? toIsoTime(facts.lastSeenAt) : toIsoTime(agent.lastEventMs),
  };
}

function maskDescription(reported: unknown): string | null {
  const description = toText(reported);
  return description && maskFreeText(description);
}

function readLifecycle({ facts, isDeleted }: InventoryAgent): string | null {
  if (isDeleted) return 'deleted';
  if (facts.isBlocked === true) return 'blocked';
  return toEnumValue(facts.lifecycleStatus, ['draft', 'published', 'deployed', 'blocked', 'deleted'], null);
}

/** From the provider's names; signing in with an account of the tenant is entra. */
function readAuthentication(reported: unknown): string {
  const word = toLowerCase(reported) ?? '';
  if (/^(none|no authentication|unauthenticated)$/.test(word)) return 'none';
  if (/entra|azuread|azure ad|integrated|microsoft/.test(word)) return 'entra';
  return /oauth|custom/.test(word) ? 'oauth2' : 'unknown';
}

function readCreator({ creatorId, creatorName, creatorTool }: InventoryAgent['facts']): JsonObject | null {
  const creator = { userId: toText(creatorId), name: toText(creatorName), tool: toText(creatorTool) };
  return Object.values(creator).some((value) => value !== null) ? creator : null;
}

function toReference(id: unknown, name: unknown): JsonObject | null {
  return toText(id) === null ? null : { id: toText(id), name: toText(name) };
}

const toLowerCase = (reported: unknown): string | null =>
  typeof reported === 'string' ? reported.toLowerCase() : null;
