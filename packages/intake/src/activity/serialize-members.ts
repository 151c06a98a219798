import { type AuditLogEvent, type EventKey, joinMemberLines, type MemberLines } from '@tenantscope/contract';
import { quoteText } from '../json/quote-text.ts';

/** The members from action to changes. */
export type EventFields = Omit<AuditLogEvent, keyof EventKey | 'details' | keyof EventVerdicts>;
export type EventVerdicts = Pick<AuditLogEvent, 'threat' | 'ai' | 'truncated'>;

/** One by one: with its UTF-8 3.0 µs of an average event, and 3.4 as an object, whose text is 1.7 times as long. */
export function serializeMembers(fields: EventFields, details: string, verdicts: EventVerdicts): MemberLines {
  return joinMemberLines([
    quoteText(fields.action),
    quoteText(fields.description),
    quoteText(fields.severity),
    quoteText(fields.actorId),
    quoteText(fields.actorName),
    quoteText(fields.actorType),
    quoteText(fields.actorIp),
    quoteText(fields.resourceId),
    quoteText(fields.resourceName),
    quoteText(fields.resourceType),
    quoteText(fields.workload),
    quoteText(fields.sourceType),
    quoteText(fields.sourceName),
    quoteText(fields.clientApp),
    quoteText(fields.deviceId),
    quoteText(fields.deviceName),
    fields.isManagedDevice === null ? '' : String(fields.isManagedDevice),
    quoteText(fields.applicationId),
    quoteText(fields.applicationClientId),
    quoteText(fields.applicationDisplayName),
    quoteText(fields.externalEventId),
    quoteText(fields.outcome),
    quoteText(fields.recordType),
    quoteText(fields.category),
    quoteText(fields.errorCode),
    quoteText(fields.outcomeReason),
    quoteText(fields.sessionId),
    quoteText(fields.correlationId),
    quoteText(fields.userAgent),
    quoteText(fields.deviceOs),
    stringify(fields.location),
    quoteText(fields.actorUserId),
    stringify(fields.signIn),
    stringify(fields.targets),
    stringify(fields.changes),
    details,
    stringify(verdicts.threat),
    stringify(verdicts.ai),
    verdicts.truncated ? 'true' : '',
  ]);
}

const stringify = (value: object | null): string => (value === null ? '' : JSON.stringify(value));
