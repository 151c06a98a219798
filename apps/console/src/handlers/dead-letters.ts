import {
  type ConsoleDeadLetter,
  type DeadLetterPosition,
  type DeadLetterQuery,
  type DeadLetterState,
  deadLetterStates,
  encodeBytes,
  maxReplays,
  type Session,
} from '@tenantscope/store/console';
import { z } from 'zod';
import * as routes from '../../api/dead-letters.ts';
import { auditContext } from '../http/audit-context.ts';
import { handle, requireGuid } from '../http/handler.ts';
import { HttpError } from '../http/http-error.ts';
import { invalidParameter, parseInstant } from '../http/parse-instant.ts';
import { visibilityScope } from '../http/visibility-scope.ts';

const pageSize = 100;
const noDeadLetter = 'There is no such dead letter.';
const noRequest = 'There is no such request.';

export const listDeadLetters = handle(routes.listDeadLetters, async ({ store, session, input }) => {
  const query = parseQuery(session, input);
  const { reason: _, ...ofEveryReason } = query;
  const { topic: __, ...ofEveryTopic } = query;
  const isAdmin = session.role === 'admin';
  const page = isAdmin ? { after: parseCursor(input.cursor), limit: pageSize + 1 } : null;
  const { deadLetters, ...read } = await store.deadLetters.read({ query, ofEveryReason, ofEveryTopic, page });
  const listed = deadLetters.slice(0, pageSize);
  return {
    ...read,
    deadLetters: listed,
    nextCursor: deadLetters.length > pageSize ? formatCursor(listed.at(-1)) : null,
  };
});

type ListInput = z.output<(typeof routes.listDeadLetters)['input']>;

function parseQuery(session: Session, { reason, topic, tenantId, state, from, to }: ListInput): DeadLetterQuery {
  if (tenantId && !z.guid().safeParse(tenantId).success)
    throw invalidParameter('tenantId', 'is not the id of a tenant');
  return {
    ...visibilityScope(session),
    state: parseState(state),
    ...(reason ? { reason } : {}),
    ...(topic ? { topic } : {}),
    ...(tenantId ? { tenantId } : {}),
    ...(from ? { fromMs: parseInstant(from, 'from') } : {}),
    ...(to ? { toMs: parseInstant(to, 'to') } : {}),
  };
}

/** Null: every state. */
function parseState(text = 'pending'): DeadLetterState | null {
  if (text === 'all') return null;
  const state = deadLetterStates.find((one) => one === text);
  if (state === undefined) throw invalidParameter('state', `is not one of ${deadLetterStates.join(', ')} and all`);
  return state;
}

const position = z.tuple([z.iso.datetime(), z.guid()]);

const formatCursor = (last: ConsoleDeadLetter | undefined): string =>
  Buffer.from(JSON.stringify([last?.deadLetteredAt, last?.id])).toString('base64url');

function parseCursor(cursor: string | undefined): DeadLetterPosition | null {
  if (!cursor) return null;
  try {
    const [deadLetteredAt, id] = position.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()));
    return { deadLetteredAt, id };
  } catch {
    throw invalidParameter('cursor', 'take it from a page');
  }
}

export const readDeadLetter = handle(routes.readDeadLetter, async ({ store, session, input, request }) => {
  const id = requireGuid(input.id, noDeadLetter);
  const original = await store.deadLetters.readOriginal(visibilityScope(session), id);
  if (original === null) throw new HttpError('NOT_FOUND', noDeadLetter);
  const { organizationId, memberId } = session;
  await store.transaction(auditContext(session, request), (transaction) =>
    store.recordEvent(transaction, {
      organizationId,
      action: 'opened',
      memberId,
      subjectType: 'dead_letter',
      subjectId: id,
    }),
  );
  return {
    ...original,
    replaysLeft: Math.max(0, maxReplays - original.replays),
    key: encodeBytes(original.key),
    value: encodeBytes(original.value),
    headers: original.headers.map(([name, value]) => ({ name, value: encodeBytes(value) })),
  };
});

export const requestDeadLetterAction = handle(
  routes.requestDeadLetterAction,
  async ({ store, session, input, request }) => {
    const deadLetterIds = [...new Set(input.ids.map((id) => id.toLowerCase()))];
    const visible = await store.deadLetters.filterVisible(visibilityScope(session), deadLetterIds);
    if (visible.ids.length < deadLetterIds.length) throw new HttpError('NOT_FOUND', noDeadLetter);
    const { organizationId, memberId } = session;
    const id = await store.transaction(auditContext(session, request), (transaction) =>
      store.deadLetters.createRequest(transaction, {
        organizationId,
        memberId: memberId,
        action: input.action,
        deadLetterIds,
        cells: visible.cells,
        reason: input.reason ?? null,
      }),
    );
    return { id };
  },
);

export const readDeadLetterRequest = handle(routes.readDeadLetterRequest, async ({ store, session, input }) => {
  const found = await store.deadLetters.readRequest({
    organizationId: session.organizationId,
    memberId: session.hasEveryTenant ? null : session.memberId,
    id: requireGuid(input.id, noRequest),
  });
  if (found === null) throw new HttpError('NOT_FOUND', noRequest);
  return found;
});
