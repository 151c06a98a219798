import type { AuditLogEvent } from '@tenantscope/contract';
import { findClass } from './classes.ts';
import { type Attributes, classify, compact, type OcsfEvent, ocsfVersion, rateSeverity, toMs } from './event.ts';
import { describeClass, requiresEndpoint } from './log-classes.ts';
import { describeActor, describeDevice, describeService, describeSource } from './log-objects.ts';
import { findRules, type LogRule } from './log-rules.ts';
import { Observables } from './observables.ts';

/** An event of the log as an event of OCSF. An action that no rule names is of the base class. */
export function toOcsfLog(event: AuditLogEvent): OcsfEvent {
  const [rule, own] = chooseRule(event);
  const { attributes } = findClass(rule.class);
  const hasEndpoint = attributes.includes('src_endpoint');
  const hasRequest = attributes.includes('http_request');
  const source = describeSource(event);
  const actor = describeActor(event);
  const device = describeDevice(event);
  const endpoint = source ?? (requiresEndpoint.has(rule.class) ? { svc_name: describeService(event) } : undefined);
  return {
    ...classify(rule, rule.class === 'base' ? event.action : rule.activity),
    ...rateSeverity(event.severity),
    time: Date.parse(event.occurredAt),
    ...describeStatus(event),
    ...compact({
      message: event.description,
      actor,
      ...own,
      src_endpoint: hasEndpoint ? endpoint : undefined,
      device,
      http_request: hasRequest && event.userAgent !== null ? { user_agent: event.userAgent } : undefined,
      observables: listObservables(event, own, {
        address: source?.ip,
        email: actor?.user?.email_addr,
        hasEndpoint,
        hasRequest,
      }),
      unmapped: listUnmapped(event, own, hasEndpoint ? source : undefined, hasRequest),
    }),
    metadata: describeMetadata(event),
  };
}

/** The first rule whose class the event has everything for. */
function chooseRule(event: AuditLogEvent): readonly [LogRule, Attributes] {
  for (const rule of findRules(event)) {
    if (rule.class === 'detectionFinding') continue;
    const own = describeClass[rule.class](event);
    if (own !== null) return [rule, own];
  }
  throw new TypeError('the base class requires nothing');
}

const outcomes: Readonly<Record<string, readonly [number, string]>> = {
  success: [1, 'Success'],
  failure: [2, 'Failure'],
  partial: [99, 'Partial'],
};

function describeStatus({ outcome, errorCode, outcomeReason }: AuditLogEvent): Attributes {
  const [status_id, status] = outcomes[outcome ?? ''] ?? [];
  return compact({ status_id, status, status_code: errorCode, status_detail: outcomeReason }) ?? {};
}

/** Vendor and product by the family of the source. */
const products: Readonly<Record<string, readonly [vendor: string, product: string]>> = {
  microsoft365: ['Microsoft', 'Microsoft 365'],
  entra: ['Microsoft', 'Entra ID'],
  defender: ['Microsoft', 'Defender'],
  intune: ['Microsoft', 'Intune'],
  googleWorkspace: ['Google', 'Google Workspace'],
  okta: ['Okta', 'Okta'],
  platform: ['Tenantscope', 'Tenantscope'],
};

function describeMetadata(event: AuditLogEvent): Attributes {
  const [vendor_name, product] = products[event.sourceType ?? ''] ?? [];
  return {
    version: ocsfVersion,
    product: compact({ name: product ?? event.sourceName ?? 'Unknown', vendor_name }),
    uid: event.id,
    ...compact({
      original_event_uid: event.externalEventId,
      event_code: event.action,
      log_name: event.sourceName,
      log_provider: event.workload,
      logged_time: toMs(event.discoveredAt),
      original_time: event.occurredAt,
      correlation_uid: event.correlationId,
      tenant_uid: event.tenantId,
      is_truncated: event.truncated || null,
    }),
    profiles: ['host'],
  };
}

interface Observed {
  readonly address: string | undefined;
  readonly email: string | undefined;
  readonly hasEndpoint: boolean;
  readonly hasRequest: boolean;
}

function listObservables(event: AuditLogEvent, own: Attributes, observed: Observed) {
  const { address, email, hasEndpoint, hasRequest } = observed;
  const observables = new Observables();
  observables.add('ip', hasEndpoint ? 'src_endpoint.ip' : 'unmapped.actorIp', address);
  observables.add('userUid', 'actor.user.uid', event.actorId);
  observables.add('userName', 'actor.user.name', event.actorName);
  observables.add('email', 'actor.user.email_addr', email);
  observables.add('deviceUid', 'device.uid', event.deviceId);
  observables.add('userAgent', hasRequest ? 'http_request.user_agent' : 'unmapped.userAgent', event.userAgent);
  if ('file' in own) observables.add('fileName', 'file.name', event.resourceName);
  observables.add('resourceUid', findResourcePath(own) ?? 'unmapped.resourceId', event.resourceId);
  return observables.list();
}

/** Where the resource of the event is, in the classes that have a place for it. */
const resourcePaths = { file: 'file.uid', resources: 'resources[0].uid', entity: 'entity.uid', app: 'app.uid' };

const findResourcePath = (own: Attributes): string | undefined =>
  Object.entries(resourcePaths).find(([attribute]) => own[attribute] !== undefined)?.[1];

/** Members without an attribute. */
function listUnmapped(
  event: AuditLogEvent,
  own: Attributes,
  source: ReturnType<typeof describeSource>,
  hasRequest: boolean,
): Attributes | undefined {
  const { resourceId, resourceName, resourceType } = event;
  return compact({
    sourceType: event.sourceType,
    recordType: event.recordType,
    category: event.category,
    clientApp: event.clientApp,
    applicationId: event.applicationId,
    ...(source ? {} : { actorIp: event.actorIp }),
    ...(source?.location
      ? { isProxy: event.location?.isProxy }
      : { location: event.location && compact(event.location) }),
    ...(hasRequest ? {} : { userAgent: event.userAgent }),
    ...(findResourcePath(own) === undefined ? { resourceId, resourceName, resourceType } : {}),
    signIn: event.signIn && compact(event.signIn),
    targets: event.targets,
    changes: event.changes,
    details: event.details,
    threat: event.threat && compact(event.threat),
    ai: event.ai && compact(event.ai),
  });
}
