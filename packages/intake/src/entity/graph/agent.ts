import { timeOf } from '../../field/time.ts';
import {
  booleanOf,
  firstText,
  isObject,
  type Json,
  type JsonObject,
  listOf,
  objectOf,
  textOf,
} from '../../json/value.ts';
import { moment, oneOf, riskLevelOf, riskStateOf, type SourceFormat, sourceObject } from '../source-object.ts';

/** An entry of the agent store, in the short form of its list or the long one of its detail. */
export const graphCopilotPackage: SourceFormat = (record) => {
  const [id, appId] = [textOf(record.id), textOf(record.appId)];
  const elements = listOf(record.elementTypes).map((type) => textOf(type)?.toLowerCase());
  const ownerId = textOf(record.ownerId);
  const blocked = booleanOf(record.isBlocked);
  const botId = botOf(record);
  return [
    sourceObject(record, {
      kind: 'agent',
      id: appId ?? id,
      modifiedAtMs: timeOf(record.lastModifiedDateTime),
      names: [id, appId, textOf(record.manifestId), textOf(record.assetId), botId],
      facts: {
        displayName: textOf(record.displayName),
        description: firstText(record.shortDescription, record.longDescription),
        kind: kindOf(elements, textOf(record.type)),
        platform: elements.includes('declarativeagent')
          ? 'microsoft365Copilot'
          : oneOf(['teams'], textOf(record.platform), null),
        publisher: textOf(record.publisher),
        publisherType: oneOf(['microsoft', 'external', 'shared', 'custom'], textOf(record.type)),
        agentVersion: textOf(record.version),
        lifecycleStatus: blocked ? 'blocked' : lifecycleOf(textOf(record.deployedTo)),
        isBlocked: blocked,
        availableTo: oneOf(['none', 'some', 'all'], textOf(record.availableTo)),
        deployedTo: oneOf(['none', 'some', 'all'], textOf(record.deployedTo)),
        supportedHosts: record.supportedHosts === undefined ? null : listOf(record.supportedHosts).map(textOf),
        appId,
        ownerId,
        ownerSource: ownerId && 'nativeOwner',
        allowedPrincipals:
          record.allowedUsersAndGroups === undefined
            ? null
            : listOf(record.allowedUsersAndGroups).map((one) => {
                const { resourceId, resourceType } = objectOf(one);
                return { id: textOf(resourceId), name: null, type: textOf(resourceType) };
              }),
        aliases: { packageId: id, manifestId: textOf(record.manifestId), botId, servicePrincipalId: null },
        packageId: id,
        manifestId: textOf(record.manifestId),
        botId,
        dataSensitivity: textOf(record.sensitivity),
        elementPermissions: declaredPermissionsOf(record),
        createdAt: moment(record.createdDateTime),
      },
    }),
  ];
};

/** `isDeleted` here says that Identity Protection dropped it, not that the agent is gone. */
export const graphRiskyAgent: SourceFormat = (record) => [
  sourceObject(record, {
    kind: 'agent',
    id: textOf(record.id),
    ending: 'live',
    modifiedAtMs: timeOf(record.riskLastModifiedDateTime) ?? timeOf(record.riskLastUpdatedDateTime),
    facts: {
      displayName: textOf(record.agentDisplayName),
      blueprintId: textOf(record.blueprintId),
      riskLevel: riskLevelOf(textOf(record.riskLevel)),
      riskState: riskStateOf(textOf(record.riskState)),
      riskUpdatedAt: moment(record.riskLastModifiedDateTime) ?? moment(record.riskLastUpdatedDateTime),
    },
  }),
];

function kindOf(elements: readonly (string | null | undefined)[], type: string | null): string {
  if (elements.includes('declarativeagent')) return 'declarativeAgent';
  if (elements.includes('customengineagent')) return 'customEngineAgent';
  if (elements.includes('bot')) return 'bot';
  return type === 'external' ? 'thirdParty' : 'other';
}

function lifecycleOf(deployedTo: string | null): string | null {
  if (deployedTo === null) return null;
  return deployedTo === 'none' ? 'published' : 'deployed';
}

/** What the definitions inside a package ask for; null where none is told. */
function declaredPermissionsOf(record: JsonObject): string[] | null {
  if (record.elementDetails === undefined) return null;
  const definitions = listOf(record.elementDetails)
    .flatMap((detail) => listOf(objectOf(detail).elements))
    .map((element) => definitionOf(textOf(objectOf(element).definition)));
  const declared = definitions.flatMap(({ permissions, authorization, capabilities }) => [
    ...listOf(permissions).map(textOf),
    ...listOf(objectOf(objectOf(authorization).permissions).resourceSpecific).map((one) => textOf(objectOf(one).name)),
    ...listOf(capabilities).map((one) => textOf(objectOf(one).name)),
  ]);
  return [...new Set(declared)].filter((name) => name !== null);
}

function definitionOf(text: string | null): JsonObject {
  if (text === null) return {};
  try {
    return objectOf(JSON.parse(text) as Json);
  } catch {
    return {};
  }
}

/** The bot inside a package is told in a text that holds JSON. */
function botOf(record: JsonObject): string | null {
  for (const detail of listOf(record.elementDetails)) {
    if (!isObject(detail) || textOf(detail.elementType) !== 'bot') continue;
    for (const element of listOf(detail.elements)) {
      const found = /"botId"\s*:\s*"([^"]{1,300})"/.exec(textOf(objectOf(element).definition) ?? '')?.[1];
      if (found !== undefined) return found;
    }
  }
  return null;
}
