import { hash } from 'node:crypto';
import { agentLifecycleStatuses, agentPlatforms } from '@tenantscope/contract';
import { firstGuid } from '../field/guid.ts';
import { maskSecretText } from '../field/mask-secret-text.ts';
import { toEpochMs } from '../field/time.ts';
import { firstText, type Json, toInteger, toList, toObject, toText } from '../json/value.ts';
import { matchValue, type SourceReader, sourceObject, toServedTime } from './source-object.ts';

/** A row of the hunting table AgentsInfo. */
export const agentsInfo: SourceReader = (row) => {
  const record = row.properties === undefined ? row : toObject(row.properties);
  const [identity, own] = [firstGuid(record.EntraAgentID, record.EntraAgentId), toText(record.AgentId)];
  const instructions = toText(record.Instructions);
  const tools = countItems(record.DeclaredTools);
  return [
    sourceObject(record, {
      kind: 'agent',
      id: identity ?? own,
      modifiedAtMs: toEpochMs(record.LastUpdatedDateTime),
      names: [identity, own],
      facts: {
        displayName: toText(record.Name),
        platform: matchValue(platforms, toText(record.Platform)?.replaceAll(' ', '') ?? null, 'other'),
        agentVersion: toText(record.Version),
        lifecycleStatus: matchValue(agentLifecycleStatuses, firstText(record.LifecycleStatus, record.PublishedStatus)),
        blueprintId: firstGuid(record.EntraBlueprintID, record.EntraBlueprintId),
        agentIdentityId: identity,
        instructions: instructions && maskSecretText(instructions),
        instructionsHash:
          typeof record.Instructions === 'string' && instructions ? hash('sha256', record.Instructions) : null,
        hasInstructions: record.Instructions === undefined ? null : instructions !== null,
        model: toText(record.Model),
        toolCount: tools,
        mcpServerCount: countItems(record.McpServers),
        knowledgeSourceCount: countItems(record.DeclaredDataSources),
        lastPublishedAt: toServedTime(record.LastPublishedDateTime),
        createdAt: toServedTime(record.CreatedDateTime),
      },
    }),
  ];
};

function countItems(list: Json | undefined): number | null {
  return list === undefined || list === null ? null : Array.isArray(list) ? toList(list).length : toInteger(list);
}

const platforms = agentPlatforms.filter((platform) => platform !== 'unknown');
