import { firstGuid } from '../field/guid.ts';
import { toEpochMs } from '../field/time.ts';
import { firstText, toInteger, toText } from '../json/value.ts';
import { type SourceReader, sourceObject, toServedTime } from './source-object.ts';

/** A bot of Copilot Studio: a row of the table `bot` of its environment. */
export const powerPlatformBot: SourceReader = (record) => {
  const id = firstText(record.botid, record.botId);
  const published = toServedTime(record.publishedon);
  return [
    sourceObject(record, {
      kind: 'agent',
      id,
      modifiedAtMs: toEpochMs(record.modifiedon),
      names: [toText(record.schemaname), firstGuid(record.applicationid)],
      facts: {
        displayName: toText(record.name),
        kind: 'copilotStudioAgent',
        platform: 'copilotStudio',
        lifecycleStatus: published === null ? 'draft' : 'published',
        appId: firstGuid(record.applicationid),
        creatorId: toText(record._createdby_value),
        creatorTool: 'Copilot Studio',
        ownerId: toText(record._ownerid_value),
        ownerSource: toText(record._ownerid_value) && 'nativeOwner',
        authentication: authenticationModes[toInteger(record.authenticationmode) ?? -1] ?? null,
        environmentId: firstText(record.environmentid, record.environmentId),
        lastPublishedAt: published,
        botId: id,
        aliases: { packageId: null, manifestId: null, botId: id, servicePrincipalId: null },
        createdAt: toServedTime(record.createdon),
      },
    }),
  ];
};

/** By the number of the column's choice. */
const authenticationModes = ['unknown', 'none', 'entra', 'entra', 'oauth2'];
