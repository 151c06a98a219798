import { readAccountName } from '../../activity/account-name.ts';
import { firstGuid } from '../../field/guid.ts';
import { toEpochMs } from '../../field/time.ts';
import {
  firstText,
  isObject,
  type Json,
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
        aliases: readAliases(ids),
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
        aliases: readAliases(toObject(record.sharepointIds)),
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

/** Audit records name a file by the unique id of its list item. */
function readAliases({ listItemUniqueId }: JsonObject): JsonObject | null {
  const id = firstGuid(listItemUniqueId);
  return id === null ? null : { listItemUniqueId: id, googleId: null };
}

/** A permission on a file; only the message's key names the file. A link of several people is an entry for each of them. */
export const graphPermission: SourceReader = (record) => {
  const link = record.link === undefined ? null : toObject(record.link);
  const invited = toText(toObject(record.invitation).email);
  const noPrincipal = { type: link === null ? null : 'link', id: null, name: invited, isExternal: null };
  const principals = listPrincipals(record);
  const inherited = toObject(record.inheritedFrom);
  const permission = {
    id: toText(record.id),
    roles: toList(record.roles).map(toText),
    linkScope: link && toText(link.scope),
    linkType: link && toText(link.type),
    preventsDownload: link && toBoolean(link.preventsDownload),
    hasPassword: toBoolean(record.hasPassword),
    expiresAt: toServedTime(record.expirationDateTime),
    inheritedFrom: toText(inherited.path) ?? toText(inherited.id),
  };
  return [
    sourceObject(record, {
      kind: 'file',
      id: null,
      discriminator: toText(record.id),
      facts: {
        permissions: (principals.length === 0 ? [noPrincipal] : principals).map(({ type, id, name, isExternal }) => ({
          ...permission,
          principalType: type,
          principalId: id,
          principalName: name ?? invited,
          isExternal,
        })),
      },
    }),
  ];
};

interface Principal {
  readonly type: string | null;
  readonly id: string | null;
  readonly name: string | null;
  /** null where nothing proves either. */
  readonly isExternal: boolean | null;
}

/** Everyone a permission or link was granted to, once. Members without "V2" repeat the others with less. */
function listPrincipals(record: JsonObject): Principal[] {
  const granted = [
    ...firstNamed([record.grantedToV2], [record.grantedTo]),
    ...firstNamed(toList(record.grantedToIdentitiesV2), toList(record.grantedToIdentities)),
  ];
  return [...new Map(granted.map((principal) => [principal.id ?? principal.name, principal])).values()];
}

/** The principals of the first list that names any. */
function firstNamed(...lists: readonly (readonly (Json | undefined)[])[]): Principal[] {
  for (const list of lists) {
    const named = list.map(readPrincipal).filter(({ id, name }) => id !== null || name !== null);
    if (named.length > 0) return named;
  }
  return [];
}

function readPrincipal(set: Json | undefined): Principal {
  const identity = toObject(set);
  const type = principalTypes.find((name) => identity[name] !== undefined && identity[name] !== null) ?? null;
  const { id, displayName, email, loginName, userPrincipalName } = toObject(type === null ? undefined : identity[type]);
  // The name of the site's account shows who is a guest, whatever the directory's account is called.
  const login = firstText(toObject(identity.siteUser).loginName, userPrincipalName, loginName);
  const spelled = login === null ? null : readAccountName(login);
  const isGuest = spelled?.isGuest === true || /#ext#/i.test(firstText(userPrincipalName, email) ?? '');
  const isMember = login !== null || (type !== 'user' && type !== 'siteUser' && toText(email) !== null);
  return {
    type: type === null ? null : principalKinds[type],
    id: toText(id),
    name: firstText(displayName, email, spelled?.name, login),
    isExternal: isGuest ? true : isMember ? false : null,
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
