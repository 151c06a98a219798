import type { MemberLines } from '@tenantscope/contract';
import type { RawFrame } from '../../resource/raw-block.ts';

/** What a normalised log record brings to the table. Columns are what filters compare with; null means unknown. */
export interface AuditLogRow {
  tenantId: string;
  id: string;
  occurredAtMs: number;
  /** The other members of the event, in their stored form. */
  memberLines: MemberLines;
  /** The collector's feed. */
  sourceName: string | null;
  /** Whether that is a category or table that the product does not list. */
  isUnlisted?: boolean;
  /** What rules and evidence look at beyond the columns. */
  facts: readonly LogFact[];
  columns: {
    severity: string | null;
    action: string;
    actorId: string | null;
    actorType: string | null;
    actorIp: string | null;
    resourceId: string | null;
    resourceType: string | null;
    workload: string | null;
    sourceType: string | null;
    clientApp: string | null;
    deviceId: string | null;
    isManagedDevice: boolean | null;
    applicationId: string | null;
    externalEventId: string | null;
    outcome: string | null;
    errorCode: string | null;
    sessionId: string | null;
    correlationId: string | null;
    actorUserId: string | null;
    targetIds: readonly string[] | null;
  };
  /** The record as received, see `RawEntry`. */
  source: { text: Uint8Array; frame: RawFrame | null };
}

/** Written with its row, once. */
export interface LogFact {
  kind: string;
  agentId: string | null;
  /** Of the agent that an interaction names; null in other facts. */
  agentName: string | null;
  /** The app by which an interaction happened; null in other facts. */
  clientId: string | null;
  /** The program in which an interaction happened, such as Word; null in other facts. */
  appHost: string | null;
  /** What happened to an agent, such as `create`; null in other facts. */
  event: string | null;
  actorId: string | null;
  /** JSON text of an object. */
  facts: string;
}
