import type { SecurityAlert } from '@tenantscope/contract';
import { readCountry, readFilePath, readMd5 } from '../texts.ts';
import { findingCategories, findingTypes } from './categories.ts';
import { type EcsFields, ecsVersion, mapToEcs } from './fields.ts';
import { addressOrNull, emailOrNull, listTexts, rateSeverity, severityNote } from './values.ts';

type ElementList = 'users' | 'devices' | 'files' | 'ips' | 'emails' | 'groups';

/** A value of the element, where the alert has one element of the list only: these fields of ECS have one value. */
const ofOnly = <List extends ElementList>(
  list: List,
  label: string,
  read: (element: SecurityAlert[List][number]) => unknown,
  condition = '',
) => ({
  note: `\`${list}.${label}\`${condition}, of an alert with one`,
  read: (alert: SecurityAlert) => {
    const [first, second] = alert[list];
    return first === undefined || second !== undefined ? null : read(first);
  },
});

const listTechniques = ({ mitreTechniques }: SecurityAlert) => listTexts(mitreTechniques);

/** Every field of a state of an alert. */
export const alertFields: EcsFields<SecurityAlert> = {
  '@timestamp': {
    note: '`lastUpdateDateTime`, else `updatedAt`',
    read: ({ lastUpdateDateTime, updatedAt }) => lastUpdateDateTime ?? updatedAt,
  },
  message: { note: '`title`', read: ({ title }) => title },
  'ecs.version': { note: ecsVersion, read: () => ecsVersion },
  'event.kind': { note: '`alert`', read: () => 'alert' },
  'event.category': {
    note: 'see below; also malware, if `category` is',
    read: ({ category }) =>
      /malware|ransomware/i.test(category ?? '') ? [...findingCategories, 'malware'] : findingCategories,
  },
  'event.type': { note: 'see below', read: () => findingTypes },
  'event.module': { note: '`tenantscope`', read: () => 'tenantscope' },
  'event.dataset': { note: '`tenantscope.security-alerts`', read: () => 'tenantscope.security-alerts' },
  'event.id': 'id',
  'event.created': 'createdDateTime',
  'event.start': 'firstActivityDateTime',
  'event.severity': { note: severityNote, read: ({ severity }) => rateSeverity(severity) },
  'organization.id': 'tenantId',
  'rule.name': 'title',
  'rule.description': 'description',
  'rule.category': 'category',
  'threat.framework': {
    note: '`MITRE ATT&CK`, with techniques',
    read: ({ mitreTechniques }) => (mitreTechniques.length > 0 ? 'MITRE ATT&CK' : null),
  },
  'threat.technique.id': {
    note: '`mitreTechniques`, without sub-techniques',
    read: (alert) => listTexts(listTechniques(alert).map((id) => id.split('.')[0])),
  },
  'threat.technique.subtechnique.id': {
    note: 'sub-techniques of `mitreTechniques`',
    read: (alert) => listTechniques(alert).filter((id) => id.includes('.')),
  },
  'user.id': ofOnly('users', 'id', ({ id }) => id),
  'user.name': ofOnly('users', 'userPrincipalName', (user) => user.userPrincipalName ?? user.name),
  'user.full_name': ofOnly('users', 'name', ({ name }) => name),
  'user.email': ofOnly('users', 'userPrincipalName', (user) => emailOrNull(user.userPrincipalName)),
  'group.id': ofOnly('groups', 'id', ({ id }) => id),
  'group.name': ofOnly('groups', 'name', ({ name }) => name),
  'device.id': ofOnly('devices', 'id', ({ id }) => id),
  'host.name': ofOnly('devices', 'name', ({ name }) => name),
  'host.os.full': ofOnly('devices', 'os', ({ os }) => os),
  'source.address': ofOnly('ips', 'id', ({ id }) => id),
  'source.ip': ofOnly('ips', 'id', ({ id }) => addressOrNull(id)),
  'source.geo.country_iso_code': ofOnly('ips', 'country', ({ country }) => readCountry(country).code),
  'source.geo.country_name': ofOnly('ips', 'country', ({ country }) => readCountry(country).name),
  'file.name': ofOnly('files', 'name', ({ name }) => name),
  'file.directory': ofOnly('files', 'path', (file) => readFilePath(file).folder, ', a folder'),
  'file.path': ofOnly('files', 'path', (file) => readFilePath(file).path, ', which ends in the name'),
  'file.size': ofOnly('files', 'size', ({ size }) => size),
  'file.hash.sha256': ofOnly('files', 'sha256', ({ sha256 }) => sha256),
  'file.hash.sha1': ofOnly('files', 'sha1', ({ sha1 }) => sha1),
  'file.hash.md5': ofOnly('files', 'id', readMd5, ', if it is an MD5'),
  'email.message_id': ofOnly('emails', 'internetMessageId', ({ internetMessageId }) => internetMessageId),
  'email.subject': ofOnly('emails', 'subject', ({ subject }) => subject),
  'email.from.address': ofOnly('emails', 'sender', ({ sender }) => listTexts([sender])),
  'email.to.address': ofOnly('emails', 'recipient', ({ recipient }) => listTexts([recipient])),
  'email.delivery_timestamp': ofOnly('emails', 'receivedAt', ({ receivedAt }) => receivedAt),
  'related.user': {
    note: 'ids and names of all `users`',
    read: ({ users }) => listTexts(users.flatMap(({ id, name, userPrincipalName }) => [id, userPrincipalName, name])),
  },
  'related.hosts': {
    note: 'ids and names of all `devices`',
    read: ({ devices }) => listTexts(devices.flatMap(({ id, name }) => [name, id])),
  },
  'related.ip': { note: 'all `ips`', read: ({ ips }) => listTexts(ips.map(({ id }) => addressOrNull(id))) },
  'related.hash': {
    note: 'hashes of all `files`',
    read: ({ files }) => listTexts(files.flatMap((file) => [file.sha256, file.sha1, readMd5(file)])),
  },
};

/** An alert as a document of ECS, each of its states one. */
export const toEcsAlert = mapToEcs(alertFields);
