import { Readable } from 'node:stream';
import { parseTime } from '@tenantscope/contract';
import type { AdminEvent, AuditPeriod, AuditQuery } from '@tenantscope/store';
import { actingIn } from '../acting.ts';
import { Refusal } from '../refusal.ts';
import { everybody, route, type Visit } from '../route.ts';

const pageSize = 100;
const defaultDays = 30;

/** What administrators did, newest first. An officer or viewer sees own acts only, who looks at some tenants what concerns them. */
export const listAudit = route({
  method: 'GET',
  path: '/audit',
  roles: everybody,
  async answer(visit) {
    const { store, session } = visit;
    const [events, head] = await Promise.all([
      store.audit.read({ ...queryOf(visit), limit: pageSize + 1 }),
      session.role === 'admin' ? store.audit.head(session.organizationId) : null,
    ]);
    const page = events.slice(0, pageSize);
    return { events: page, nextCursor: events.length > pageSize ? String(page.at(-1)?.number) : null, head };
  },
});

export const verifyAudit = route({
  method: 'GET',
  path: '/audit/verify',
  roles: ['admin'],
  answer: async ({ store, session }) => ({
    ...(await store.audit.verify(session.organizationId)),
    verifiedAt: new Date().toISOString(),
  }),
});

/**
 * Everything of a period, one event a line, oldest first, with the digests that chain them: whoever has the file can verify it without us. Filters do
 * not narrow it, and nobody takes it away who sees a part only, since a chain with gaps proves nothing.
 */
export const exportAudit = route({
  method: 'GET',
  path: '/audit/export',
  roles: ['admin'],
  async answer(visit) {
    const { store, session, reply, request } = visit;
    if (!session.hasEveryTenant)
      throw new Refusal('FORBIDDEN', 'The audit is exported whole, by those who see the whole organization.');
    const { organizationId, fromMs, toMs } = periodOf(visit);
    await store.change(actingIn(session, request), (transaction) =>
      store.note(transaction, {
        organizationId,
        act: 'exported',
        personId: session.personId,
        details: { from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString() },
      }),
    );
    // Asked again: where the period goes on until now, its last event is that it was taken away.
    const period = periodOf(visit);
    return reply
      .type('application/x-ndjson')
      .header('Content-Disposition', 'attachment; filename="admin-audit.ndjson"')
      .send(Readable.from(linesOf(organizationId, store.audit.follow(period))));
  },
});

async function* linesOf(chain: string, batches: AsyncIterable<readonly AdminEvent[]>): AsyncGenerator<string> {
  for await (const events of batches)
    yield events.map((event) => `${plainly(JSON.stringify({ chain, ...event }))}\n`).join('');
}

/** Characters that break lines or turn them around where they are shown are written by their numbers: the text that is read is the same. */
const plainly = (json: string): string =>
  json.replaceAll(
    /[\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

function queryOf(visit: Visit<undefined>): Omit<AuditQuery, 'limit'> {
  const { parameters, session } = visit;
  const before = parameters.cursor ? Number(parameters.cursor) : null;
  if (before !== null && !Number.isSafeInteger(before))
    throw new Refusal('INVALID_PARAMETER', 'cursor: take it from a page.');
  const actor = session.role === 'admin' ? parameters.actor : selfOf(visit);
  return {
    ...periodOf(visit),
    before,
    ...(actor ? { actor } : {}),
    ...(parameters.act ? { act: parameters.act } : {}),
    ...(parameters.subjectType ? { subjectType: parameters.subjectType } : {}),
    ...(parameters.subjectId ? { subjectId: parameters.subjectId } : {}),
    ...(parameters.tenantId ? { tenantIds: [parameters.tenantId] } : {}),
  };
}

/** A time that is always bounded, and what of it this person may see. */
function periodOf(visit: Visit<undefined>): AuditPeriod {
  const { parameters, session } = visit;
  const toMs = timeOf(parameters, 'to') ?? Date.now();
  const fromMs = timeOf(parameters, 'from') ?? toMs - defaultDays * 86_400_000;
  const seenBy = { actor: selfOf(visit), tenantIds: session.tenants.map(({ id }) => id) };
  return { organizationId: session.organizationId, fromMs, toMs, ...(session.hasEveryTenant ? {} : { seenBy }) };
}

const selfOf = ({ session }: Visit<undefined>): string => `person:${session.personId}`;

function timeOf(parameters: Readonly<Record<string, string>>, name: string): number | null {
  const text = parameters[name];
  if (!text) return null;
  const ms = parseTime(text);
  if (ms === null)
    throw new Refusal('INVALID_PARAMETER', `${name}: is not a time.`, [{ parameter: name, reason: 'is not a time' }]);
  return ms;
}
