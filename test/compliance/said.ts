import type { Message, RecordTopic } from '@tenantscope/intake';
import { typeOfFormat } from '@tenantscope/intake';

type Members = Readonly<Record<string, unknown>>;

/** What a collector or a producer tells, before it is known of which tenant and when. */
export type Saying =
  | { readonly topic: 'activity'; readonly format: string; readonly record: Members }
  | { readonly topic: 'rawAlert'; readonly record: Members & { readonly id: string } }
  | {
      readonly topic: Exclude<RecordTopic, 'rawAlert' | 'rawEntity'>;
      /** As types of events spell it after the area, for example `entity.agent`. */
      readonly type: string;
      readonly id: string;
      readonly members: Members;
      readonly deleted?: true;
    };

export const hourMs = 3_600_000;
export const dayMs = 24 * hourMs;
/** As records say times. */
export const at = (ms: number): string => new Date(ms).toISOString();

let said = 0;

/** The message of a saying: CloudEvents in binary mode. What is said later is a later version. */
export function messageOf(tenantId: string, atMs: number, saying: Saying): Message {
  if (saying.topic === 'activity') return message(tenantId, tenantId, typeOfFormat(saying.format), saying.record);
  if (saying.topic === 'rawAlert')
    return message(
      tenantId,
      `${tenantId}/alert/${saying.record.id}`,
      typeOfFormat('graph.security.alert'),
      saying.record,
    );
  const kind = saying.type.split('.').at(-1) ?? '';
  said += 1;
  const version = atMs * 1_000 + said;
  const payload = saying.deleted
    ? { id: saying.id, tenantId, version, deletedAt: at(atMs) }
    : { id: saying.id, tenantId, version, changedAt: at(atMs), ...saying.members };
  const verb = saying.deleted ? 'deleted' : 'upserted';
  const key = `${tenantId}/${kind}/${encodeURIComponent(saying.id)}`;
  return message(tenantId, key, `tenantscope.${saying.type}.${verb}.v1`, payload);
}

const message = (tenantId: string, key: string, type: string, payload: unknown): Message => ({
  key: Buffer.from(key),
  value: Buffer.from(JSON.stringify(payload)),
  headers: { ce_specversion: '1.0', ce_type: type, ce_tenantid: tenantId, 'content-type': 'application/json' },
});

type EntityKind =
  | 'user'
  | 'agent'
  | 'app'
  | 'file'
  | 'site'
  | 'group'
  | 'device'
  | 'license'
  | 'sensitiveInfoType'
  | 'email';

const entity = (kind: EntityKind, id: string, members: Members): Saying => ({
  topic: 'entity',
  type: `entity.${kind}`,
  id,
  members,
});

export const gone = (kind: EntityKind, id: string): Saying => ({ ...entity(kind, id, {}), deleted: true }) as Saying;

/** A member with a second factor whose account is enabled. */
export const user = (id: string, more: Members = {}): Saying =>
  entity('user', id, {
    displayName: `${id} of Contoso`,
    userPrincipalName: `${id}@contoso.example`,
    userType: 'member',
    accountEnabled: true,
    isExternal: false,
    mfaRegistered: true,
    ...more,
  });

export const guest = (id: string, more: Members = {}): Saying =>
  user(id, { userType: 'guest', isExternal: true, ...more });

/** An agent of the tenant's own that is deployed to some, made a year ago. */
export const agent = (id: string, more: Members = {}): Saying =>
  entity('agent', id, {
    displayName: `Agent ${id}`,
    kind: 'declarativeAgent',
    platform: 'microsoft365Copilot',
    publisherType: 'custom',
    lifecycleStatus: 'deployed',
    isBlocked: false,
    availableTo: 'some',
    deployedTo: 'some',
    createdAt: '2025-05-01T08:00:00Z',
    ...more,
  });

/** An app of somebody else that one user consented to, made a year ago. */
export const app = (id: string, more: Members = {}): Saying =>
  entity('app', id, {
    displayName: `App ${id}`,
    appType: 'thirdParty',
    accountEnabled: true,
    isAiApp: false,
    publisher: 'Fabrikam',
    delegatedPermissionCount: 1,
    applicationPermissionCount: 0,
    createdAt: '2025-05-01T08:00:00Z',
    ...more,
  });

/** A document that nobody else can open. */
export const file = (id: string, more: Members = {}): Saying =>
  entity('file', id, {
    name: `${id}.docx`,
    siteId: 'finance',
    sharingScope: 'specificPeople',
    hasAnonymousLink: false,
    hasOrganizationLink: false,
    externalUserCount: 0,
    aiAppReachCount: 0,
    agentReachCount: 0,
    isProtected: false,
    ...more,
  });

export const site = (id: string, more: Members = {}): Saying =>
  entity('site', id, { displayName: `Site ${id}`, siteType: 'team', everyoneAccess: false, ...more });

export const group = (id: string, more: Members = {}): Saying =>
  entity('group', id, { displayName: `Group ${id}`, groupType: 'microsoft365', ...more });

export const device = (id: string, more: Members = {}): Saying =>
  entity('device', id, { displayName: `Device ${id}`, deviceId: id, isManaged: true, ...more });

export const license = (id: string, more: Members = {}): Saying =>
  entity('license', id, { displayName: id, skuPartNumber: id, ...more });

export const sensitiveInfoType = (id: string, more: Members = {}): Saying =>
  entity('sensitiveInfoType', id, { name: `Type ${id}`, ...more });

/** Who answers for an agent or an app by assignment; nobody where the user is null. */
export const accountable = (type: 'agent' | 'app', id: string, userId: string | null): Saying => ({
  topic: 'entity',
  type: 'entity.accountable',
  id: `${type}-${id}`,
  members: { subject: { type, id }, userId, assignedBy: 'chief', assignedAt: '2026-01-10T09:00:00Z' },
});

const evidence = (kind: string, id: string, members: Members): Saying => ({
  topic: 'agentEvidence',
  type: `agent-evidence.${kind}`,
  id,
  members,
});

/** Delegated and for one user, unless said otherwise. */
export const grant = (id: string, agentId: string, more: Members = {}): Saying =>
  evidence('permissionGrant', id, {
    agentId,
    value: 'Files.Read',
    permissionKind: 'delegated',
    source: 'direct',
    consentType: 'principal',
    tenantWide: false,
    writeAccess: false,
    ...more,
  });

export const instructionChange = (id: string, agentId: string, occurredMs: number): Saying =>
  evidence('instructionChange', id, { agentId, occurredAt: at(occurredMs), previousHash: 'a1', currentHash: 'b2' });

export const restriction = (
  id: string,
  typeId: string,
  level: 'monitored' | 'noAiAccess' | 'noAccess',
  declaredMs: number,
  more: Members = {},
): Saying => evidence('restriction', id, { dataType: { id: typeId }, level, declaredAt: at(declaredMs), ...more });

export const lifted = (id: string): Saying => ({ ...evidence('restriction', id, {}), deleted: true }) as Saying;

export const restrictionEvent = (id: string, restrictionId: string, members: Members): Saying =>
  evidence('restrictionEvent', id, { restrictionId, ...members });

const compliance = (kind: string, id: string, members: Members): Saying => ({
  topic: 'compliance',
  type: `compliance.${kind}`,
  id,
  members,
});

export const decision = (
  type: string,
  id: string,
  outcome: 'approved' | 'restricted' | 'blocked' | 'accepted' | 'reviewed',
  decidedMs: number,
  more: Members = {},
  recordId = `${type}-${id}`,
): Saying =>
  compliance('decision', recordId, { subject: { type, id }, outcome, by: 'chief', at: at(decidedMs), ...more });

export const riskClass = (type: 'agent' | 'app', id: string, name: string): Saying =>
  compliance('riskClass', `${type}-${id}`, { subject: { type, id }, class: name });

export const attestation = (requirementKey: string, members: Members): Saying =>
  compliance('attestation', requirementKey, { requirementKey, verdict: 'compliant', attestedBy: 'chief', ...members });

export const tenantFact = (key: string, value: boolean): Saying => compliance('tenantFact', key, { key, value });

/** A source whose last import came to its end at this moment. */
export const sourceStatus = (source: string, lastCompleteMs: number | null, more: Members = {}): Saying =>
  compliance('sourceStatus', source.replaceAll('/', '.'), {
    source,
    enabled: true,
    licensed: true,
    lastCompleteImportAt: lastCompleteMs === null ? null : at(lastCompleteMs),
    ...more,
  });

export const policy = (id: string, more: Members = {}): Saying =>
  compliance('policy', id, { name: `Policy ${id}`, enabled: true, subjectType: 'agent', aiSubject: true, ...more });

export const detector = (id: string, more: Members = {}): Saying =>
  compliance('detector', id, { name: `Detector ${id}`, enabled: true, entityTypes: ['agent'], ...more });
