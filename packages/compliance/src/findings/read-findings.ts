import { type ComplianceFinding, formatTime } from '@tenantscope/contract';
import {
  type Finding,
  type FindingPosition,
  type FindingState,
  readDeclarations,
  readFindingPage,
  readSourceStates,
} from '@tenantscope/store/compliance';
import { type PoolClient, readClock } from '@tenantscope/store/connection';
import { type Requirement, requirementCatalogue } from '../catalogue/requirement.ts';
import { explainMissingMetrics } from '../evaluation/evaluate-measured.ts';
import type { Exception } from '../evaluation/facts.ts';
import { toAttestations, toTenantFacts } from '../status/declarations.ts';
import { readExceptionsInForce } from '../status/read-exceptions.ts';
import type { StatusQuery } from '../status/read-status.ts';
import { hasSubjects } from './subjects.ts';

export interface FindingsQuery extends StatusQuery {
  readonly requirement: Requirement;
  /** Null: all. */
  readonly states: readonly FindingState[] | null;
  readonly after: FindingPosition | null;
  readonly limit: number;
}

export interface FindingsPage {
  readonly findings: readonly ComplianceFinding[];
  readonly hasMore: boolean;
  readonly last: FindingPosition | null;
  readonly evaluatedAtMs: number;
  /** Why the list is empty, where that is known. */
  readonly note: string | null;
}

export const findRequirement = (key: string): Requirement | null =>
  requirementCatalogue.find((requirement) => requirement.key === key) ?? null;

/**
 * One page of a requirement's findings. The client is in a read snapshot of the tenant. Findings are of the
 * same facts as the metrics of a status for the same time: empty where it has none.
 */
export async function readFindings(client: PoolClient, query: FindingsQuery): Promise<FindingsPage> {
  const evaluatedAtMs = query.nowMs ?? (await readClock(client));
  const note = await explainEmptyList(client, query, evaluatedAtMs);
  if (note !== null) return { findings: [], hasMore: false, last: null, evaluatedAtMs, note };
  const { requirement, tenantId, connectedAtMs, states, after, limit } = query;
  const instant = { tenantId, connectedAtMs, nowMs: evaluatedAtMs };
  const exceptions = await readExceptionsInForce(client, instant, requirement.key);
  const page = await readFindingPage(client, {
    ...instant,
    requirementKey: requirement.key,
    states,
    coverings: exceptions,
    after,
    limit,
  });
  const findings = page.findings.map((finding) => toComplianceFinding(finding, exceptions));
  return { ...page, findings, evaluatedAtMs, note: null };
}

async function explainEmptyList(
  client: PoolClient,
  { requirement, tenantId }: FindingsQuery,
  nowMs: number,
): Promise<string | null> {
  if (requirement.kind === 'attested') return 'This requirement is attested by a person and has no findings.';
  if (!hasSubjects(requirement)) return 'This requirement measures an age, a share or a range, which has no subjects.';
  const declared = await readDeclarations(client, { tenantId, nowMs });
  const outcome = explainMissingMetrics(requirement, {
    nowMs,
    metrics: {},
    sources: await readSourceStates(client, { tenantId, nowMs }),
    attestations: toAttestations(declared),
    tenantFacts: toTenantFacts(declared),
  });
  return outcome && `This requirement is not evaluated (${outcome.reason}): its metrics and findings are unknown.`;
}

const toComplianceFinding = (
  { sinceMs, covering, ...finding }: Finding,
  exceptions: readonly Exception[],
): ComplianceFinding => ({
  subjectType: finding.subjectType,
  subjectId: finding.subjectId,
  subjectName: finding.subjectName,
  state: finding.state,
  reason: finding.reason,
  since: sinceMs === null ? null : formatTime(sinceMs),
  count: finding.count,
  detail: finding.detail,
  exception: describeException(covering === null ? undefined : exceptions[covering]),
});

const describeException = (one: Exception | undefined): ComplianceFinding['exception'] =>
  one === undefined
    ? null
    : { id: one.id, approvedBy: one.approvedBy, validUntil: formatTime(one.validUntilMs), reason: one.reason };
