import { parseTime } from '@tenantscope/contract';
import type { AuditQuery } from '@tenantscope/store';
import { Refusal } from '../refusal.ts';
import { everybody, route, type Visit } from '../route.ts';

const pageSize = 100;
const exportMax = 100_000;
const defaultDays = 30;

/** What administrators did, newest first. An officer or viewer sees own acts only, who looks at some tenants what concerns them. */
export const listAudit = route({
  method: 'GET',
  path: '/audit',
  roles: everybody,
  async answer(visit) {
    const events = await visit.store.audit.read({ ...queryOf(visit), limit: pageSize + 1 });
    const page = events.slice(0, pageSize);
    return { events: page, nextCursor: events.length > pageSize ? String(page.at(-1)?.number) : null };
  },
});

export const verifyAudit = route({
  method: 'GET',
  path: '/audit/verify',
  roles: ['admin'],
  answer: ({ store, session }) => store.audit.verify(session.organizationId),
});

/** One event a line, oldest last, with the digests that chain them: whoever has all of an organization can verify it without us. */
export const exportAudit = route({
  method: 'GET',
  path: '/audit/export',
  roles: ['admin'],
  async answer(visit) {
    const events = await visit.store.audit.read({ ...queryOf(visit), before: null, limit: exportMax });
    const by = { actor: `person:${visit.session.personId}`, sessionId: visit.session.id, requestId: visit.request.id };
    await visit.store.change(by, (transaction) =>
      visit.store.note(transaction, {
        organizationId: visit.session.organizationId,
        act: 'exported',
        personId: visit.session.personId,
      }),
    );
    return visit.reply
      .type('application/x-ndjson')
      .header('Content-Disposition', 'attachment; filename="admin-audit.ndjson"')
      .send(events.map((event) => `${JSON.stringify({ chain: visit.session.organizationId, ...event })}\n`).join(''));
  },
});

function queryOf({ parameters, session }: Visit<undefined>): Omit<AuditQuery, 'limit'> {
  const toMs = timeOf(parameters, 'to') ?? Date.now();
  const fromMs = timeOf(parameters, 'from') ?? toMs - defaultDays * 86_400_000;
  const before = parameters.cursor ? Number(parameters.cursor) : null;
  if (before !== null && !Number.isSafeInteger(before))
    throw new Refusal('INVALID_PARAMETER', 'cursor: take it from a page.');
  const self = `person:${session.personId}`;
  const actor = session.role === 'admin' ? parameters.actor : self;
  return {
    organizationId: session.organizationId,
    fromMs,
    toMs,
    before,
    ...(actor ? { actor } : {}),
    ...(session.hasEveryTenant ? {} : { seenBy: { actor: self, tenantIds: session.tenants.map(({ id }) => id) } }),
    ...(parameters.act ? { act: parameters.act } : {}),
    ...(parameters.tenantId ? { tenantIds: [parameters.tenantId] } : {}),
    ...(parameters.subjectType ? { subjectType: parameters.subjectType } : {}),
    ...(parameters.subjectId ? { subjectId: parameters.subjectId } : {}),
  };
}

function timeOf(parameters: Readonly<Record<string, string>>, name: string): number | null {
  const text = parameters[name];
  if (!text) return null;
  const ms = parseTime(text);
  if (ms === null)
    throw new Refusal('INVALID_PARAMETER', `${name}: is not a time.`, [{ parameter: name, reason: 'is not a time' }]);
  return ms;
}
