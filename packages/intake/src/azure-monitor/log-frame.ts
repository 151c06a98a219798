import { type Json, type JsonObject, toText } from '../json/value.ts';

/**
 * Fields of the frame that Azure Monitor puts around a record; they are used where the record lacks its own. Graph sends
 * records without a frame.
 */
export interface LogFrame {
  readonly action?: Json | undefined;
  readonly address?: Json | undefined;
  /** The Entra tenant whose log this is. */
  readonly tenant?: Json | undefined;
  readonly resultType?: Json | undefined;
  readonly resultDescription?: Json | undefined;
  readonly correlationId?: Json | undefined;
  /** The category of the diagnostic setting; null for Graph. */
  readonly category: string | null;
  readonly sourceName: string | null;
  readonly time?: Json | undefined;
  /** The frame itself. */
  readonly members: JsonObject;
}

export const noFrame: Pick<LogFrame, 'category' | 'members'> = { category: null, members: {} };

/** Reads the frame of an event; some collectors write its names in lower case. */
export function readFrame(members: JsonObject): LogFrame {
  const category = toText(members.category);
  return {
    action: members.operationName ?? members.operationname,
    address: members.callerIpAddress ?? members.calleripaddress,
    tenant: members.tenantId ?? members.tenantid,
    resultType: members.resultType ?? members.resulttype,
    resultDescription: members.resultDescription ?? members.resultdescription,
    correlationId: members.correlationId ?? members.correlationid,
    category,
    sourceName: category,
    time: members.time,
    members,
  };
}
