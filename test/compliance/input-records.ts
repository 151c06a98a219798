import type { RecordTopicName } from '@tenantscope/contract';
import type { Message } from '@tenantscope/intake';
import { toEventType } from '@tenantscope/intake';

type Members = Readonly<Record<string, unknown>>;

/** A record as a collector or a producer sends it, before tenant and time are added. */
export type InputRecord =
  | { readonly topic: 'activity'; readonly format: string; readonly record: Members }
  | { readonly topic: 'rawAlert'; readonly record: Members & { readonly id: string } }
  | {
      readonly topic: Exclude<RecordTopicName, 'rawAlert' | 'rawEntity'>;
      /** The event type after its prefix, for example `entity.agent`. */
      readonly type: string;
      readonly id: string;
      readonly members: Members;
      readonly deleted?: true;
    };

export const hourMs = 3_600_000;
export const dayMs = 24 * hourMs;
/** A time as records contain it. */
export const at = (ms: number): string => new Date(ms).toISOString();

let recordCount = 0;

/** The message of a record: CloudEvents in binary mode. A later record gets a higher version. */
export function toMessage(tenantId: string, atMs: number, record: InputRecord): Message {
  if (record.topic === 'activity') return message(tenantId, tenantId, toEventType(record.format), record.record);
  if (record.topic === 'rawAlert')
    return message(
      tenantId,
      `${tenantId}/alert/${record.record.id}`,
      toEventType('graph.security.alert'),
      record.record,
    );
  const kind = record.type.split('.').at(-1) ?? '';
  recordCount += 1;
  const version = atMs * 1_000 + recordCount;
  const payload = record.deleted
    ? { id: record.id, tenantId, version, deletedAt: at(atMs) }
    : { id: record.id, tenantId, version, changedAt: at(atMs), ...record.members };
  const verb = record.deleted ? 'deleted' : 'upserted';
  const key = `${tenantId}/${kind}/${encodeURIComponent(record.id)}`;
  return message(tenantId, key, `tenantscope.${record.type}.${verb}.v1`, payload);
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

const entity = (kind: EntityKind, id: string, members: Members): InputRecord => ({
  topic: 'entity',
  type: `entity.${kind}`,
  id,
  members,
});

export const deletedEntity = (kind: EntityKind, id: string): InputRecord =>
  ({ ...entity(kind, id, {}), deleted: true }) as InputRecord;

/** A member with a second factor, an enabled account and no roles. */
export const user = (id: string, more: Members = {}): InputRecord =>
  entity('user', id, {
    displayName: `${id} of Contoso`,
    userPrincipalName: `${id}@contoso.example`,
    userType: 'member',
    accountEnabled: true,
    isExternal: false,
    isAdmin: false,
    mfaRegistered: true,
    ...more,
  });

export const guest = (id: string, more: Members = {}): InputRecord =>
  user(id, { userType: 'guest', isExternal: true, ...more });

/** A custom agent of the tenant, deployed to some users, created a year ago. */
export const agent = (id: string, more: Members = {}): InputRecord =>
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
    owners: [],
    ...more,
  });

/** A third-party app that one user consented to, created a year ago. */
export const app = (id: string, more: Members = {}): InputRecord =>
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

/** A document that no other user can open. */
export const file = (id: string, more: Members = {}): InputRecord =>
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

export const site = (id: string, more: Members = {}): InputRecord =>
  entity('site', id, { displayName: `Site ${id}`, siteType: 'team', everyoneAccess: false, ...more });

export const group = (id: string, more: Members = {}): InputRecord =>
  entity('group', id, { displayName: `Group ${id}`, groupType: 'microsoft365', ...more });

export const device = (id: string, more: Members = {}): InputRecord =>
  entity('device', id, { displayName: `Device ${id}`, deviceId: id, isManaged: true, ...more });

export const license = (id: string, more: Members = {}): InputRecord =>
  entity('license', id, { displayName: id, skuPartNumber: id, ...more });

export const sensitiveInfoType = (id: string, more: Members = {}): InputRecord =>
  entity('sensitiveInfoType', id, { name: `Type ${id}`, ...more });

/** The assigned owner of an agent or an app; no owner when the user is null. */
export const accountable = (type: 'agent' | 'app', id: string, userId: string | null): InputRecord => ({
  topic: 'entity',
  type: 'entity.accountable',
  id: `${type}-${id}`,
  members: { subject: { type, id }, userId, assignedBy: 'chief', assignedAt: '2026-01-10T09:00:00Z' },
});

const evidence = (kind: string, id: string, members: Members): InputRecord => ({
  topic: 'agentEvidence',
  type: `agent-evidence.${kind}`,
  id,
  members,
});

/** Delegated and for one user by default. */
export const grant = (id: string, agentId: string, more: Members = {}): InputRecord =>
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

export const instructionChange = (id: string, agentId: string, occurredMs: number): InputRecord =>
  evidence('instructionChange', id, { agentId, occurredAt: at(occurredMs), previousHash: 'a1', currentHash: 'b2' });

export const restriction = (
  id: string,
  typeId: string,
  level: 'monitored' | 'noAiAccess' | 'noAccess',
  declaredMs: number,
  more: Members = {},
): InputRecord => evidence('restriction', id, { dataType: { id: typeId }, level, declaredAt: at(declaredMs), ...more });

export const deletedRestriction = (id: string): InputRecord =>
  ({ ...evidence('restriction', id, {}), deleted: true }) as InputRecord;

export const restrictionEvent = (id: string, restrictionId: string, members: Members): InputRecord =>
  evidence('restrictionEvent', id, { restrictionId, ...members });

const compliance = (kind: string, id: string, members: Members): InputRecord => ({
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
): InputRecord =>
  compliance('decision', recordId, { subject: { type, id }, outcome, by: 'chief', at: at(decidedMs), ...more });

export const riskClass = (type: 'agent' | 'app', id: string, name: string): InputRecord =>
  compliance('riskClass', `${type}-${id}`, { subject: { type, id }, class: name });

export const attestation = (requirementKey: string, members: Members): InputRecord =>
  compliance('attestation', requirementKey, { requirementKey, verdict: 'compliant', attestedBy: 'chief', ...members });

/** An exception that is valid for 30 days from its arrival on, unless its members say otherwise. */
export const exception = (id: string, requirementKey: string, fromMs: number, members: Members): InputRecord =>
  compliance('exception', id, {
    requirementKey,
    reason: 'approved by the board',
    approvedBy: 'chief',
    validFrom: at(fromMs),
    validUntil: at(fromMs + 30 * dayMs),
    ...members,
  });

export const tenantFact = (key: string, value: boolean): InputRecord => compliance('tenantFact', key, { key, value });

/** A source whose last import ended at this time. */
export const sourceStatus = (source: string, lastCompleteMs: number | null, more: Members = {}): InputRecord =>
  compliance('sourceStatus', source.replaceAll('/', '.'), {
    source,
    enabled: true,
    licensed: true,
    lastCompleteImportAt: lastCompleteMs === null ? null : at(lastCompleteMs),
    ...more,
  });

export const policy = (id: string, more: Members = {}): InputRecord =>
  compliance('policy', id, { name: `Policy ${id}`, enabled: true, subjectType: 'agent', aiSubject: true, ...more });

export const detector = (id: string, more: Members = {}): InputRecord =>
  compliance('detector', id, { name: `Detector ${id}`, enabled: true, entityTypes: ['agent'], ...more });
