import { agentPlatforms } from '@tenantscope/contract';
import { firstGuid } from '../../field/guid.ts';
import { toEpochMs } from '../../field/time.ts';
import { firstText, toList, toObject, toText } from '../../json/value.ts';
import { matchValue, type SourceReader, sourceObject, toServedTime } from '../source-object.ts';

/** An agent that its platform registered with Microsoft 365; its card is the manifest that other agents read. */
export const graphAgentRegistration: SourceReader = (record) => {
  const [id, identity] = [toText(record.id), firstGuid(record.agentIdentityId)];
  const card = toObject(record.agentCard);
  const provider = toObject(card.provider);
  const ownerIds = record.ownerIds === undefined ? null : toList(record.ownerIds).flatMap((one) => toText(one) ?? []);
  const store = toText(record.originatingStore);
  return [
    sourceObject(record, {
      kind: 'agent',
      id: identity ?? id,
      modifiedAtMs: toEpochMs(record.lastModifiedDateTime) ?? toEpochMs(record.sourceLastModifiedDateTime),
      names: [id, identity, toText(record.sourceAgentId)],
      facts: {
        displayName: firstText(record.displayName, card.displayName, card.name),
        description: firstText(record.description, card.description),
        platform: readPlatform(store),
        publisher: firstText(provider.organization, provider.name),
        agentVersion: toText(card.version),
        blueprintId: firstGuid(record.agentIdentityBlueprintId),
        agentIdentityId: identity,
        creatorId: toText(record.createdBy),
        creatorTool: store,
        ownerId: ownerIds?.[0] ?? null,
        ownerSource: ownerIds?.[0] === undefined ? null : 'nativeOwner',
        owners: ownerIds?.map((owner) => ({ id: owner, name: null })) ?? null,
        createdAt: toServedTime(record.sourceCreatedDateTime) ?? toServedTime(record.createdDateTime),
      },
    }),
  ];
};

/** `Copilot Studio`, `MicrosoftFoundry`: stores have no closed list of names. */
function readPlatform(store: string | null): string | null {
  if (store === null) return null;
  const name = store.replaceAll(' ', '').replace(/^(?:microsoft|azureai)(?=.)/i, '');
  return matchValue(platforms, name) ?? matchValue(platforms, store.replaceAll(' ', ''), 'other');
}

const platforms = agentPlatforms.filter((platform) => platform !== 'unknown');
