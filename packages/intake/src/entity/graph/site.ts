import { timeOf } from '../../field/time.ts';
import { booleanOf, integerOf, type JsonObject, objectOf, textOf } from '../../json/value.ts';
import { moment, type SourceFormat, sourceObject } from '../source-object.ts';

/** The id is host, site collection and web in one; audit records carry the middle alone, which is therefore another name. */
export const graphSite: SourceFormat = (record) => {
  const id = textOf(record.id);
  return [
    sourceObject(record, {
      kind: 'site',
      id,
      modifiedAtMs: timeOf(record.lastModifiedDateTime),
      names: [textOf(record.webUrl), id?.split(',')[1] ?? null, textOf(objectOf(record.sharepointIds).siteId)],
      facts: {
        displayName: textOf(record.displayName) ?? textOf(record.name),
        webUrl: textOf(record.webUrl),
        siteType: booleanOf(record.isPersonalSite) ? 'personal' : null,
        isArchived: objectOf(record.siteCollection).archivalDetails === undefined ? null : true,
        createdAt: moment(record.createdDateTime),
      },
    }),
  ];
};

/** A drive belongs to a site: the one that its SharePoint ids name, or the message's key. */
export const graphDrive: SourceFormat = (record) => {
  const quota = objectOf(record.quota);
  const owner = objectOf(objectOf(record.owner).user);
  const driveType = textOf(record.driveType);
  return [
    sourceObject(record, {
      kind: 'site',
      id: siteIdOf(objectOf(record.sharePointIds ?? record.sharepointIds)),
      which: textOf(record.id),
      modifiedAtMs: timeOf(record.lastModifiedDateTime),
      facts: {
        ownerId: textOf(owner.id),
        ownerName: textOf(owner.displayName),
        storageUsedBytes: integerOf(quota.used),
        storageQuotaBytes: integerOf(quota.total),
        siteType: driveType === 'business' || driveType === 'personal' ? 'personal' : null,
        drives: [{ id: textOf(record.id), name: textOf(record.name), driveType }],
      },
    }),
  ];
};

function siteIdOf({ siteUrl, siteId, webId }: JsonObject): string | null {
  const host = /^https?:\/\/([^/]+)/.exec(textOf(siteUrl) ?? '')?.[1];
  const [site, web] = [textOf(siteId), textOf(webId)];
  return host === undefined || site === null || web === null ? null : `${host},${site},${web}`;
}
