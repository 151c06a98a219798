import { toEpochMs } from '../../field/time.ts';
import { type JsonObject, toBoolean, toInteger, toObject, toText } from '../../json/value.ts';
import { type SourceReader, sourceObject, toServedTime } from '../source-object.ts';

/**
 * The id combines host, site collection and web; audit records carry the site collection alone, which is therefore an alias.
 */
export const graphSite: SourceReader = (record) => {
  const id = toText(record.id);
  const [, collection = null] = id?.split(',') ?? [];
  const siteId = toText(toObject(record.sharepointIds).siteId);
  const siteCollectionId = collection ?? siteId;
  return [
    sourceObject(record, {
      kind: 'site',
      id,
      modifiedAtMs: toEpochMs(record.lastModifiedDateTime),
      names: [toText(record.webUrl), collection, siteId],
      facts: {
        aliases: siteCollectionId === null ? null : { siteCollectionId },
        displayName: toText(record.displayName) ?? toText(record.name),
        webUrl: toText(record.webUrl),
        siteType: toBoolean(record.isPersonalSite) ? 'personal' : null,
        isArchived: toObject(record.siteCollection).archivalDetails === undefined ? null : true,
        createdAt: toServedTime(record.createdDateTime),
      },
    }),
  ];
};

/** A drive belongs to the site that its SharePoint ids or the message's key name. */
export const graphDrive: SourceReader = (record) => {
  const quota = toObject(record.quota);
  const owner = toObject(toObject(record.owner).user);
  const driveType = toText(record.driveType);
  return [
    sourceObject(record, {
      kind: 'site',
      id: readSiteId(toObject(record.sharePointIds ?? record.sharepointIds)),
      discriminator: toText(record.id),
      modifiedAtMs: toEpochMs(record.lastModifiedDateTime),
      facts: {
        ownerId: toText(owner.id),
        ownerName: toText(owner.displayName),
        storageUsedBytes: toInteger(quota.used),
        storageQuotaBytes: toInteger(quota.total),
        siteType: driveType === 'business' || driveType === 'personal' ? 'personal' : null,
        drives: [{ id: toText(record.id), name: toText(record.name), driveType }],
      },
    }),
  ];
};

function readSiteId({ siteUrl, siteId, webId }: JsonObject): string | null {
  const host = /^https?:\/\/([^/]+)/.exec(toText(siteUrl) ?? '')?.[1];
  const [site, web] = [toText(siteId), toText(webId)];
  return host === undefined || site === null || web === null ? null : `${host},${site},${web}`;
}
