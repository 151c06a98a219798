import { formatTime, parseGuid, type TenantId } from '@tenantscope/contract';
import { z } from 'zod';
import { readTime } from '../field/time.ts';
import { type Rejection, reject } from '../message/rejection.ts';

/** Ids are part of URLs: printable ASCII without space, slash, question mark, hash and percent sign. */
export const recordId = z
  .string()
  .regex(/^[!-"$&-.0->@-~]{1,300}$/, 'expected 1 to 300 printable ASCII characters without space, /, ?, # and %')
  .meta({ description: 'Id of the record.' });

const recordVersion = z.int().min(1).meta({
  description:
    'Increases with every state of a record. Producers without a counter use the microseconds of changedAt. At most a day ahead of the clock in microseconds.',
});

/** RFC 3339; only providers' raw records may leave out the zone. */
export const time = z
  .string()
  .regex(
    /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/,
    'expected a time of RFC 3339 with a zone',
  )
  .refine((text) => readTime(text) !== null, 'expected a time of the years 2000 to 2100')
  .meta({ format: 'date-time' });

export const text = z.string().max(8192);
export const count = z.int().min(0);

const addressee = z.string().meta({ description: 'The tenant, as in the attribute tenantid.' });

/** The members of every state's payload. */
export const statefulPayload = z.object({
  id: recordId,
  tenantId: addressee,
  version: recordVersion,
  changedAt: time.meta({ description: 'When the producer created this state.' }),
});

/** A record that never changes has version 1 by default. */
export const immutablePayload = statefulPayload.partial({ version: true, changedAt: true });

export const deletionPayload = z.object({
  id: recordId,
  tenantId: addressee,
  version: recordVersion,
  deletedAt: time,
  reason: text.nullish(),
});

export type ParsedPayload<Schema extends z.ZodType> = z.infer<Schema> | Rejection;

/** The parsed payload, or the rule it violates, in a text that quotes nothing of the payload. */
export function parsePayload<Schema extends z.ZodType>(schema: Schema, payload: unknown): ParsedPayload<Schema> {
  const { success, data, error } = schema.safeParse(payload);
  if (success) return data;
  const [issue] = error.issues;
  return rejectMember(issue?.path.join('.') ?? '', issue?.message ?? 'does not match the schema');
}

/** @param member the path of the member that violates a rule, empty for the record as a whole */
export function rejectMember(member: string, rule: string): Rejection {
  return reject('SCHEMA_VIOLATION', `${member === '' ? 'the record' : `member ${member}`}: ${rule}`);
}

export function checkAddressee(claimed: string, tenantId: TenantId): Rejection | null {
  if (parseGuid(claimed) === tenantId) return null;
  return reject('TENANT_MISMATCH', 'member tenantId is another tenant than the attribute tenantid');
}

/** Formats a validated time for a response. */
export function formatInstant(conforming: string | null | undefined): string | null {
  return conforming == null ? null : formatTime(parseInstant(conforming));
}

/** Milliseconds since the epoch of a validated time. */
export function parseInstant(conforming: string): number {
  return readTime(conforming) as number;
}
