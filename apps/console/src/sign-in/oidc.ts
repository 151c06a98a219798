import { QueryTimedOut, StoreUnavailable } from '@tenantscope/store/connection';
import type { Member } from '@tenantscope/store/console';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Console } from '../console.ts';
import { endAllSessions } from '../handlers/members.ts';
import { HttpError } from '../http/http-error.ts';
import { beginSession, disabledAccount, signInAuditContext } from './begin-session.ts';
import type { Identity, IdentityProvider } from './identity-provider.ts';

const callbackPath = '/console/auth/callback';
const firstPage = '/console/';
/** Where the popup of a sign-in returns to; its opener waits for it. */
const popupPage = '/console/oidc-popup';

/** The two addresses of single sign-on; browsers navigate to them. */
export function serveSingleSignOn(fastify: FastifyInstance, console: Console): void {
  fastify.get('/console/auth/start', (request, reply) => redirectToProvider(console, request, reply));
  fastify.get(callbackPath, (request, reply) => handleCallback(console, request, reply));
}

/** Redirects the browser to the identity provider: to sign in, or to authenticate again. */
function redirectToProvider(console: Console, request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  const { to, reauthenticate } = request.query as Record<string, string | undefined>;
  return orRedirectWithError(console, request, reply, safePage(to), async (provider) => {
    const secret = reauthenticate === undefined ? null : console.cookie.read(request);
    const session = secret === null ? null : await console.store.sessions.find(secret);
    const { url, state } = await provider.begin(console.origin + callbackPath, {
      sessionId: session?.source === 'oidc' ? session.id : null,
      to: safePage(to),
    });
    console.oidcState.authorization.write(reply, state);
    // Why an earlier attempt was refused is not the reason of this one, also where no page has shown it.
    console.oidcState.error.clear(reply);
    return reply.redirect(url);
  });
}

/** Sealed in a cookie with the rest of the state it stays below the 4,096 bytes that browsers store. */
const maxPageLength = 2_000;

/** A page of the console, without its query where that is too long; the first page for anything else. */
function safePage(to: string | undefined): string {
  if (to === undefined || !/^\/console\/(?!(?:api|auth)\b)[\w./?=&%~+,:;!*'()@$-]*$/.test(to)) return firstPage;
  const [path = ''] = to.split('?');
  return [to, path].find(({ length }) => length <= maxPageLength) ?? firstPage;
}

function handleCallback(console: Console, request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  const state = console.oidcState.authorization.read(request);
  return orRedirectWithError(console, request, reply, state?.to ?? firstPage, async (provider) => {
    // Of two sign-ins of a browser the later one has the cookie: the callback of the other leaves it.
    if (state === null || (request.query as { state?: unknown }).state !== state.state) throw unknownState();
    console.oidcState.authorization.clear(reply);
    // The state can be used once, even where the sign-in fails.
    if (!(await console.store.signIns.consumeChallenge(state.state))) throw unknownState();
    const identity = await provider.finish(new URL(request.url, console.origin), state);
    const member = await authorizeMember(console, provider, identity, request);
    if (state.sessionId === null) await beginSession(console, member, request, reply);
    else await renewAuthentication(console, member, state.sessionId, request);
    return reply.redirect(state.to);
  });
}

const unknownState = () =>
  new HttpError(
    'SIGN_IN_FAILED',
    'This sign-in was started in another browser or window, or too long ago. Start again.',
  );

async function authorizeMember(
  console: Console,
  { organizationId, groups }: IdentityProvider,
  { subject, name, email, role, areGroupsMissing }: Identity,
  request: FastifyRequest,
): Promise<Member> {
  const { store } = console;
  const by = signInAuditContext(request, 'sign-in:oidc');
  const before = await store.members.find({ source: 'oidc', subject });
  const reject = async (error: HttpError): Promise<never> => {
    await store.signIns.recordFailure({
      organizationId,
      subject,
      requestId: request.id,
      source: 'oidc',
      address: request.ip,
    });
    // A role that the groups no longer give ends at once, in every session.
    if (before)
      await store.transaction(by, (transaction) =>
        endAllSessions(store, transaction, { ...before, memberId: before.id }),
      );
    throw error;
  };
  if (role === null)
    return reject(
      new HttpError(
        'FORBIDDEN',
        areGroupsMissing
          ? 'Your account is in more groups than the identity provider puts in a token. An administrator can limit the claim to the groups of this application.'
          : `Your account has no role here. Request membership in one of: ${[...new Set(groups)].join(', ')}.`,
      ),
    );
  if (before && before.disabledAt !== null) return reject(disabledAccount());
  if (before && before.organizationId !== organizationId)
    return reject(new HttpError('FORBIDDEN', 'Your account belongs to another organization here.'));
  try {
    return await store.transaction(by, async (transaction) => {
      const member = await store.members.upsert(transaction, {
        organizationId,
        name,
        email,
        source: 'oidc',
        subject,
        role,
        tenantIds: null,
      });
      if (before && before.role !== member.role)
        await endAllSessions(store, transaction, { organizationId, memberId: member.id });
      return member;
    });
  } catch (error) {
    for (let cause: unknown = error; cause instanceof Error; cause = cause.cause)
      if ((cause as { code?: string }).code === '42501') return reject(lastAdministrator());
    throw error;
  }
}

const lastAdministrator = () =>
  new HttpError(
    'FORBIDDEN',
    'Your groups no longer make you an administrator, and you are the last one. Create another first: run "tenantscope console set-up" on the host.',
  );

async function renewAuthentication(
  { store, cookie }: Console,
  member: Member,
  sessionId: string,
  request: FastifyRequest,
) {
  const secret = cookie.read(request);
  const session = secret === null ? null : await store.sessions.find(secret);
  if (session === null) throw new HttpError('SIGN_IN_FAILED', 'Your session has ended. Sign in again.');
  if (session.id !== sessionId || session.memberId !== member.id)
    throw new HttpError(
      'SIGN_IN_FAILED',
      'The identity provider authenticated another account. Sign in with your own.',
    );
  await store.transaction({ ...signInAuditContext(request, `member:${member.id}`), sessionId }, (transaction) =>
    store.sessions.recordAuthentication(transaction, sessionId),
  );
}

/** Errors are shown on the sign-in page, or in the popup: the request is a navigation, not a script. */
async function orRedirectWithError(
  console: Console,
  request: FastifyRequest,
  reply: FastifyReply,
  to: string,
  work: (provider: IdentityProvider) => Promise<unknown>,
): Promise<unknown> {
  if (console.identityProvider === null) throw new HttpError('NOT_FOUND', 'Single sign-on is not configured here.');
  try {
    return await work(console.identityProvider);
  } catch (failure) {
    const isUnavailable = failure instanceof StoreUnavailable || failure instanceof QueryTimedOut;
    const error = isUnavailable ? databaseUnavailable(failure) : failure;
    if (!(error instanceof HttpError)) throw error;
    if (error.cause !== undefined)
      request.log.warn({ err: error.cause }, 'single sign-on failed; redirecting with the error');
    console.oidcState.error.write(reply, { code: error.code, message: error.message });
    return reply.redirect(to === popupPage ? popupPage : signInPage(to));
  }
}

const databaseUnavailable = (cause: Error) =>
  new HttpError('SERVICE_UNAVAILABLE', 'The database does not respond. Try again later.', [], { cause });

const signInPage = (to: string): string =>
  to === firstPage
    ? '/console/sign-in'
    : `/console/sign-in?${new URLSearchParams({ to: to.slice('/console'.length) })}`;
