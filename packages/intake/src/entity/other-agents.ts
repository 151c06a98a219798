import { hash } from 'node:crypto';
import { agentLifecycleStatuses, agentPlatforms } from '@tenantscope/contract';
import { firstGuid } from '../field/guid.ts';
import { maskSecretText } from '../field/secret-text.ts';
import { timeOf } from '../field/time.ts';
import { firstText, integerOf, type Json, listOf, objectOf, textOf } from '../json/value.ts';
import { moment, oneOf, type SourceFormat, sourceObject } from './source-object.ts';

/** A bot of Copilot Studio: a row of the table `bot` of its environment. */
export const powerPlatformBot: SourceFormat = (record) => {
  const id = firstText(record.botid, record.botId);
  const published = moment(record.publishedon);
  return [
    sourceObject(record, {
      kind: 'agent',
      id,
      modifiedAtMs: timeOf(record.modifiedon),
      names: [textOf(record.schemaname), firstGuid(record.applicationid)],
      facts: {
        displayName: textOf(record.name),
        kind: 'copilotStudioAgent',
        platform: 'copilotStudio',
        lifecycleStatus: published === null ? 'draft' : 'published',
        appId: firstGuid(record.applicationid),
        creatorId: textOf(record._createdby_value),
        creatorTool: 'Copilot Studio',
        ownerId: textOf(record._ownerid_value),
        ownerSource: textOf(record._ownerid_value) && 'nativeOwner',
        authentication: authenticationModes[integerOf(record.authenticationmode) ?? -1] ?? null,
        environmentId: firstText(record.environmentid, record.environmentId),
        lastPublishedAt: published,
        botId: id,
        aliases: { packageId: null, manifestId: null, botId: id, servicePrincipalId: null },
        createdAt: moment(record.createdon),
      },
    }),
  ];
};

/** A row of the hunting table AgentsInfo. */
export const agentsInfo: SourceFormat = (row) => {
  const record = row.properties === undefined ? row : objectOf(row.properties);
  const [identity, own] = [firstGuid(record.EntraAgentID, record.EntraAgentId), textOf(record.AgentId)];
  const instructions = textOf(record.Instructions);
  const tools = countOf(record.DeclaredTools);
  return [
    sourceObject(record, {
      kind: 'agent',
      id: identity ?? own,
      modifiedAtMs: timeOf(record.LastUpdatedDateTime),
      names: [identity, own],
      facts: {
        displayName: textOf(record.Name),
        platform: oneOf(platforms, textOf(record.Platform)?.replaceAll(' ', '') ?? null, 'other'),
        agentVersion: textOf(record.Version),
        lifecycleStatus: oneOf(agentLifecycleStatuses, firstText(record.LifecycleStatus, record.PublishedStatus)),
        blueprintId: firstGuid(record.EntraBlueprintID, record.EntraBlueprintId),
        agentIdentityId: identity,
        instructions: instructions && maskSecretText(instructions),
        instructionsHash:
          typeof record.Instructions === 'string' && instructions ? hash('sha256', record.Instructions) : null,
        hasInstructions: record.Instructions === undefined ? null : instructions !== null,
        model: textOf(record.Model),
        toolCount: tools,
        mcpServerCount: countOf(record.McpServers),
        knowledgeSourceCount: countOf(record.DeclaredDataSources),
        lastPublishedAt: moment(record.LastPublishedDateTime),
        createdAt: moment(record.CreatedDateTime),
      },
    }),
  ];
};

function countOf(list: Json | undefined): number | null {
  return list === undefined || list === null ? null : Array.isArray(list) ? listOf(list).length : integerOf(list);
}

/** By the number of the column's choice. */
const authenticationModes = ['unknown', 'none', 'entra', 'entra', 'oauth2'];
const platforms = agentPlatforms.filter((platform) => platform !== 'unknown');
