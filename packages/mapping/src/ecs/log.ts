import type { AuditLogEvent } from '@tenantscope/contract';
import { findAccount, findGroup, findMember, findSender } from '../participants.ts';
import { readCountry } from '../texts.ts';
import { findClassName, readCategories, readTypes } from './categories.ts';
import { type EcsFields, ecsVersion, mapToEcs } from './fields.ts';
import { addressOrNull, emailOrNull, listTexts, rateSeverity, severityNote } from './values.ts';

/** The user whose account, rights or groups were changed. */
function findChangedUser(event: AuditLogEvent) {
  const name = findClassName(event);
  if (name === 'groupManagement') return findMember(event);
  return name === 'accountChange' || name === 'userAccess' ? findAccount(event) : undefined;
}

const findChangedGroup = (event: AuditLogEvent) =>
  findClassName(event) === 'groupManagement' ? findGroup(event) : undefined;

const isMail = (event: AuditLogEvent) => findClassName(event) === 'emailActivity';

const readRecipients = (event: AuditLogEvent) =>
  isMail(event) ? listTexts((event.targets ?? []).map(({ id, name }) => emailOrNull(name ?? id))) : null;

/** Every field of an event of the log. */
export const logFields: EcsFields<AuditLogEvent> = {
  '@timestamp': 'occurredAt',
  message: 'description',
  'ecs.version': { note: `${ecsVersion}`, read: () => ecsVersion },
  'event.kind': { note: '`event`', read: () => 'event' },
  'event.category': { note: '`action`: see below', read: readCategories },
  'event.type': { note: '`action`: see below', read: readTypes },
  'event.module': { note: '`tenantscope`', read: () => 'tenantscope' },
  'event.dataset': { note: '`tenantscope.logs`', read: () => 'tenantscope.logs' },
  'event.id': 'id',
  'event.action': 'action',
  'event.code': 'category',
  'event.created': 'discoveredAt',
  'event.provider': 'sourceName',
  'event.outcome': {
    member: 'outcome',
    if: ({ outcome }) => outcome === 'success' || outcome === 'failure',
    note: 'unless it is `partial`',
  },
  'event.reason': 'outcomeReason',
  'event.severity': { note: severityNote, read: ({ severity }) => rateSeverity(severity) },
  'error.code': {
    member: 'errorCode',
    if: ({ outcome }) => outcome !== 'success',
    note: 'unless `outcome` is `success`',
  },
  'organization.id': 'tenantId',
  'service.name': 'workload',
  'trace.id': 'correlationId',
  'user.id': 'actorId',
  'user.name': 'actorName',
  'user.email': { note: '`actorName`, if it is an address', read: ({ actorName }) => emailOrNull(actorName) },
  'user.target.id': {
    note: 'user among `targets` or in `changes`, for iam',
    read: (event) => findChangedUser(event)?.id,
  },
  'user.target.name': {
    note: 'user among `targets` or in `changes`, for iam',
    read: (event) => findChangedUser(event)?.name,
  },
  'group.id': {
    note: 'group among `targets` or in `changes`, for changes of groups',
    read: (event) => findChangedGroup(event)?.id,
  },
  'group.name': {
    note: 'group among `targets` or in `changes`, for changes of groups',
    read: (event) => findChangedGroup(event)?.name,
  },
  'source.address': 'actorIp',
  'source.ip': { note: '`actorIp`, if it is an address', read: ({ actorIp }) => addressOrNull(actorIp) },
  'source.geo.city_name': { note: '`location.city`', read: ({ location }) => location?.city },
  'source.geo.region_name': { note: '`location.region`', read: ({ location }) => location?.region },
  'source.geo.country_iso_code': {
    note: '`location.country`, if it is a code',
    read: ({ location }) => readCountry(location?.country).code,
  },
  'source.geo.country_name': {
    note: '`location.country`, if it is a name',
    read: ({ location }) => readCountry(location?.country).name,
  },
  'source.geo.location': { note: '`location.latitude`, `location.longitude`', read: readPoint },
  'source.as.number': { note: '`location.asn`', read: ({ location }) => location?.asn },
  'source.as.organization.name': {
    note: '`location.asOrganization`',
    read: ({ location }) => location?.asOrganization,
  },
  'user_agent.original': 'userAgent',
  'device.id': 'deviceId',
  'host.name': 'deviceName',
  'host.os.full': 'deviceOs',
  'file.name': { member: 'resourceName', if: ({ resourceType }) => resourceType === 'file', note: 'of files' },
  'email.from.address': {
    note: 'sender of mails in `details`, else `actorName`, if it is an address',
    read: (event) => (isMail(event) ? listTexts([findSender(event)]) : null),
  },
  'email.to.address': { note: 'addresses among `targets`, of mails', read: readRecipients },
  'gen_ai.agent.id': { note: '`ai.agentId`', read: ({ ai }) => ai?.agentId },
  'gen_ai.agent.name': { note: '`ai.agentName`', read: ({ ai }) => ai?.agentName },
  'gen_ai.request.model': { note: '`ai.model`', read: ({ ai }) => ai?.model },
  'related.user': {
    note: 'ids and names of `actor` and `user.target`',
    read: (event) => {
      const user = findChangedUser(event);
      return listTexts([event.actorId, event.actorUserId, event.actorName, user?.id, user?.name]);
    },
  },
  'related.ip': { note: '`source.ip`', read: ({ actorIp }) => listTexts([addressOrNull(actorIp)]) },
  'related.hosts': { note: '`host.name`, `device.id`', read: (event) => listTexts([event.deviceName, event.deviceId]) },
};

/** An event of the log as a document of ECS. */
export const toEcsLog = mapToEcs(logFields);

function readPoint({ location }: AuditLogEvent) {
  const { latitude, longitude } = location ?? {};
  return typeof latitude === 'number' && typeof longitude === 'number' ? { lat: latitude, lon: longitude } : null;
}
