import { type AuditLogEvent, joinMemberLines, lineMembers, type MemberLines } from '@tenantscope/contract';

/** The stored form of the members of an event that rows have no columns for; those that are left out are null. */
export function serializeMembers(event: Partial<AuditLogEvent>): MemberLines {
  return joinMemberLines(
    lineMembers.map((name) => {
      const value = event[name] ?? null;
      return value === null || (name === 'truncated' && value === false) ? '' : JSON.stringify(value);
    }),
  );
}
