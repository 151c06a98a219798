import { toEpochMs } from '../field/time.ts';
import { firstText, toBoolean, toInteger, toList, toObject, toText } from '../json/value.ts';
import { listAddresses } from './aliases.ts';
import { type SourceReader, sourceObject, toServedTime } from './source-object.ts';

/** Google ids share a column with directory ids, so they have a prefix. */
const toGoogleId = (id: string | null): string | null => id && `google:${id}`;

export const googleUser: SourceReader = (record) => {
  const [id, mail] = [toText(record.id), toText(record.primaryEmail)];
  const suspended = toBoolean(record.suspended);
  const deletedAtMs = toEpochMs(record.deletionTime);
  const organization = toObject(toList(record.organizations)[0]);
  return [
    sourceObject(record, {
      kind: 'user',
      id: toGoogleId(id),
      names: [
        id,
        mail,
        ...listAddresses(record.aliases),
        ...listAddresses(record.nonEditableAliases),
        ...listAddresses(toList(record.emails).map((email) => toObject(email).address ?? null)),
      ],
      lifecycle: deletedAtMs === null ? 'live' : 'removed',
      deletedAtMs,
      facts: {
        displayName: toText(toObject(record.name).fullName),
        userPrincipalName: mail,
        mail,
        userType: 'member',
        accountEnabled: suspended === null ? null : !suspended,
        isExternal: false,
        department: toText(organization.department),
        jobTitle: toText(organization.title),
        isAdmin: toBoolean(record.isAdmin),
        mfaRegistered: toBoolean(record.isEnrolledIn2Sv),
        lastSignInAt: toServedTime(record.lastLoginTime),
        aliases: { puid: null, sid: null, googleId: id, oktaId: null },
        createdAt: toServedTime(record.creationTime),
      },
    }),
  ];
};

export const googleGroup: SourceReader = (record) => {
  const [id, mail] = [toText(record.id), toText(record.email)];
  return [
    sourceObject(record, {
      kind: 'group',
      id: toGoogleId(id),
      names: [id, mail],
      facts: {
        displayName: toText(record.name),
        description: toText(record.description),
        mail,
        memberCount: toInteger(record.directMembersCount),
      },
    }),
  ];
};

export const googleFile: SourceReader = (record) => {
  const id = toText(record.id);
  const owner = toObject(toList(record.owners)[0]);
  const types = toList(record.permissions).map((permission) => toText(toObject(permission).type));
  const modifiedBy = toObject(record.lastModifyingUser);
  return [
    sourceObject(record, {
      kind: 'file',
      id: toGoogleId(id),
      names: [id, toText(record.webViewLink)],
      modifiedAtMs: toEpochMs(record.modifiedTime),
      facts: {
        aliases: { listItemUniqueId: null, googleId: id },
        isFolder: toText(record.mimeType) === 'application/vnd.google-apps.folder' || null,
        name: toText(record.name),
        webUrl: toText(record.webViewLink),
        sizeBytes: toInteger(record.size),
        driveId: toText(record.driveId),
        ownerId: toGoogleId(toText(owner.permissionId)),
        ownerName: firstText(owner.displayName, owner.emailAddress),
        modifiedAt: toServedTime(record.modifiedTime),
        modifiedById: toGoogleId(toText(modifiedBy.permissionId)),
        modifiedByName: firstText(modifiedBy.displayName, modifiedBy.emailAddress),
        lastAccessedAt: toServedTime(record.viewedByMeTime),
        hashes: { sha256: toText(record.sha256Checksum), quickXor: null },
        hasAnonymousLink: record.permissions === undefined ? null : types.includes('anyone'),
        hasOrganizationLink: record.permissions === undefined ? null : types.includes('domain'),
        createdAt: toServedTime(record.createdTime),
      },
    }),
  ];
};
