import { Readable } from 'node:stream';
import { dayMs } from '@tenantscope/contract';
import type { AdminEvent, AuditPeriod, AuditQuery, Session } from '@tenantscope/store/console';
import type * as z from 'zod/mini';
import * as routes from '../../api/audit.ts';
import { escapeInvisible } from '../../api/escape-invisible.ts';
import { auditContext } from '../http/audit-context.ts';
import { handle } from '../http/handler.ts';
import { HttpError } from '../http/http-error.ts';
import { invalidParameter, parseInstant } from '../http/parse-instant.ts';

const pageSize = 100;
const defaultDays = 30;

export const listAuditEvents = handle(routes.listAuditEvents, async ({ store, session, input }) => {
  const [events, head] = await Promise.all([
    store.audit.read({ ...parseQuery(session, input), limit: pageSize + 1 }),
    session.role === 'admin' ? store.audit.head(session.organizationId) : null,
  ]);
  const page = events.slice(0, pageSize);
  return {
    events: page,
    nextCursor: events.length > pageSize ? String(page.at(-1)?.number) : null,
    head,
  };
});

export const verifyAudit = handle(routes.verifyAudit, async ({ store, session }) => ({
  ...(await store.audit.verify(session.organizationId)),
  verifiedAt: new Date().toISOString(),
}));

/**
 * Anyone can verify the file without the service. Filters do not narrow it, and a member of some tenants cannot export: a chain with gaps proves
 * nothing.
 */
export const exportAudit = handle(routes.exportAudit, async ({ store, session, input, reply, request }) => {
  if (!session.hasEveryTenant)
    throw new HttpError('FORBIDDEN', 'Only members who see the whole organization may export its audit log.');
  const { organizationId, fromMs, toMs } = parsePeriod(session, input);
  await store.transaction(auditContext(session, request), (transaction) =>
    store.recordEvent(transaction, {
      organizationId,
      action: 'exported',
      memberId: session.memberId,
      details: { from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString() },
    }),
  );
  // Parsed again: where the period ends now, its last event is this export.
  const period = parsePeriod(session, input);
  return reply
    .type('application/x-ndjson')
    .header('Content-Disposition', 'attachment; filename="admin-audit.ndjson"')
    .send(Readable.from(formatLines(organizationId, store.audit.stream(period))));
});

async function* formatLines(chain: string, batches: AsyncIterable<readonly AdminEvent[]>): AsyncGenerator<string> {
  // The parsed text is the same.
  for await (const events of batches)
    yield events.map((event) => `${escapeInvisible(JSON.stringify({ chain, ...event }))}\n`).join('');
}

type ListInput = z.output<(typeof routes.listAuditEvents)['input']>;

function parseQuery(session: Session, input: ListInput): Omit<AuditQuery, 'limit'> {
  const before = input.cursor ? Number(input.cursor) : null;
  if (before !== null && !Number.isSafeInteger(before)) throw invalidParameter('cursor', 'take it from a page');
  const actor = session.role === 'admin' ? input.actor : ownActor(session);
  return {
    ...parsePeriod(session, input),
    before,
    ...(actor ? { actor } : {}),
    ...(input.action ? { action: input.action } : {}),
    ...(input.subjectType ? { subjectType: input.subjectType } : {}),
    ...(input.subjectId ? { subjectId: input.subjectId } : {}),
    ...(input.tenantId ? { tenantIds: [input.tenantId] } : {}),
  };
}

/** The period is always bounded; with what of it this member may see. */
function parsePeriod(session: Session, { from, to }: Pick<ListInput, 'from' | 'to'>): AuditPeriod {
  const toMs = to ? parseInstant(to, 'to') : Date.now();
  const fromMs = from ? parseInstant(from, 'from') : toMs - defaultDays * dayMs;
  const visibleTo = { actor: ownActor(session), tenantIds: session.tenants.map(({ id }) => id) };
  return { organizationId: session.organizationId, fromMs, toMs, ...(session.hasEveryTenant ? {} : { visibleTo }) };
}

const ownActor = ({ memberId }: Session): string => `member:${memberId}`;
