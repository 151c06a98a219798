import type { FieldMapping, FieldMappings } from './field-mapping.ts';

const category: FieldMapping = { members: ['category'] };
const hashes: FieldMapping = { members: ['files.sha1', 'files.sha256', 'files.md5'] };
const deviceNames: FieldMapping = { members: ['devices.name'], normalizer: 'anyCase' };
const provider: FieldMapping = { members: ['serviceSource', 'detectionSource'], normalizer: 'product' };
const users: FieldMapping = { members: ['users.name', 'users.id', 'users.userPrincipalName'] };
const times = (member: string): FieldMapping => ({ members: [member], normalizer: 'time' });

const incident: FieldMappings = {
  '@timestamp': null,
  'event.created': null,
  message: null,
  'event.id': { members: ['incidentId'] },
  'event.url': { members: ['incidentWebUrl'] },
  'related.user': {
    members: [...users.members, 'emails.sender', 'emails.recipient'],
    normalizer: 'partOfAddress',
  },
  'user.id': { members: ['users.userPrincipalName'] },
  'source.ip': { members: ['ips.id'] },
  'user.name': { members: ['users.name', 'users.userPrincipalName'], normalizer: 'localPart' },
};

const graphAlert: FieldMappings = {
  '@timestamp': times('lastUpdateDateTime'),
  message: { members: ['description'] },
  'user.name': { members: ['users.name'] },
  'related.hosts': {
    members: ['devices.name', 'devices.defenderDeviceId', 'devices.os'],
    normalizer: 'spaceSeparated',
  },
};

const endpoint: FieldMappings = {
  'event.action': category,
  'cloud.instance.id': { members: ['devices.id'] },
  'threat.technique.name': category,
  'user.name': { members: ['users.name', 'users.userPrincipalName'] },
  'user.id': { members: ['users.id'] },
};

const cloud: FieldMappings = {
  '@timestamp': times('createdDateTime'),
  'event.reference': { members: ['alertWebUrl'] },
  'host.hostname': { members: ['devices.name'] },
  'host.os.family': { members: ['devices.os'] },
  'related.hosts': { members: ['devices.name'] },
};

const google: FieldMappings = {
  '@timestamp': times('createdDateTime'),
  'event.action': category,
  'email.delivery_timestamp': times('emails.receivedAt'),
  'email.message_id': { members: ['emails.id'] },
  'email.to.address': { members: ['emails.recipient', 'users.userPrincipalName'] },
  'email.attachments.file.hash.sha256': hashes,
  'source.user.email': { members: ['users.userPrincipalName'] },
  'related.user': { members: ['users.id'], normalizer: 'partOfAddress' },
  'rule.name': { members: ['title', 'description'] },
  'user.email': { members: ['users.userPrincipalName', 'assignedTo'] },
  'user.name': { members: ['users.userPrincipalName'], normalizer: 'localPart' },
  'user.domain': { members: ['users.userPrincipalName'], normalizer: 'domain' },
};

const anyAlert: FieldMappings = {
  '@timestamp': times('lastUpdateDateTime'),
  'email.delivery_timestamp': times('emails.receivedAt'),
  'email.from.address': { members: ['emails.sender'] },
  'email.subject': { members: ['emails.subject'] },
  'email.to.address': { members: ['emails.recipient'] },
  'event.created': times('createdDateTime'),
  'event.end': times('lastActivityDateTime'),
  'event.id': { members: ['id'] },
  'event.provider': provider,
  'event.severity': { members: ['severity'], normalizer: 'severityRank' },
  'event.start': times('firstActivityDateTime'),
  'event.url': { members: ['alertWebUrl'] },
  'file.hash.sha1': hashes,
  'file.hash.sha256': hashes,
  'file.name': { members: ['files.name'] },
  'file.path': { members: ['files.path'] },
  'file.size': { members: ['files.size'] },
  'host.hostname': deviceNames,
  'host.id': { members: ['devices.defenderDeviceId'] },
  'host.ip': { members: ['ips.id'] },
  'host.name': deviceNames,
  'host.os.name': { members: ['devices.os'], normalizer: 'spaceSeparated' },
  'host.os.version': { members: ['devices.os'], normalizer: 'spaceSeparated' },
  message: { members: ['title'] },
  'observer.name': provider,
  'process.hash.sha1': hashes,
  'process.hash.sha256': hashes,
  'process.user.name': { members: ['users.name'] },
  'related.hash': hashes,
  'related.hosts': deviceNames,
  'related.ip': { members: ['ips.id'] },
  'related.user': users,
  'rule.description': { members: ['description'] },
  'threat.group.name': { members: ['threatFamilyName'] },
  'threat.tactic.name': category,
  'threat.technique.subtechnique.id': { members: ['mitreTechniques'] },
};

const displayName: FieldMapping = { members: ['displayName'] };
const id: FieldMapping = { members: ['id'] };
const entity: FieldMappings = {
  'asset.id': id,
  'asset.name': displayName,
  'device.id': id,
  'host.id': id,
  'host.name': displayName,
  'host.os.type': { members: ['operatingSystem'], normalizer: 'anyCase' },
  'host.os.version': { members: ['operatingSystemVersion', 'osVersion'] },
  'related.hosts': { members: ['displayName', 'id'] },
  'related.user': { members: ['displayName', 'id', 'userPrincipalName', 'mail'] },
  'user.email': { members: ['mail'] },
  'user.enabled': { members: ['accountEnabled'] },
  'user.full_name': displayName,
  'user.id': id,
  'user.job_title': { members: ['jobTitle'] },
  'user.name': { members: ['userPrincipalName'] },
};

/** By start of the format: what alerts and entities correspond to. */
export const alertMappings: readonly (readonly [RegExp, FieldMappings])[] = [
  [/^graph\.security\.incident$/, incident],
  [/^graph\.security\.alert$/, graphAlert],
  [/^m365d\.incidents-legacy$/, { '@timestamp': null, 'event.created': null }],
  [/^(?:mde\.alert|m365d\.incidents-legacy)$/, endpoint],
  [/^defender-for-cloud/, cloud],
  [/^google\.alertcenter/, google],
  [/^(?:graph\.security|mde|m365d\.incidents-legacy|defender-for-cloud|google\.alertcenter)/, anyAlert],
  [/^elastic\.entityanalytics/, entity],
];
