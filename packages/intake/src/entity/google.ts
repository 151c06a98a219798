import { timeOf } from '../field/time.ts';
import { booleanOf, firstText, integerOf, listOf, objectOf, textOf } from '../json/value.ts';
import { moment, type SourceFormat, sourceObject } from './source-object.ts';

/** Ids of Google stand beside ids of the directory, so they say whose they are. */
const googleId = (id: string | null): string | null => id && `google:${id}`;

export const googleUser: SourceFormat = (record) => {
  const [id, mail] = [textOf(record.id), textOf(record.primaryEmail)];
  const suspended = booleanOf(record.suspended);
  const organization = objectOf(listOf(record.organizations)[0]);
  return [
    sourceObject(record, {
      kind: 'user',
      id: googleId(id),
      names: [id, mail],
      ending: moment(record.deletionTime) === null ? 'live' : 'removed',
      facts: {
        displayName: textOf(objectOf(record.name).fullName),
        userPrincipalName: mail,
        mail,
        userType: 'member',
        accountEnabled: suspended === null ? null : !suspended,
        isExternal: false,
        department: textOf(organization.department),
        jobTitle: textOf(organization.title),
        isAdmin: booleanOf(record.isAdmin),
        mfaRegistered: booleanOf(record.isEnrolledIn2Sv),
        lastSignInAt: moment(record.lastLoginTime),
        aliases: { puid: null, sid: null, googleId: id },
        createdAt: moment(record.creationTime),
      },
    }),
  ];
};

export const googleGroup: SourceFormat = (record) => {
  const [id, mail] = [textOf(record.id), textOf(record.email)];
  return [
    sourceObject(record, {
      kind: 'group',
      id: googleId(id),
      names: [id, mail],
      facts: {
        displayName: textOf(record.name),
        description: textOf(record.description),
        mail,
        memberCount: integerOf(record.directMembersCount),
      },
    }),
  ];
};

export const googleFile: SourceFormat = (record) => {
  const id = textOf(record.id);
  const owner = objectOf(listOf(record.owners)[0]);
  const types = listOf(record.permissions).map((permission) => textOf(objectOf(permission).type));
  const modifiedBy = objectOf(record.lastModifyingUser);
  return [
    sourceObject(record, {
      kind: 'file',
      id: googleId(id),
      names: [id, textOf(record.webViewLink)],
      modifiedAtMs: timeOf(record.modifiedTime),
      facts: {
        isFolder: textOf(record.mimeType) === 'application/vnd.google-apps.folder' || null,
        name: textOf(record.name),
        webUrl: textOf(record.webViewLink),
        sizeBytes: integerOf(record.size),
        driveId: textOf(record.driveId),
        ownerId: googleId(textOf(owner.permissionId)),
        ownerName: firstText(owner.displayName, owner.emailAddress),
        modifiedAt: moment(record.modifiedTime),
        modifiedById: googleId(textOf(modifiedBy.permissionId)),
        modifiedByName: firstText(modifiedBy.displayName, modifiedBy.emailAddress),
        lastAccessedAt: moment(record.viewedByMeTime),
        hashes: { sha256: textOf(record.sha256Checksum), quickXor: null },
        hasAnonymousLink: record.permissions === undefined ? null : types.includes('anyone'),
        hasOrganizationLink: record.permissions === undefined ? null : types.includes('domain'),
        createdAt: moment(record.createdTime),
      },
    }),
  ];
};
