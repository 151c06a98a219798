import type { AuditLogEvent, Outcome, TenantId } from '@tenantscope/contract';
import { formatTime } from '@tenantscope/contract';
import { makeVisible, mayHideText, truncateText } from '../field/text.ts';
import type { LogFact } from '../log-fact/log-fact.ts';
import type { Activity } from './activity.ts';
import { describeActivity } from './description.ts';

/** A row of the audit log without its stamp, which only the transaction that writes it knows. */
export interface LogRow {
  readonly tenantId: TenantId;
  /** A UUID of version 8; see `identify`. */
  readonly id: string;
  readonly occurredAtMs: number;
  /** JSON text of an `AuditLogEvent` whose discoveredAt is 24 characters to be overwritten at `DISCOVERED_AT_HOLE`. */
  readonly document: string;
  /** The collector's feed. */
  readonly sourceName: string | null;
  /** What rules and evidence read beyond the columns; empty for nearly all rows. */
  readonly facts: readonly LogFact[];
  readonly columns: FilterColumns;
}

/** The filter columns, as the document shows them; the action is in lower case because it is compared case-insensitively. */
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
  readonly recordType: number | null;
}

/**
 * Offset of the 24 characters of discoveredAt in every document. Everything before it is ASCII without escapes, so the
 * offset is the same in UTF-16 units and in bytes, and no marker has to be searched for that a tenant could send.
 */
export const DISCOVERED_AT_OFFSET = 101;

/**
 * @param action the activity's action, which is present
 * @param applicationId id of the application among the tenant's cached apps, null where unknown
 */
export function projectRow(
  tenantId: TenantId,
  id: string,
  occurredAtMs: number,
  activity: Activity,
  action: string,
  applicationId: string | null,
): Omit<LogRow, 'facts'> {
  const received = buildFields(activity, action, applicationId, asReceived);
  const json = JSON.stringify(received);
  const isVisible = !mayHideText(json);
  const visible = isVisible ? received : buildFields(activity, action, applicationId, makeVisible);
  const members = isVisible ? json : JSON.stringify(visible);
  return {
    tenantId,
    id,
    occurredAtMs,
    document: `{"id":"${id}","occurredAt":"${formatTime(occurredAtMs)}","discoveredAt":"${discoveredAtPlaceholder}",${members.slice(1)}`,
    sourceName: visible.sourceName,
    columns: {
      severity: visible.severity,
      action: visible.action.toLowerCase(),
      actorId: visible.actorId,
      actorType: visible.actorType,
      actorIp: visible.actorIp,
      resourceId: visible.resourceId,
      resourceType: visible.resourceType,
      workload: visible.workload,
      sourceType: visible.sourceType,
      clientApp: visible.clientApp,
      deviceId: visible.deviceId,
      isManagedDevice: visible.isManagedDevice,
      applicationId: visible.applicationId,
      externalEventId: visible.externalEventId,
      outcome: activity.outcome,
      recordType: activity.recordType,
    },
  };
}

type Fields = Omit<AuditLogEvent, 'id' | 'occurredAt' | 'discoveredAt'>;

/** The members of the document after discoveredAt, in the contract's order. */
function buildFields(
  activity: Activity,
  action: string,
  applicationId: string | null,
  show: (text: string) => string,
): Fields {
  const { actor, resource, device, application } = activity;
  return {
    action: truncate(action, maxKeyLength, show),
    description: truncate(describeActivity(activity, action), maxProseLength, show),
    severity: activity.severity,
    actorId: truncate(actor.id, maxKeyLength, show),
    actorName: truncate(actor.name, maxProseLength, show),
    actorType: actor.type,
    actorIp: activity.actorIp,
    resourceId: truncate(resource.id, maxKeyLength, show),
    resourceName: truncate(resource.name, maxProseLength, show),
    resourceType: truncate(resource.type, maxKeyLength, show),
    workload: truncate(activity.workload, maxKeyLength, show),
    sourceType: activity.sourceType,
    sourceName: truncate(activity.sourceName, maxKeyLength, show),
    clientApp: truncate(activity.clientApp, maxKeyLength, show),
    deviceId: truncate(device.id, maxKeyLength, show),
    deviceName: truncate(device.name, maxProseLength, show),
    isManagedDevice: device.isManaged,
    applicationId: truncate(applicationId, maxKeyLength, show),
    applicationClientId: application.clientId,
    applicationDisplayName: truncate(application.displayName, maxProseLength, show),
    externalEventId: truncate(activity.externalEventId, maxKeyLength, show),
  };
}

/** Truncates before and after: text made visible grows up to ninefold, and a megabyte must not be processed for that. */
function truncate<Text extends string | null>(text: Text, limit: number, show: (text: string) => string): Text {
  return text === null ? text : (truncateText(show(truncateText(text, limit)), limit) as Text);
}

function asReceived(text: string): string {
  return text;
}

/** For filter columns: a btree entry has at most 2,704 bytes, and a character takes up to three. */
const maxKeyLength = 800;
/** For display texts. Longer texts end in an ellipsis. */
const maxProseLength = 8192;
const discoveredAtPlaceholder = '0000-00-00T00:00:00.000Z';
