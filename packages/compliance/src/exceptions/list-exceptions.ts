import { type ComplianceException, findingsPath, formatTime, pageMaxBytes } from '@tenantscope/contract';
import { readExceptions } from '@tenantscope/store/compliance';
import { type PoolClient, readClock } from '@tenantscope/store/connection';
import { findExceptionState } from '../evaluation/exception.ts';
import type { Exception } from '../evaluation/facts.ts';
import { findRequirement } from '../findings/read-findings.ts';
import { toExceptions } from '../status/declarations.ts';

export interface ExceptionsQuery {
  readonly tenantId: string;
  /** Null: now. */
  readonly nowMs: number | null;
  /** Null: all. */
  readonly states: readonly ComplianceException['state'][] | null;
  readonly requirementKeys: readonly string[] | null;
  /** The id of the last exception of the page before. */
  readonly after: string | null;
  readonly limit: number;
}

export interface ExceptionsPage {
  readonly exceptions: readonly ComplianceException[];
  readonly hasMore: boolean;
  readonly evaluatedAtMs: number;
}

/** One page of a tenant's exceptions in the order of their ids. The client is in a transaction with the tenant set. */
export async function readExceptionPage(client: PoolClient, query: ExceptionsQuery): Promise<ExceptionsPage> {
  const { tenantId, states, requirementKeys, after, limit } = query;
  const evaluatedAtMs = query.nowMs ?? (await readClock(client));
  const all = toExceptions(await readExceptions(client, { tenantId, nowMs: evaluatedAtMs }));
  const found = all
    .filter((one) => after === null || compareIds(one.id, after) > 0)
    .filter((one) => requirementKeys === null || requirementKeys.includes(one.requirementKey))
    .filter((one) => states === null || states.includes(findExceptionState(one, evaluatedAtMs)))
    .toSorted((left, right) => compareIds(left.id, right.id));
  const exceptions = takePage(found, limit, evaluatedAtMs);
  return { exceptions, hasMore: exceptions.length < found.length, evaluatedAtMs };
}

const compareIds = (left: string, right: string): number => (left < right ? -1 : left > right ? 1 : 0);

/** As many as the limit, and as fit into a response: an exception may name a thousand subjects. */
function takePage(found: readonly Exception[], limit: number, nowMs: number): ComplianceException[] {
  const page: ComplianceException[] = [];
  let bytes = 0;
  for (const one of found.slice(0, limit)) {
    const exception = toComplianceException(one, nowMs);
    bytes += Buffer.byteLength(JSON.stringify(exception));
    if (page.length > 0 && bytes > pageMaxBytes) break;
    page.push(exception);
  }
  return page;
}

function toComplianceException(one: Exception, nowMs: number): ComplianceException {
  const { id, requirementKey, subjectIds, query, withdrawal } = one;
  return {
    id,
    requirementKey,
    state: findExceptionState(one, nowMs),
    subjectIds: subjectIds && [...subjectIds],
    query: query && {
      subjectType: query.subjectType ?? null,
      subjectName: query.subjectName ?? null,
      detail: query.detail ?? null,
    },
    reason: one.reason,
    approvedBy: one.approvedBy,
    validFrom: formatTime(one.validFromMs),
    validUntil: formatTime(one.validUntilMs),
    evidenceRefs: [...one.evidenceRefs],
    recordedBy: one.recorded.by,
    recordedAt: formatTime(one.recorded.atMs),
    withdrawnAt: withdrawal && formatTime(withdrawal.atMs),
    withdrawnBy: withdrawal?.by ?? null,
    withdrawalReason: withdrawal?.reason ?? null,
    findingsUrl: findRequirement(requirementKey) && findingsPath(requirementKey, 'excepted'),
  };
}
