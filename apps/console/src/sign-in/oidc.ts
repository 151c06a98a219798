import type { Person } from '@tenantscope/store';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Console } from '../console.ts';
import { Refusal } from '../refusal.ts';
import { arriving, begin } from './enter.ts';
import type { Identity, IdentityProvider } from './identity-provider.ts';

const callbackPath = '/console/auth/callback';
const firstPage = '/console/';
/** Where a window comes back to that was opened for the round alone, beside the screen that waits for it. */
const besidePage = '/console/came-back';

/** Sends the browser to the identity provider: to arrive, or to prove a session anew. */
export function departToProvider(console: Console, request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  const { to, reauthenticate } = request.query as Record<string, string | undefined>;
  return orSaidAtTheDoor(console, request, reply, pageOf(to), async (provider) => {
    const secret = reauthenticate === undefined ? null : console.cookie.read(request);
    const session = secret === null ? null : await console.store.sessions.find(secret);
    const { url, round } = await provider.begin(console.origin + callbackPath, {
      sessionId: session?.source === 'oidc' ? session.id : null,
      to: pageOf(to),
    });
    console.rounds.under.write(reply, round);
    return reply.redirect(url);
  });
}

/** A page of ours; whatever else is asked for, the first one. */
function pageOf(to: string | undefined): string {
  const isPage = to !== undefined && /^\/console\/[\w./?=&%~+,:-]{0,500}$/.test(to);
  return isPage && !/^\/console\/(api|auth)\b/.test(to) ? to : firstPage;
}

export function returnFromProvider(console: Console, request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  const round = console.rounds.under.read(request);
  return orSaidAtTheDoor(console, request, reply, round?.to ?? firstPage, async (provider) => {
    console.rounds.under.clear(reply);
    // One round is good once, also when it fails.
    if (round === null || !(await console.store.signIns.spendChallenge(round.state)))
      throw new Refusal('SIGN_IN_FAILED', 'This sign-in was begun elsewhere, or too long ago. Begin again.');
    const identity = await provider.finish(new URL(request.url, console.origin), round);
    const person = await enterBy(console, provider, identity, request);
    if (round.sessionId === null) await begin(console, person, request, reply);
    else await proveAnew(console, person, round.sessionId, request);
    return reply.redirect(round.to);
  });
}

async function enterBy(
  console: Console,
  { organizationId, groups }: IdentityProvider,
  { subject, name, email, role }: Identity,
  request: FastifyRequest,
): Promise<Person> {
  const { store } = console;
  const by = arriving(request, 'sign-in:oidc');
  const before = await store.people.find({ source: 'oidc', subject });
  const leave = async (refusal: Refusal): Promise<never> => {
    await store.signIns.fail({ organizationId, subject, requestId: request.id, source: 'oidc', address: request.ip });
    // What the groups do not give any more is over at once, wherever it is signed in.
    if (before) await store.change(by, (transaction) => store.sessions.endAll(transaction, before.id));
    throw refusal;
  };
  if (role === null)
    return leave(
      new Refusal('FORBIDDEN', `Your account has no role here. Ask for one of: ${[...new Set(groups)].join(', ')}.`),
    );
  if (before && before.organizationId !== organizationId)
    return leave(new Refusal('FORBIDDEN', 'Your account belongs to another organization here.'));
  try {
    return await store.change(by, async (transaction) => {
      const person = await store.people.enter(transaction, {
        organizationId,
        name,
        email,
        source: 'oidc',
        subject,
        role,
        tenantIds: null,
      });
      if (before && before.role !== person.role) await store.sessions.endAll(transaction, person.id);
      return person;
    });
  } catch (error) {
    for (let cause: unknown = error; cause instanceof Error; cause = cause.cause)
      if ((cause as { code?: string }).code === '42501') return leave(lastAdmin());
    throw error;
  }
}

const lastAdmin = () =>
  new Refusal(
    'FORBIDDEN',
    'Your groups no longer make you an administrator, and you are the last one. Another has to be made first: «tenantscope console set-up» does it on the host.',
  );

async function proveAnew({ store, cookie }: Console, person: Person, sessionId: string, request: FastifyRequest) {
  const secret = cookie.read(request);
  const session = secret === null ? null : await store.sessions.find(secret);
  if (session === null || session.id !== sessionId || session.personId !== person.id)
    throw new Refusal('SIGN_IN_FAILED', 'Somebody else came back from the identity provider. Sign in as yourself.');
  await store.change({ ...arriving(request, `person:${person.id}`), sessionId }, async (transaction) => {
    await store.sessions.noteAuthentication(transaction, sessionId);
    await store.note(transaction, { organizationId: person.organizationId, act: 'signed in', personId: person.id });
  });
}

/** What is refused is said on the page of sign-in, or in the window of the round: a browser is on its way here, not a script. */
async function orSaidAtTheDoor(
  console: Console,
  request: FastifyRequest,
  reply: FastifyReply,
  to: string,
  work: (provider: IdentityProvider) => Promise<unknown>,
): Promise<unknown> {
  if (console.identityProvider === null) throw new Refusal('NOT_FOUND', 'There is no single sign-on here.');
  try {
    return await work(console.identityProvider);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (error.cause !== undefined) request.log.warn({ err: error.cause }, 'single sign-on did not come to its end');
    console.rounds.refused.write(reply, { code: error.code, message: error.message });
    return reply.redirect(to === besidePage ? besidePage : signInPage(to));
  }
}

const signInPage = (to: string): string =>
  to === firstPage
    ? '/console/sign-in'
    : `/console/sign-in?${new URLSearchParams({ to: to.slice('/console'.length) })}`;
