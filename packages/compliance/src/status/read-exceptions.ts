import { readExceptedSubjects, readExceptions } from '@tenantscope/store/compliance';
import { type PoolClient, readTogether } from '@tenantscope/store/connection';
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
  const requirements = [...new Set(exceptions.map(({ requirementKey }) => requirementKey))].flatMap((key) => {
    const inForce = listInForce(key, { exceptions, nowMs });
    return inForce.length === 0 ? [] : [{ key, inForce }];
  });
  const counts = await readTogether<(ExceptedSubjects | null)[]>(
    client,
    requirements.map(
      ({ key, inForce }) =>
        (one) =>
          countCovered(one, instant, key, inForce),
    ),
  );
  const excepted = Object.fromEntries(requirements.map(({ key }, index) => [key, counts[index]]));
  return { exceptions, excepted };
}

async function countCovered(
  client: PoolClient,
  instant: Instant,
  key: string,
  inForce: readonly Exception[],
): Promise<ExceptedSubjects | null> {
  const counted = await readExceptedSubjects(client, instant, key, inForce);
  return (
    counted && {
      failing: counted.failing,
      unknown: counted.unknown,
      byException: Object.fromEntries(inForce.map(({ id }, index) => [id, counted.byException[index] ?? 0])),
    }
  );
}
