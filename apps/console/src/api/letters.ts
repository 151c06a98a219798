import { isUtf8 } from 'node:buffer';
import { parseTime } from '@tenantscope/contract';
import {
  type LetterPlace,
  type LetterQuery,
  type LetterSight,
  type LetterState,
  letterActs,
  letterStates,
  mostReplays,
  type Session,
} from '@tenantscope/store';
import { z } from 'zod';
import { actingIn } from '../acting.ts';
import { Refusal } from '../refusal.ts';
import { everybody, guidOf, route } from '../route.ts';

const pageSize = 100;
const lettersMax = 1_000;

/** Whose dead letters somebody may look at. */
export const sightOf = ({ tenants, hasEveryTenant }: Session): LetterSight => ({
  tenantIds: tenants.map(({ id }) => id),
  hasEveryTenant,
});

/** What could not be written down, by reason. Only an administrator sees the single letters. */
export const listDeadLetters = route({
  method: 'GET',
  path: '/dead-letters',
  roles: everybody,
  async answer({ store, session, parameters }) {
    const query = queryOf(session, parameters);
    const { reason: _, ...ofEveryReason } = query;
    const { topic: __, ...ofEveryTopic } = query;
    // What may be chosen instead is counted too.
    const [reasons, topics] = await Promise.all([
      store.letters.reasons(ofEveryReason),
      store.letters.topics(ofEveryTopic),
    ]);
    if (session.role !== 'admin') return { reasons, topics, letters: [], nextCursor: null };
    const letters = await store.letters.list(query, placeOf(parameters.cursor), pageSize + 1);
    const page = letters.slice(0, pageSize);
    return { reasons, topics, letters: page, nextCursor: letters.length > pageSize ? cursorOf(page.at(-1)) : null };
  },
});

function queryOf(session: Session, parameters: Readonly<Record<string, string>>): LetterQuery {
  const { reason, topic, tenantId } = parameters;
  const fromMs = timeOf(parameters, 'from');
  const toMs = timeOf(parameters, 'to');
  if (tenantId && !z.guid().safeParse(tenantId).success) throw invalid('tenantId', 'is not a tenant’s id');
  return {
    ...sightOf(session),
    state: stateOf(parameters.state),
    ...(reason ? { reason } : {}),
    ...(topic ? { topic } : {}),
    ...(tenantId ? { tenantId } : {}),
    ...(fromMs === null ? {} : { fromMs }),
    ...(toMs === null ? {} : { toMs }),
  };
}

function stateOf(text = 'parked'): LetterState | null {
  if (text === 'all') return null;
  const state = letterStates.find((one) => one === text);
  if (state === undefined) throw invalid('state', `is none of ${letterStates.join(', ')} and all`);
  return state;
}

function timeOf(parameters: Readonly<Record<string, string>>, name: string): number | null {
  const text = parameters[name];
  const ms = text ? parseTime(text) : null;
  if (text && ms === null) throw invalid(name, 'is not a time');
  return ms;
}

const invalid = (parameter: string, reason: string) =>
  new Refusal('INVALID_PARAMETER', `${parameter}: ${reason}.`, [{ parameter, reason }]);

const place = z.tuple([z.iso.datetime(), z.guid()]);

const cursorOf = (last: LetterPlace | undefined): string =>
  Buffer.from(JSON.stringify([last?.setAsideAt, last?.id])).toString('base64url');

function placeOf(cursor: string | undefined): LetterPlace | null {
  if (!cursor) return null;
  try {
    const [setAsideAt, id] = place.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()));
    return { setAsideAt, id };
  } catch {
    throw invalid('cursor', 'take it from a page');
  }
}

/** One letter with what arrived, byte for byte. That somebody looked stands in the audit before it is shown. */
export const showDeadLetter = route({
  method: 'GET',
  path: '/dead-letters/:id',
  roles: ['admin'],
  async answer({ store, session, parameters, request }) {
    const id = guidOf(parameters, noLetter);
    const letter = await store.letters.open(sightOf(session), id);
    if (letter === null) throw new Refusal('NOT_FOUND', noLetter);
    const { organizationId, personId } = session;
    await store.change(actingIn(session, request), (transaction) =>
      store.note(transaction, { organizationId, act: 'opened', personId, subjectType: 'dead_letter', subjectId: id }),
    );
    return {
      ...letter,
      replaysLeft: Math.max(0, mostReplays - letter.replays),
      key: shown(letter.key),
      value: shown(letter.value),
      headers: letter.headers.map(([name, value]) => ({ name, value: shown(value) })),
    };
  },
});

const noLetter = 'There is no such dead letter.';

/** None of the bytes is lost; whoever shows the text makes its control characters visible. */
function shown(bytes: Buffer | null): { encoding: 'utf8' | 'base64'; text: string; bytes: number } | null {
  if (bytes === null) return null;
  const encoding = isUtf8(bytes) ? 'utf8' : 'base64';
  return { encoding, text: bytes.toString(encoding), bytes: bytes.length };
}

const wanted = z
  .strictObject({
    act: z.enum(letterActs),
    ids: z.array(z.guid()).min(1).max(lettersMax),
    reason: z.string().trim().min(1).max(1_000).optional(),
  })
  .refine(({ act, reason }) => act !== 'discard' || reason !== undefined, {
    path: ['reason'],
    message: 'say why they are given up',
  });

/** Ingestion, which has Kafka and today's readers, does it; the answer names the request to be looked at. */
export const requestLetters = route({
  method: 'POST',
  path: '/dead-letters/requests',
  roles: ['admin'],
  body: wanted,
  isDangerous: ({ act }) => act === 'replay',
  async answer({ store, session, body, request }) {
    const letterIds = [...new Set(body.ids.map((id) => id.toLowerCase()))];
    const seen = await store.letters.seen(sightOf(session), letterIds);
    if (seen.length < letterIds.length) throw new Refusal('NOT_FOUND', noLetter);
    const { organizationId, personId } = session;
    const id = await store.change(actingIn(session, request), (transaction) =>
      store.letters.request(transaction, {
        organizationId,
        personId,
        act: body.act,
        letterIds,
        reason: body.reason ?? null,
      }),
    );
    return { id };
  },
});

/** How far it has come. Somebody of some tenants sees own requests only. */
export const showLetterRequest = route({
  method: 'GET',
  path: '/dead-letters/requests/:id',
  roles: ['admin'],
  async answer({ store, session, parameters }) {
    const { organizationId } = session;
    const found = await store.letters.showRequest({
      organizationId,
      personId: session.hasEveryTenant ? null : session.personId,
      id: guidOf(parameters, noRequest),
    });
    if (found === null) throw new Refusal('NOT_FOUND', noRequest);
    return found;
  },
});

const noRequest = 'There is no such request.';
