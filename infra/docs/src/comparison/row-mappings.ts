import type { FieldMapping, FieldMappings } from './field-mapping.ts';

const actorId: FieldMapping = { members: ['actorId'] };
const actorName: FieldMapping = { members: ['actorName'] };
const actorIp: FieldMapping = { members: ['actorIp'] };
const actorLocalPart: FieldMapping = { members: ['actorName'], normalizer: 'localPart' };
const actorDomain: FieldMapping = { members: ['actorName'], normalizer: 'domain' };
const userAgent: FieldMapping = { members: ['userAgent'] };
const targetId: FieldMapping = { members: ['targets.id'] };
const targetName: FieldMapping = { members: ['targets.name'] };
const targetLocalPart: FieldMapping = { members: ['targets.name'], normalizer: 'localPart' };
const targetDomain: FieldMapping = { members: ['targets.name', 'details.DOMAIN_NAME'], normalizer: 'domain' };

const clientAddress: readonly string[] = ['details.ClientIP', 'details.ClientIPAddress'];
const management: FieldMappings = {
  'client.domain': { members: clientAddress, normalizer: 'server' },
  'client.port': { members: clientAddress, normalizer: 'port' },
  'source.port': { members: clientAddress, normalizer: 'port' },
  'event.code': { members: ['recordType'], normalizer: 'recordType' },
  'event.provider': { members: ['workload'] },
  'host.id': { members: ['details.OrganizationId'] },
  'organization.id': { members: ['details.OrganizationId'] },
  'user.id': { members: ['actorName', 'details.UserId'] },
  'related.user': {
    members: [
      'actorName',
      'targets.name',
      'targets.id',
      'details.User',
      'details.SharePointMetaData.FileOwner',
      'details.Data.f3u',
    ],
    normalizer: 'partOfAddress',
  },
  'related.ip': { members: ['actorIp', 'details.OriginatingServer'], normalizer: 'server' },
  'destination.ip': { members: ['details.OriginatingServer'], normalizer: 'server' },
  'server.ip': { members: ['details.OriginatingServer'], normalizer: 'server' },
  'server.address': { members: ['details.OriginatingServer'], normalizer: 'server' },
  'server.domain': { members: ['details.OriginatingServer'], normalizer: 'server' },
  'destination.user.email': { members: ['targets.id'] },
  'source.user.email': actorName,
  'file.directory': { members: ['details.SourceRelativeUrl'] },
  'file.extension': { members: ['details.SourceFileExtension'] },
  'file.inode': { members: ['resourceId'] },
  'file.name': { members: ['resourceName'] },
  'file.owner': { members: ['details.SharePointMetaData.FileOwner'] },
  'group.name': { members: ['resourceName'] },
  message: { members: ['resourceName', 'details.Comments'] },
  'rule.category': { members: ['category'] },
  'rule.description': { members: ['details.AlertEntityId'] },
  'rule.id': { members: ['details.PolicyId', 'details.Rules.RuleId'], normalizer: 'listed' },
  'rule.name': { members: ['resourceName', 'details.Rules.RuleName'], normalizer: 'listed' },
  'rule.reference': { members: ['details.AlertLinks.AlertLinkHref'] },
  'rule.ruleset': { members: ['details.EntityType'] },
  'url.original': {
    members: ['details.ObjectId', 'details.SharePointMetaData.FilePathUrl', 'details.SiteUrl', 'resourceName'],
  },
  'user.target.id': { members: ['details.ObjectId', 'targets.id', 'targets.name'] },
  'user.email': { members: ['actorName', 'details.MailboxOwnerUPN'] },
  'event.severity': { members: ['details.Rules.Severity'], normalizer: 'severityRank' },
  'file.mtime': { members: ['details.SharePointMetaData.LastModifiedTime'], normalizer: 'time' },
  'user.target.email': targetName,
  'user.target.name': targetLocalPart,
  'user.target.domain': targetDomain,
};

const google: FieldMappings = {
  'event.id': { members: ['externalEventId'], normalizer: 'envelopeId' },
  'event.end': { members: ['details.END_DATE_TIME', 'details.END_DATE'], normalizer: 'time' },
  'event.provider': { members: ['sourceName'] },
  'event.start': {
    members: ['details.BEGIN_DATE_TIME', 'details.START_DATE', 'details.login_timestamp'],
    normalizer: 'time',
  },
  'organization.id': { members: ['details.id.customerId'] },
  'file.extension': { members: ['resourceName'], normalizer: 'extension' },
  'file.name': { members: ['resourceName'] },
  'file.owner': { members: ['details.owner', 'details.new_value'], normalizer: 'partOfAddress' },
  'file.type': { members: ['resourceType'] },
  'group.domain': targetDomain,
  'group.name': targetLocalPart,
  'network.name': { members: ['details.MOBILE_WIRELESS_NETWORK_NAME'] },
  'related.ip': { members: ['actorIp', 'details.actor_ip_address'] },
  'related.user': { members: ['actorName', 'actorId', 'targets.name', 'details.owner'], normalizer: 'partOfAddress' },
  'related.hosts': { members: ['actorName', 'targets.name', 'details.ownerDomain'], normalizer: 'partOfAddress' },
  'rule.id': targetId,
  'rule.name': targetName,
  'url.original': { members: ['details.WEB_ADDRESS'] },
  'url.path': { members: ['details.SITE_LOCATION', 'details.WEB_ADDRESS'], normalizer: 'urlPath' },
  'url.domain': { members: ['details.WEB_ADDRESS'], normalizer: 'host' },
  'url.scheme': { members: ['details.WEB_ADDRESS'], normalizer: 'scheme' },
  'user.target.domain': targetDomain,
  'user.target.email': targetName,
  'user.target.name': targetLocalPart,
  'user.target.group.domain': targetDomain,
  'user.target.group.name': targetLocalPart,
};

const okta: FieldMappings = {
  'client.domain': { members: ['details.securityContext.domain'] },
  'source.domain': { members: ['details.securityContext.domain'] },
  'client.geo.city_name': { members: ['location.city'] },
  'client.geo.country_name': { members: ['location.country'] },
  'client.geo.region_name': { members: ['location.region'] },
  'client.geo.location.lat': { members: ['location.latitude'] },
  'client.geo.location.lon': { members: ['location.longitude'] },
  'client.as.organization.name': { members: ['location.asOrganization'] },
  'client.user.full_name': { members: ['details.actor.displayName'] },
  'source.user.full_name': { members: ['details.actor.displayName'] },
  'user.full_name': { members: ['details.actor.displayName'] },
  'user.target.full_name': targetName,
  'user.target.id': targetId,
  'user.target.group.id': targetId,
  'user.target.group.name': targetName,
  'related.user': { members: ['actorName', 'details.actor.displayName', 'targets.name'], normalizer: 'partOfAddress' },
  'user_agent.os.name': { members: ['deviceOs'] },
};

const azure: FieldMappings = {
  'user.full_name': { members: ['details.userDisplayName'] },
  message: { members: ['outcomeReason'] },
  'log.level': { members: ['details.Level', 'details.level'] },
  'event.duration': { members: ['details.durationMs'], normalizer: 'nanoseconds' },
};

const signIn: FieldMappings = {
  'geo.city_name': { members: ['location.city'] },
  'geo.country_iso_code': { members: ['location.country'] },
  'geo.country_name': { members: ['location.region'] },
  'geo.location.lat': { members: ['location.latitude'] },
  'geo.location.lon': { members: ['location.longitude'] },
  'user_agent.os.full': { members: ['deviceOs'], normalizer: 'withoutSpaces' },
};

const graphActivity: FieldMappings = {
  'cloud.region': { members: ['details.location'] },
  'http.request.id': { members: ['externalEventId'] },
  'http.request.method': { members: ['details.requestMethod'] },
  'http.response.bytes': { members: ['details.responseSizeBytes'] },
  'http.response.status_code': { members: ['details.resultSignature'] },
  'related.user': actorId,
  'url.original': { members: ['resourceId'] },
  'url.path': { members: ['resourceName'] },
  'url.domain': { members: ['resourceId'], normalizer: 'host' },
  'url.scheme': { members: ['resourceId'], normalizer: 'scheme' },
  'url.query': { members: ['resourceId'], normalizer: 'query' },
};

const sender: FieldMapping = { members: ['actorName'] };
const recipient: FieldMapping = { members: ['targets.name'] };
const senderAndRecipient: FieldMapping = { members: ['actorName', 'targets.name'] };
const messageTrace: FieldMappings = {
  'destination.domain': targetDomain,
  'destination.ip': { members: ['details.ToIP'] },
  'destination.user.domain': targetDomain,
  'destination.user.email': recipient,
  'destination.user.id': recipient,
  'destination.user.name': targetLocalPart,
  'email.attachments.file.size': { members: ['details.Size'] },
  'email.delivery_timestamp': { members: ['occurredAt'], normalizer: 'time' },
  'email.from.address': sender,
  'email.local_id': { members: ['externalEventId'] },
  'email.message_id': { members: ['resourceId'] },
  'email.subject': { members: ['resourceName'] },
  'email.to.address': recipient,
  'related.user': { ...senderAndRecipient, normalizer: 'partOfAddress' },
  'source.domain': actorDomain,
  'source.user.email': sender,
  'source.user.id': sender,
  'user.email': senderAndRecipient,
  'user.id': senderAndRecipient,
  'user.name': { ...senderAndRecipient, normalizer: 'localPart' },
};

const anyRow: FieldMappings = {
  '@timestamp': { members: ['occurredAt'] },
  'event.action': { members: ['action'] },
  'event.id': { members: ['externalEventId'] },
  'event.outcome': { members: ['outcome'] },
  'client.address': actorIp,
  'client.ip': actorIp,
  'client.user.id': actorId,
  'client.user.name': actorLocalPart,
  'related.ip': actorIp,
  'source.address': actorIp,
  'source.ip': actorIp,
  'source.user.domain': actorDomain,
  'source.user.email': actorName,
  'source.user.id': actorId,
  'source.user.name': actorLocalPart,
  'user.domain': actorDomain,
  'user.email': actorName,
  'user.id': actorId,
  'user.name': actorLocalPart,
  'user_agent.original': userAgent,
};

/** By start of the format: what log rows correspond to. */
export const rowMappings: readonly (readonly [RegExp, FieldMappings])[] = [
  [/^o365\./, management],
  [/^google\.reports/, google],
  [/^okta\./, okta],
  [/^graph\.activity/, graphActivity],
  [/^entra\.signin/, signIn],
  [/azuremonitor$/, azure],
  [/^exchange\.message-trace/, messageTrace],
  [/^(?:o365|google\.reports|okta|exchange)\.|azuremonitor$/, anyRow],
];
