import { z } from 'zod';
import type { Rejection } from '../message/rejection.ts';
import { parseInstant, rejectMember, text } from './payload.ts';

/** Matches everything where it names nothing: such a pattern would except every subject, those of the future included. */
const pattern = text
  .min(1)
  .regex(/[\p{L}\p{N}]/u, 'expected a text with an alphanumeric character')
  .meta({ description: 'Compared without case; an asterisk matches any text.' });

/**
 * Selects subjects by members of their findings; all of them must match. Strict, since a misspelt member would widen it.
 */
export const subjectQuery = z
  .strictObject({
    subjectType: text.min(1).nullish().meta({ description: 'As in findings, for example user.' }),
    subjectName: pattern.nullish(),
    detail: z
      .record(z.string().regex(/^[A-Za-z][A-Za-z0-9_]{0,63}$/, 'expected a name'), pattern)
      .nullish()
      .meta({ description: 'Members of detail of the finding.' }),
  })
  .refine(({ subjectName, detail }) => subjectName != null || Object.keys(detail ?? {}).length > 0, {
    message: 'expected subjectName or a member of detail',
  })
  .meta({ description: 'Subjects selected by members of their findings, later subjects included.' });

/** Subjects that one exception names by their ids. */
const subjectIdsMax = 1_000;

export const subjectIds = z
  .array(text.min(1))
  .min(1)
  .max(subjectIdsMax)
  .meta({ description: 'Ids of the excepted subjects, as in findings. Compared exactly.' });

interface ExceptionMembers {
  readonly subjectIds?: readonly string[] | null | undefined;
  readonly query?: object | null | undefined;
  readonly validFrom?: string | undefined;
  readonly validUntil?: string | null | undefined;
}

/** Rules between the members of an exception: whom it covers, and that it ends within a year. */
export function checkException(state: ExceptionMembers): Rejection | null {
  const { validFrom, validUntil } = state;
  if (validFrom === undefined || validUntil == null) return null;
  if ((state.subjectIds == null) === (state.query == null))
    return rejectMember('subjectIds', 'expected either subjectIds or query');
  const [fromMs, untilMs] = [parseInstant(validFrom), parseInstant(validUntil)];
  if (untilMs <= fromMs) return rejectMember('validUntil', 'expected a time after validFrom');
  const latest = new Date(fromMs);
  latest.setUTCFullYear(latest.getUTCFullYear() + 1);
  return untilMs > latest.getTime()
    ? rejectMember('validUntil', 'expected a time at most a year after validFrom')
    : null;
}
