import { toEpochMs } from '../../field/time.ts';
import {
  firstText,
  isObject,
  type Json,
  type JsonObject,
  toBoolean,
  toList,
  toObject,
  toText,
} from '../../json/value.ts';
import {
  matchValue,
  type SourceReader,
  sourceObject,
  toRiskLevel,
  toRiskState,
  toServedTime,
} from '../source-object.ts';

/** An entry of the agent store, in the short form of its list or the long form of its detail. */
export const graphCopilotPackage: SourceReader = (record) => {
  const [id, appId] = [toText(record.id), toText(record.appId)];
  const elements = toList(record.elementTypes).map((type) => toText(type)?.toLowerCase());
  const ownerId = toText(record.ownerId);
  const blocked = toBoolean(record.isBlocked);
  const botId = findBotId(record);
  return [
    sourceObject(record, {
      kind: 'agent',
      id: appId ?? id,
      modifiedAtMs: toEpochMs(record.lastModifiedDateTime),
      names: [id, appId, toText(record.manifestId), toText(record.assetId), botId],
      facts: {
        displayName: toText(record.displayName),
        description: firstText(record.shortDescription, record.longDescription),
        kind: readKind(elements, toText(record.type)),
        platform: elements.includes('declarativeagent')
          ? 'microsoft365Copilot'
          : matchValue(['teams'], toText(record.platform), null),
        publisher: toText(record.publisher),
        publisherType: matchValue(['microsoft', 'external', 'shared', 'custom'], toText(record.type)),
        agentVersion: toText(record.version),
        lifecycleStatus: blocked ? 'blocked' : readLifecycle(toText(record.deployedTo)),
        isBlocked: blocked,
        availableTo: matchValue(['none', 'some', 'all'], toText(record.availableTo)),
        deployedTo: matchValue(['none', 'some', 'all'], toText(record.deployedTo)),
        supportedHosts: record.supportedHosts === undefined ? null : toList(record.supportedHosts).map(toText),
        appId,
        ownerId,
        ownerSource: ownerId && 'nativeOwner',
        allowedPrincipals:
          record.allowedUsersAndGroups === undefined
            ? null
            : toList(record.allowedUsersAndGroups).map((one) => {
                const { resourceId, resourceType } = toObject(one);
                return { id: toText(resourceId), name: null, type: toText(resourceType) };
              }),
        aliases: { packageId: id, manifestId: toText(record.manifestId), botId, servicePrincipalId: null },
        packageId: id,
        manifestId: toText(record.manifestId),
        botId,
        dataSensitivity: toText(record.sensitivity),
        elementPermissions: readDeclaredPermissions(record),
        createdAt: toServedTime(record.createdDateTime),
      },
    }),
  ];
};

/** `isDeleted` means that Identity Protection dropped it, not that the agent was deleted. */
export const graphRiskyAgent: SourceReader = (record) => [
  sourceObject(record, {
    kind: 'agent',
    id: toText(record.id),
    lifecycle: 'live',
    modifiedAtMs: toEpochMs(record.riskLastModifiedDateTime) ?? toEpochMs(record.riskLastUpdatedDateTime),
    facts: {
      displayName: toText(record.agentDisplayName),
      blueprintId: toText(record.blueprintId),
      riskLevel: toRiskLevel(toText(record.riskLevel)),
      riskState: toRiskState(toText(record.riskState)),
      riskUpdatedAt: toServedTime(record.riskLastModifiedDateTime) ?? toServedTime(record.riskLastUpdatedDateTime),
    },
  }),
];

function readKind(elements: readonly (string | null | undefined)[], type: string | null): string {
  if (elements.includes('declarativeagent')) return 'declarativeAgent';
  if (elements.includes('customengineagent')) return 'customEngineAgent';
  if (elements.includes('bot')) return 'bot';
  return type === 'external' ? 'thirdParty' : 'other';
}

function readLifecycle(deployedTo: string | null): string | null {
  if (deployedTo === null) return null;
  return deployedTo === 'none' ? 'published' : 'deployed';
}

/** Permissions that the definitions inside a package declare; null where there are no definitions. */
function readDeclaredPermissions(record: JsonObject): string[] | null {
  if (record.elementDetails === undefined) return null;
  const definitions = toList(record.elementDetails)
    .flatMap((detail) => toList(toObject(detail).elements))
    .map((element) => parseDefinition(toText(toObject(element).definition)));
  const declared = definitions.flatMap(({ permissions, authorization, capabilities }) => [
    ...toList(permissions).map(toText),
    ...toList(toObject(toObject(authorization).permissions).resourceSpecific).map((one) => toText(toObject(one).name)),
    ...toList(capabilities).map((one) => toText(toObject(one).name)),
  ]);
  return [...new Set(declared)].filter((name) => name !== null);
}

function parseDefinition(text: string | null): JsonObject {
  if (text === null) return {};
  try {
    return toObject(JSON.parse(text) as Json);
  } catch {
    return {};
  }
}

/** The bot of a package is inside a text that contains JSON. */
function findBotId(record: JsonObject): string | null {
  for (const detail of toList(record.elementDetails)) {
    if (!isObject(detail) || toText(detail.elementType) !== 'bot') continue;
    for (const element of toList(detail.elements)) {
      const found = /"botId"\s*:\s*"([^"]{1,300})"/.exec(toText(toObject(element).definition) ?? '')?.[1];
      if (found !== undefined) return found;
    }
  }
  return null;
}
