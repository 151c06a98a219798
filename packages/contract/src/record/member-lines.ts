import { type AuditLogEvent, auditLogEvent } from './audit-log-event.ts';

/**
 * The stored form of an event: the JSON texts of its members, one per line. An empty line is null (of `truncated`, false), and empty lines
 * at the end are left out. JSON texts contain no line feed: strings escape it, and no white space is written between tokens.
 *
 * Names of members, nulls and the members that rows have as columns were 800 of 1,890 bytes of an average event's JSON text.
 */
export type MemberLines = string;

/** The members that rows have as columns of their own, and so have no lines. */
export type EventKey = Pick<AuditLogEvent, 'id' | 'occurredAt' | 'discoveredAt' | 'tenantId'>;
export type LineMember = Exclude<keyof AuditLogEvent, keyof EventKey>;

const keyMembers: ReadonlySet<string> = new Set([
  'id',
  'occurredAt',
  'discoveredAt',
  'tenantId',
] satisfies (keyof EventKey)[]);

/** The member of each line. @NOTE Stored rows have their values in this order: a new member of the event is its last one. */
export const lineMembers = Object.keys(auditLogEvent.shape).filter(
  (name) => !keyMembers.has(name),
) as readonly LineMember[];

/** @param texts the JSON text of each of `lineMembers`, empty for null */
export function joinMemberLines(texts: readonly string[]): MemberLines {
  const lines = texts.join('\n');
  let end = lines.length;
  while (end > 0 && lines.charCodeAt(end - 1) === lineFeed) end -= 1;
  return lines.slice(0, end);
}

const lineFeed = 0x0a;

/** The JSON text of the event, its members in the contract's order. */
export function formatEvent({ id, occurredAt, discoveredAt, tenantId }: EventKey, lines: MemberLines): string {
  const { text, values } = createEventTemplate(tenantId);
  let event = `{"id":"${id}","occurredAt":"${occurredAt}","discoveredAt":"${discoveredAt}"`;
  let end = 0;
  lines.split('\n').forEach((line, index) => {
    const value = values[index];
    if (line === '' || value === undefined) return;
    event += text.slice(end, value.from) + line;
    end = value.to;
  });
  return event + text.slice(end);
}

/** What follows `discoveredAt` in the JSON text of an event that has no lines, and where in it each line replaces a value. ASCII. */
export interface EventTemplate {
  readonly text: string;
  readonly values: readonly { readonly from: number; readonly to: number }[];
}

export function createEventTemplate(tenantId: string): EventTemplate {
  let text = '';
  const values: { from: number; to: number }[] = [];
  for (const name of Object.keys(auditLogEvent.shape)) {
    if (name === 'tenantId') text += `,"tenantId":"${tenantId}"`;
    if (keyMembers.has(name)) continue;
    const start = `${text},"${name}":`;
    text = start + (name === 'truncated' ? 'false' : 'null');
    values.push({ from: start.length, to: text.length });
  }
  return { text: `${text}}`, values };
}
