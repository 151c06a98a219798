import type { StatusQuestion } from '@tenantscope/compliance';
import { ApiError } from '@tenantscope/contract';
import { type MomentLimits, QueryTimedOut, type ReadModels } from '@tenantscope/store';
import { type Caller, tenantOf } from './caller.ts';
import type { Answer } from './invoke.ts';
import { assessmentTimeoutMs } from './limits.ts';
import type { ListSources } from './list.ts';

/** Reads one document of a tenant, with everything in it as of one moment. */
type ReadAssessment = (
  pool: ReturnType<ReadModels['poolFor']>,
  question: StatusQuestion,
  limits: MomentLimits,
) => Promise<object>;

/** A document that is evaluated when it is asked for. It takes its turn like a page, since it costs as much as some of them, and is given up when its caller hangs up. */
export async function answerAssessment(
  { models, turns }: ListSources,
  read: ReadAssessment,
  caller: Caller,
): Promise<Answer> {
  const { id, connectedAtMs } = tenantOf(caller);
  const question = { tenantId: id, connectedAtMs, nowMs: null };
  const limits = { timeoutMs: assessmentTimeoutMs, hungUp: caller.hangUp() };
  const document = await turns.take(caller.keyId, () => read(models.poolFor(id), question, limits).catch(inOtherWords));
  return { body: JSON.stringify({ data: document }) };
}

/** There is no window to narrow. */
function inOtherWords(error: unknown): never {
  if (!(error instanceof QueryTimedOut)) throw error;
  throw new ApiError(
    'QUERY_TIMEOUT',
    'The evaluation took too long. Repeat the request later; list_compliance_snapshots has the latest one that was kept.',
    undefined,
    {},
    { cause: error },
  );
}
