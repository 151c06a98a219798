import { firstGuid } from '../../field/guid.ts';
import { toEpochMs } from '../../field/time.ts';
import {
  firstText,
  isObject,
  type JsonObject,
  toBoolean,
  toInteger,
  toList,
  toObject,
  toText,
} from '../../json/value.ts';
import { matchValue, type SourceReader, sourceObject, toServedTime } from '../source-object.ts';

export const graphDriveItem: SourceReader = (record) => {
  const remote = toObject(record.remoteItem);
  const parent = toObject(record.parentReference ?? remote.parentReference);
  const ids = toObject(record.sharepointIds ?? parent.sharepointIds);
  const [modifiedBy, createdBy] = [readUser(record.lastModifiedBy), readUser(record.createdBy)];
  const hashes = toObject(toObject(record.file).hashes);
  return [
    sourceObject(record, {
      kind: 'file',
      id: toText(record.id),
      modifiedAtMs: toEpochMs(record.lastModifiedDateTime),
      names: [firstGuid(ids.listItemUniqueId), toText(record.webUrl)],
      facts: {
        // A folder is reported like a file: it is stored, so that nothing is lost, but not served.
        isFolder: isObject(record.folder) || isObject(record.specialFolder) || isObject(record.root) || null,
        name: firstText(record.name, remote.name),
        webUrl: toText(record.webUrl),
        sizeBytes: toInteger(record.size) ?? toInteger(remote.size),
        siteId: toText(parent.siteId),
        driveId: toText(parent.driveId),
        driveType: matchValue(['personal', 'business', 'documentLibrary'], toText(parent.driveType)),
        ownerId: createdBy.id,
        ownerName: createdBy.name,
        modifiedAt: toServedTime(record.lastModifiedDateTime),
        modifiedById: modifiedBy.id,
        modifiedByName: modifiedBy.name,
        lastAccessedAt: toServedTime(toObject(record.fileSystemInfo).lastAccessedDateTime),
        hashes:
          record.file === undefined
            ? null
            : { sha256: toText(hashes.sha256Hash), quickXor: toText(hashes.quickXorHash) },
        malwareDetected: record.malware === undefined ? null : true,
        path: toText(parent.path),
        createdAt: toServedTime(record.createdDateTime),
      },
    }),
  ];
};

/**
 * The list item of a file. The file's id comes from the drive item inside it or from the message's key: its own id is a
 * number in its list.
 */
export const graphListItem: SourceReader = (record) => {
  const item = toObject(record.driveItem);
  const fields = toObject(record.fields);
  const modifiedBy = readUser(record.lastModifiedBy);
  return [
    sourceObject(record, {
      kind: 'file',
      id: toText(item.id),
      modifiedAtMs: toEpochMs(record.lastModifiedDateTime),
      names: [firstGuid(toObject(record.sharepointIds).listItemUniqueId), toText(record.webUrl)],
      facts: {
        name: firstText(item.name, fields.FileLeafRef),
        webUrl: toText(record.webUrl),
        modifiedAt: toServedTime(record.lastModifiedDateTime),
        modifiedById: modifiedBy.id,
        modifiedByName: modifiedBy.name,
        sensitivityLabelName: toText(fields._DisplayName),
        retentionLabelName: toText(fields._ComplianceTag),
        createdAt: toServedTime(record.createdDateTime),
      },
    }),
  ];
};

/** A permission on a file; only the message's key names the file. */
export const graphPermission: SourceReader = (record) => {
  const link = record.link === undefined ? null : toObject(record.link);
  const given = [record.grantedToV2, record.grantedTo, ...listIdentities(record)].map(readPrincipal);
  const invited = toText(toObject(record.invitation).email);
  const who = given.find(({ id, name }) => id !== null || name !== null) ?? null;
  const inherited = toObject(record.inheritedFrom);
  return [
    sourceObject(record, {
      kind: 'file',
      id: null,
      discriminator: toText(record.id),
      facts: {
        permissions: [
          {
            id: toText(record.id),
            roles: toList(record.roles).map(toText),
            principalType: who?.type ?? (link === null ? null : 'link'),
            principalId: who?.id ?? null,
            principalName: who?.name ?? invited,
            isExternal: who?.isExternal ?? null,
            linkScope: link && toText(link.scope),
            linkType: link && toText(link.type),
            preventsDownload: link && toBoolean(link.preventsDownload),
            hasPassword: toBoolean(record.hasPassword),
            expiresAt: toServedTime(record.expirationDateTime),
            inheritedFrom: toText(inherited.path) ?? toText(inherited.id),
          },
        ],
      },
    }),
  ];
};

function listIdentities(record: JsonObject) {
  return [...toList(record.grantedToIdentitiesV2), ...toList(record.grantedToIdentities)];
}

function readPrincipal(set: unknown) {
  const identity = toObject(set as JsonObject);
  const type = principalTypes.find((name) => identity[name] !== undefined && identity[name] !== null) ?? null;
  const { id, displayName, email, loginName, userPrincipalName } = toObject(type === null ? undefined : identity[type]);
  const login = firstText(userPrincipalName, email, loginName);
  return {
    type: type === null ? null : (principalKinds[type] as string),
    id: toText(id),
    name: firstText(displayName, email, loginName),
    isExternal: login === null ? null : /#ext#/i.test(login),
  };
}

function readUser(set: unknown): { readonly id: string | null; readonly name: string | null } {
  const { id, displayName } = toObject(toObject(set as JsonObject).user);
  return { id: toText(id), name: toText(displayName) };
}

const principalTypes = ['user', 'group', 'siteUser', 'siteGroup', 'application'] as const;
const principalKinds = {
  user: 'user',
  siteUser: 'user',
  group: 'group',
  siteGroup: 'group',
  application: 'application',
} as const;
