import { readExceptedSubjects, readExceptions } from '@tenantscope/store/compliance';
import type { PoolClient } from '@tenantscope/store/connection';
import { listInForce } from '../evaluation/exception.ts';
import type { ExceptedSubjects, Exception, Facts } from '../evaluation/facts.ts';
import { toExceptions } from './declarations.ts';

interface Instant {
  readonly tenantId: string;
  readonly connectedAtMs: number;
  readonly nowMs: number;
}

/** Exceptions of one requirement that are in force at an instant, in the order in which they cover subjects. */
export async function readExceptionsInForce(
  client: PoolClient,
  { tenantId, nowMs }: Instant,
  requirementKey: string,
): Promise<Exception[]> {
  const exceptions = toExceptions(await readExceptions(client, { tenantId, nowMs }));
  return listInForce(requirementKey, { exceptions, nowMs });
}

/** The state of every exception at an instant, and what those in force cover: one statement for each requirement that has any. */
export async function readExceptionFacts(
  client: PoolClient,
  instant: Instant,
): Promise<Required<Pick<Facts, 'exceptions' | 'excepted'>>> {
  const { nowMs } = instant;
  const exceptions = toExceptions(await readExceptions(client, instant));
  const excepted: Record<string, ExceptedSubjects | null> = {};
  for (const key of new Set(exceptions.map(({ requirementKey }) => requirementKey))) {
    const inForce = listInForce(key, { exceptions, nowMs });
    if (inForce.length === 0) continue;
    const counted = await readExceptedSubjects(client, instant, key, inForce);
    excepted[key] = counted && {
      failing: counted.failing,
      unknown: counted.unknown,
      byException: Object.fromEntries(inForce.map(({ id }, index) => [id, counted.byException[index] ?? 0])),
    };
  }
  return { exceptions, excepted };
}
