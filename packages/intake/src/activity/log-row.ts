import type { AuditLogEvent, MemberLines, Outcome, Severity, TenantId } from '@tenantscope/contract';
import { formatEvent, formatTime } from '@tenantscope/contract';
import { maskSecretText } from '../field/mask-secret-text.ts';
import { makeVisible, mayHideText } from '../field/text.ts';
import type { LogFact } from '../log-fact/log-fact.ts';
import type { SourceText } from '../message/source-text.ts';
import type { Activity } from './activity.ts';
import { buildContext, buildVerdicts, maskSecrets } from './context-members.ts';
import { describeActivity } from './description.ts';
import { serializeDetails } from './details.ts';
import { type EventFields, serializeMembers } from './serialize-members.ts';
import { TextLimiter } from './text-limiter.ts';

/** A row of the audit log without its stamp, which only the transaction that writes it knows. */
export interface LogRow {
  readonly tenantId: TenantId;
  /** A UUID of version 8; see `identify`. */
  readonly id: string;
  readonly occurredAtMs: number;
  /** The other members of the event. */
  readonly memberLines: MemberLines;
  /** The collector's feed. */
  readonly sourceName: string | null;
  /** Whether that is a category or table that the product does not list. */
  readonly isUnlisted: boolean;
  /** The Management Activity API's number; null for every other source. */
  readonly recordType: number | null;
  /** What rules and evidence read beyond the columns; empty for nearly all rows. */
  readonly facts: readonly LogFact[];
  readonly columns: FilterColumns;
  /** The record as received. */
  readonly source: SourceText;
}

/** The filter columns, as the event shows them; the action is in lower case because it is compared case-insensitively. */
export interface FilterColumns {
  readonly severity: AuditLogEvent['severity'];
  readonly action: string;
  readonly actorId: string | null;
  readonly actorType: string | null;
  readonly actorIp: string | null;
  readonly resourceId: string | null;
  readonly resourceType: string | null;
  readonly workload: string | null;
  readonly sourceType: string | null;
  readonly clientApp: string | null;
  readonly deviceId: string | null;
  readonly isManagedDevice: boolean | null;
  readonly applicationId: string | null;
  readonly externalEventId: string | null;
  readonly outcome: Outcome | null;
  readonly errorCode: string | null;
  readonly sessionId: string | null;
  readonly correlationId: string | null;
  readonly actorUserId: string | null;
  /** Ids of the targets other than resourceId; null where there are none. */
  readonly targetIds: readonly string[] | null;
}

/** What is known beyond the activity; null where the tenant's directory knows nothing. */
export interface AddedFacts {
  readonly severity: Severity;
  /** Id of the application among the tenant's apps. */
  readonly applicationId: string | null;
  /** Id of the user, agent or app that the actor is. */
  readonly actorUserId: string | null;
}

/**
 * JSON text of a row as lists serve it, except that the digits of discoveredAt are zeros: only the transaction that writes the row knows them.
 */
export function formatLogRow(row: Pick<LogRow, 'id' | 'occurredAtMs' | 'tenantId' | 'memberLines'>): string {
  const { id, occurredAtMs, tenantId, memberLines } = row;
  return formatEvent({ id, occurredAt: formatTime(occurredAtMs), discoveredAt: noStamp, tenantId }, memberLines);
}

/** @param action the activity's action, which is present */
export function projectRow(
  tenantId: TenantId,
  id: string,
  occurredAtMs: number,
  activity: Activity,
  action: string,
  added: AddedFacts,
): Omit<LogRow, 'facts' | 'source'> {
  const received = buildLines(activity, action, added, null);
  const { memberLines, fields } = mayHideText(received.memberLines)
    ? buildLines(activity, action, added, makeVisible)
    : received;
  return {
    tenantId,
    id,
    occurredAtMs,
    memberLines,
    sourceName: fields.sourceName,
    isUnlisted: activity.isUnlisted === true,
    recordType: activity.recordType,
    columns: {
      severity: fields.severity,
      action: fields.action.toLowerCase(),
      actorId: fields.actorId,
      actorType: fields.actorType,
      actorIp: fields.actorIp,
      resourceId: fields.resourceId,
      resourceType: fields.resourceType,
      workload: fields.workload,
      sourceType: fields.sourceType,
      clientApp: fields.clientApp,
      deviceId: fields.deviceId,
      isManagedDevice: fields.isManagedDevice,
      applicationId: fields.applicationId,
      externalEventId: fields.externalEventId,
      outcome: activity.outcome,
      errorCode: fields.errorCode,
      sessionId: fields.sessionId,
      correlationId: fields.correlationId,
      actorUserId: fields.actorUserId,
      targetIds: listOtherIds(fields),
    },
  };
}

/** The lines, and the members from action to changes as values. */
function buildLines(
  activity: Activity,
  action: string,
  added: AddedFacts,
  show: ((text: string) => string) | null,
): { readonly memberLines: MemberLines; readonly fields: EventFields } {
  const limiter = new TextLimiter(show);
  const fields = buildFields(activity, action, added, limiter);
  const details = serializeDetails(activity.context.details, limiter);
  return { memberLines: serializeMembers(fields, details, buildVerdicts(activity.context, limiter)), fields };
}

/** In the contract's order. */
function buildFields(
  activity: Activity,
  action: string,
  { severity, applicationId, actorUserId }: AddedFacts,
  limiter: TextLimiter,
): EventFields {
  const { actor, resource, device, application } = activity;
  const context = buildContext(activity.context, actorUserId, limiter, maxKeyLength);
  return {
    action: limiter.shorten(action, maxKeyLength),
    description: limiter.shorten(maskSecretText(describeActivity(activity, action)), maxProseLength),
    severity,
    actorId: limiter.shorten(actor.id, maxKeyLength),
    actorName: limiter.shorten(actor.name, maxProseLength),
    actorType: actor.type,
    actorIp: activity.actorIp,
    resourceId: limiter.shorten(maskSecrets(resource.id), maxKeyLength),
    resourceName: limiter.shorten(maskSecrets(resource.name), maxProseLength),
    resourceType: limiter.shorten(resource.type, maxKeyLength),
    workload: limiter.shorten(activity.workload, maxKeyLength),
    sourceType: activity.sourceType,
    sourceName: limiter.shorten(activity.sourceName, maxKeyLength),
    clientApp: limiter.shorten(activity.clientApp, maxKeyLength),
    deviceId: limiter.shorten(device.id, maxKeyLength),
    deviceName: limiter.shorten(device.name, maxProseLength),
    isManagedDevice: device.isManaged,
    applicationId: limiter.shorten(applicationId, maxKeyLength),
    applicationClientId: application.clientId,
    applicationDisplayName: limiter.shorten(application.displayName, maxProseLength),
    externalEventId: limiter.shorten(activity.externalEventId, maxKeyLength),
    outcome: activity.outcome,
    // One by one: a spread behind other members takes 0.3 µs.
    recordType: context.recordType,
    category: context.category,
    errorCode: context.errorCode,
    outcomeReason: context.outcomeReason,
    sessionId: context.sessionId,
    correlationId: context.correlationId,
    userAgent: context.userAgent,
    deviceOs: context.deviceOs,
    location: context.location,
    actorUserId: context.actorUserId,
    signIn: context.signIn,
    targets: context.targets,
    changes: context.changes,
  };
}

function listOtherIds({ targets, resourceId }: EventFields): string[] | null {
  if (targets === null) return null;
  const ids = new Set<string>();
  for (const { id } of targets) if (id !== null && id !== resourceId) ids.add(id);
  return ids.size === 0 ? null : [...ids];
}

/** For filter columns: a btree entry has at most 2,704 bytes, and a character takes up to three. */
const maxKeyLength = 800;
/** For display texts. Longer texts end in an ellipsis. */
const maxProseLength = 8192;
const noStamp = '0000-00-00T00:00:00.000Z';
