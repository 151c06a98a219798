import { type FindingsPage, findRequirement, readFindings } from '@tenantscope/compliance';
import {
  ApiError,
  type ComplianceFinding,
  formatTime,
  invalidCursorMessage,
  listComplianceFindings,
  type OperationInput,
} from '@tenantscope/contract';
import { type Caller, requireTenant } from '../auth/caller.ts';
import type { OperationResult } from '../invoke.ts';
import type { CursorCodec } from '../records/cursor.ts';
import { parseListQuery } from '../records/list-query.ts';
import { explainIgnored } from '../records/page-note.ts';
import { describeUnwindowedPage, instantWindow } from '../records/unwindowed-pagination.ts';
import { readInDocumentLimits } from './compliance-document.ts';
import type { DocumentDependencies } from './document-dependencies.ts';

type State = ComplianceFinding['state'];

/** Reads a page of a requirement's findings, within the limits of documents: it costs up to one statement of a status. */
export async function handleFindingsList(
  sources: DocumentDependencies,
  caller: Caller,
  input: OperationInput<typeof listComplianceFindings>,
): Promise<OperationResult> {
  const { cursors } = sources;
  const tenant = requireTenant(caller);
  const requirement = findRequirement(input.id);
  if (requirement === null)
    throw new ApiError('NOT_FOUND', 'Requirement not found. Use a key of requirements in /compliance/status.');
  const { after, states, nowMs, limit, ignored } = parseFindingsQuery(cursors, tenant.id, requirement.key, input);
  const { id: tenantId, connectedAtMs } = tenant;
  const page = await readInDocumentLimits(sources, caller, (client) =>
    readFindings(client, { tenantId, connectedAtMs, requirement, nowMs, states, after, limit }),
  );
  const nextCursor =
    page.hasMore && page.last ? encodeCursor(cursors, tenant.id, requirement.key, states, limit, page) : null;
  const pagination = {
    ...describeUnwindowedPage(nextCursor, limit, page.note ?? explainIgnored(ignored)),
    evaluatedAt: formatTime(page.evaluatedAtMs),
  };
  return { body: JSON.stringify({ data: page.findings, pagination }), nextCursor };
}

interface FindingsListQuery {
  readonly states: readonly State[] | null;
  /** Null: now. */
  readonly nowMs: number | null;
  readonly after: readonly string[] | null;
  readonly limit: number;
  readonly ignored: readonly string[];
}

/** Throws INVALID_CURSOR for a cursor that was not issued for this tenant and requirement. */
function parseFindingsQuery(
  cursors: CursorCodec,
  tenantId: string,
  requirementKey: string,
  input: OperationInput<typeof listComplianceFindings>,
): FindingsListQuery {
  const { filters, windows, after, limit, ignored } = parseListQuery(
    cursors,
    listComplianceFindings,
    tenantId,
    input,
    null,
  );
  const states = (filters.state as readonly State[] | undefined) ?? null;
  if (after?.id == null) return { states, nowMs: null, after: null, limit, ignored };
  if (filters.requirement?.[0] !== requirementKey) throw new ApiError('INVALID_CURSOR', invalidCursorMessage);
  return { states, nowMs: windows[instantWindow]?.toMs ?? null, after: JSON.parse(after.id), limit, ignored };
}

function encodeCursor(
  cursors: CursorCodec,
  tenantId: string,
  requirementKey: string,
  states: readonly State[] | null,
  limit: number,
  { last, evaluatedAtMs }: FindingsPage,
): string {
  return cursors.encode({
    operation: listComplianceFindings.name,
    tenantId,
    filters: { requirement: [requirementKey], ...(states ? { state: states } : {}) },
    isPrivate: false,
    windows: { [instantWindow]: { fromMs: null, toMs: evaluatedAtMs } },
    sort: listComplianceFindings.sorts[0],
    limit,
    after: { atMs: 0, id: JSON.stringify(last) },
  });
}
