import { readGuid, showTime, type TenantId } from '@tenantscope/contract';
import { z } from 'zod';
import { readTime } from '../field/time.ts';
import { type Rejection, reject } from '../rejection.ts';

/** Ids are part of addresses: printable ASCII without space, slash, question mark, hash and percent sign. */
export const recordId = z
  .string()
  .regex(/^[!-"$&-.0->@-~]{1,300}$/, 'expected 1 to 300 printable ASCII characters without space, /, ?, # and %')
  .meta({ description: 'Id of the record.' });

export const recordVersion = z
  .int()
  .min(1)
  .meta({ description: 'States of one record only move upward by it. Without a counter: microseconds of changedAt.' });

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

/** What the payload of every state holds. */
export const statefulPayload = z.object({
  id: recordId,
  tenantId: addressee,
  version: recordVersion,
  changedAt: time.meta({ description: 'When the producer made this state.' }),
});

/** A record that is said once is in its first version unless it says otherwise. */
export const immutablePayload = statefulPayload.partial({ version: true, changedAt: true });

export const deletionPayload = z.object({
  id: recordId,
  tenantId: addressee,
  version: recordVersion,
  deletedAt: time,
  reason: text.nullish(),
});

export type Conforming<Schema extends z.ZodType> = z.infer<Schema> | Rejection;

/** The payload as the schema reads it, or what is wrong with it, in words that quote nothing of it. */
export function conform<Schema extends z.ZodType>(schema: Schema, payload: unknown): Conforming<Schema> {
  const { success, data, error } = schema.safeParse(payload);
  if (success) return data;
  const [issue] = error.issues;
  return broken(issue?.path.join('.') ?? '', issue?.message ?? 'is not as the schema says');
}

/** @param member the path of the member that breaks a rule, empty for the record as a whole */
export function broken(member: string, rule: string): Rejection {
  return reject('SCHEMA_VIOLATION', `${member === '' ? 'the record' : `member ${member}`}: ${rule}`);
}

export function addresseeFault(claimed: string, tenantId: TenantId): Rejection | null {
  if (readGuid(claimed) === tenantId) return null;
  return reject('TENANT_MISMATCH', 'member tenantId is another tenant than the attribute tenantid');
}

/** A time that conformed, as it is served. */
export function shown(conforming: string | null | undefined): string | null {
  return conforming == null ? null : showTime(instantOf(conforming));
}

/** Milliseconds since the epoch of a time that conformed. */
export function instantOf(conforming: string): number {
  return readTime(conforming) as number;
}
