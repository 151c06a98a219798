import { firstGuid } from '../../field/guid.ts';
import { timeOf } from '../../field/time.ts';
import {
  booleanOf,
  firstText,
  integerOf,
  isObject,
  type JsonObject,
  listOf,
  objectOf,
  textOf,
} from '../../json/value.ts';
import { moment, oneOf, type SourceFormat, sourceObject } from '../source-object.ts';

export const graphDriveItem: SourceFormat = (record) => {
  const remote = objectOf(record.remoteItem);
  const parent = objectOf(record.parentReference ?? remote.parentReference);
  const ids = objectOf(record.sharepointIds ?? parent.sharepointIds);
  const [modifiedBy, createdBy] = [userOf(record.lastModifiedBy), userOf(record.createdBy)];
  const hashes = objectOf(objectOf(record.file).hashes);
  return [
    sourceObject(record, {
      kind: 'file',
      id: textOf(record.id),
      modifiedAtMs: timeOf(record.lastModifiedDateTime),
      names: [firstGuid(ids.listItemUniqueId), textOf(record.webUrl)],
      facts: {
        // A folder is told of like a file and is none: kept, so that nothing is lost, and not served.
        isFolder: isObject(record.folder) || isObject(record.specialFolder) || isObject(record.root) || null,
        name: firstText(record.name, remote.name),
        webUrl: textOf(record.webUrl),
        sizeBytes: integerOf(record.size) ?? integerOf(remote.size),
        siteId: textOf(parent.siteId),
        driveId: textOf(parent.driveId),
        driveType: oneOf(['personal', 'business', 'documentLibrary'], textOf(parent.driveType)),
        ownerId: createdBy.id,
        ownerName: createdBy.name,
        modifiedAt: moment(record.lastModifiedDateTime),
        modifiedById: modifiedBy.id,
        modifiedByName: modifiedBy.name,
        lastAccessedAt: moment(objectOf(record.fileSystemInfo).lastAccessedDateTime),
        hashes:
          record.file === undefined
            ? null
            : { sha256: textOf(hashes.sha256Hash), quickXor: textOf(hashes.quickXorHash) },
        malwareDetected: record.malware === undefined ? null : true,
        path: textOf(parent.path),
        createdAt: moment(record.createdDateTime),
      },
    }),
  ];
};

/** The list's side of a file. Which file it is says the item inside it, or the message's key: its own id is a number in its list. */
export const graphListItem: SourceFormat = (record) => {
  const item = objectOf(record.driveItem);
  const fields = objectOf(record.fields);
  const modifiedBy = userOf(record.lastModifiedBy);
  return [
    sourceObject(record, {
      kind: 'file',
      id: textOf(item.id),
      modifiedAtMs: timeOf(record.lastModifiedDateTime),
      names: [firstGuid(objectOf(record.sharepointIds).listItemUniqueId), textOf(record.webUrl)],
      facts: {
        name: firstText(item.name, fields.FileLeafRef),
        webUrl: textOf(record.webUrl),
        modifiedAt: moment(record.lastModifiedDateTime),
        modifiedById: modifiedBy.id,
        modifiedByName: modifiedBy.name,
        sensitivityLabelName: textOf(fields._DisplayName),
        retentionLabelName: textOf(fields._ComplianceTag),
        createdAt: moment(record.createdDateTime),
      },
    }),
  ];
};

/** Who may do what with a file; which file only the message's key says. */
export const graphPermission: SourceFormat = (record) => {
  const link = record.link === undefined ? null : objectOf(record.link);
  const given = [record.grantedToV2, record.grantedTo, ...identities(record)].map(principalOf);
  const invited = textOf(objectOf(record.invitation).email);
  const who = given.find(({ id, name }) => id !== null || name !== null) ?? null;
  const inherited = objectOf(record.inheritedFrom);
  return [
    sourceObject(record, {
      kind: 'file',
      id: null,
      which: textOf(record.id),
      facts: {
        permissions: [
          {
            id: textOf(record.id),
            roles: listOf(record.roles).map(textOf),
            principalType: who?.type ?? (link === null ? null : 'link'),
            principalId: who?.id ?? null,
            principalName: who?.name ?? invited,
            isExternal: who?.isExternal ?? null,
            linkScope: link && textOf(link.scope),
            linkType: link && textOf(link.type),
            preventsDownload: link && booleanOf(link.preventsDownload),
            hasPassword: booleanOf(record.hasPassword),
            expiresAt: moment(record.expirationDateTime),
            inheritedFrom: textOf(inherited.path) ?? textOf(inherited.id),
          },
        ],
      },
    }),
  ];
};

function identities(record: JsonObject) {
  return [...listOf(record.grantedToIdentitiesV2), ...listOf(record.grantedToIdentities)];
}

function principalOf(set: unknown) {
  const identity = objectOf(set as JsonObject);
  const type = principalTypes.find((name) => identity[name] !== undefined && identity[name] !== null) ?? null;
  const { id, displayName, email, loginName, userPrincipalName } = objectOf(type === null ? undefined : identity[type]);
  const login = firstText(userPrincipalName, email, loginName);
  return {
    type: type === null ? null : (kindsOfPrincipal[type] as string),
    id: textOf(id),
    name: firstText(displayName, email, loginName),
    isExternal: login === null ? null : /#ext#/i.test(login),
  };
}

function userOf(set: unknown): { readonly id: string | null; readonly name: string | null } {
  const { id, displayName } = objectOf(objectOf(set as JsonObject).user);
  return { id: textOf(id), name: textOf(displayName) };
}

const principalTypes = ['user', 'group', 'siteUser', 'siteGroup', 'application'] as const;
const kindsOfPrincipal = {
  user: 'user',
  siteUser: 'user',
  group: 'group',
  siteGroup: 'group',
  application: 'application',
} as const;
