import type { AuditLogEvent, Outcome, TenantId } from '@tenantscope/contract';
import { showTime } from '@tenantscope/contract';
import type { Activity } from './activity.ts';
import { describe } from './description.ts';
import { bounded, makeVisible, mayHideText } from './field/text.ts';
import type { LogFact } from './log-fact/log-fact.ts';

/** A row of the audit log, complete but for the stamp, which only the transaction that writes it knows. */
export interface LogRow {
  readonly tenantId: TenantId;
  /** A UUID of version 8; see `identify`. */
  readonly id: string;
  readonly occurredAtMs: number;
  /** JSON text of an `AuditLogEvent` whose discoveredAt is 24 characters to be overwritten at `DISCOVERED_AT_HOLE`. */
  readonly document: string;
  /** The collector's feed. */
  readonly sourceName: string | null;
  /** What rules and evidence look at beyond the columns; nothing of nearly all rows. */
  readonly facts: readonly LogFact[];
  readonly columns: FilterColumns;
}

/** What rows are filtered by, as the document shows it; the action is in lower case, for it is compared without regard to case. */
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
 * Where the 24 characters of discoveredAt stand in every document. Everything before it is ASCII without escapes, so the
 * offset is the same in UTF-16 units and in bytes, and nobody has to search for a mark that a tenant could send.
 */
export const DISCOVERED_AT_HOLE = 101;

/**
 * @param action the activity's action, known to be there
 * @param applicationId of the application among the apps of the tenant, where they are known
 */
export function projectRow(
  tenantId: TenantId,
  id: string,
  occurredAtMs: number,
  activity: Activity,
  action: string,
  applicationId: string | null,
): Omit<LogRow, 'facts'> {
  const received = fieldsOf(activity, action, applicationId, asReceived);
  const json = JSON.stringify(received);
  const isHonest = !mayHideText(json);
  const shown = isHonest ? received : fieldsOf(activity, action, applicationId, makeVisible);
  const members = isHonest ? json : JSON.stringify(shown);
  return {
    tenantId,
    id,
    occurredAtMs,
    document: `{"id":"${id}","occurredAt":"${showTime(occurredAtMs)}","discoveredAt":"${hole}",${members.slice(1)}`,
    sourceName: shown.sourceName,
    columns: {
      severity: shown.severity,
      action: shown.action.toLowerCase(),
      actorId: shown.actorId,
      actorType: shown.actorType,
      actorIp: shown.actorIp,
      resourceId: shown.resourceId,
      resourceType: shown.resourceType,
      workload: shown.workload,
      sourceType: shown.sourceType,
      clientApp: shown.clientApp,
      deviceId: shown.deviceId,
      isManagedDevice: shown.isManagedDevice,
      applicationId: shown.applicationId,
      externalEventId: shown.externalEventId,
      outcome: activity.outcome,
      recordType: activity.recordType,
    },
  };
}

type Fields = Omit<AuditLogEvent, 'id' | 'occurredAt' | 'discoveredAt'>;

/** The members of the document after discoveredAt, in the contract's order. */
function fieldsOf(
  activity: Activity,
  action: string,
  applicationId: string | null,
  show: (text: string) => string,
): Fields {
  const { actor, resource, device, application } = activity;
  return {
    action: cut(action, longestKey, show),
    description: cut(describe(activity, action), longestProse, show),
    severity: activity.severity,
    actorId: cut(actor.id, longestKey, show),
    actorName: cut(actor.name, longestProse, show),
    actorType: actor.type,
    actorIp: activity.actorIp,
    resourceId: cut(resource.id, longestKey, show),
    resourceName: cut(resource.name, longestProse, show),
    resourceType: cut(resource.type, longestKey, show),
    workload: cut(activity.workload, longestKey, show),
    sourceType: activity.sourceType,
    sourceName: cut(activity.sourceName, longestKey, show),
    clientApp: cut(activity.clientApp, longestKey, show),
    deviceId: cut(device.id, longestKey, show),
    deviceName: cut(device.name, longestProse, show),
    isManagedDevice: device.isManaged,
    applicationId: cut(applicationId, longestKey, show),
    applicationClientId: application.clientId,
    applicationDisplayName: cut(application.displayName, longestProse, show),
    externalEventId: cut(activity.externalEventId, longestKey, show),
  };
}

/** Cut before as well as after: what becomes visible grows up to ninefold, and a megabyte need not. */
function cut<Text extends string | null>(text: Text, limit: number, show: (text: string) => string): Text {
  return text === null ? text : (bounded(show(bounded(text, limit)), limit) as Text);
}

function asReceived(text: string): string {
  return text;
}

/** What rows are filtered by: a btree entry holds at most 2,704 bytes, and a character takes up to three. */
const longestKey = 800;
/** What people read. Longer texts end in an ellipsis. */
const longestProse = 8192;
const hole = '0000-00-00T00:00:00.000Z';
