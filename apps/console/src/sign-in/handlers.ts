import type { PublicRoute } from '../../api/route.ts';
import * as routes from '../../api/sign-in.ts';
import { handlePublic, type PublicHandler } from '../http/handler.ts';
import { signOutSession } from './begin-session.ts';
import { signInToDemo } from './demo.ts';
import { signInLocally } from './local-account.ts';
import { offerPasskey, signInByPasskey } from './passkey.ts';
import { offerFirstPasskey, readSetUpToken, setUp } from './set-up.ts';

const listSignInMethods = handlePublic(routes.listSignInMethods, async ({ console, request, reply }) => {
  const error = console.oidcState.error.read(request);
  if (error !== null) console.oidcState.error.clear(reply);
  return {
    oidc: console.identityProvider === null ? null : { name: console.identityProvider.name },
    local: console.hasLocalSignIn,
    passkey: console.webAuthn.isAvailable,
    demo: console.demoOrganizationId !== null,
    ...(error === null ? {} : { error }),
  };
});

const signOut = handlePublic(routes.signOut, async ({ console, request, reply }) => {
  const { store, cookie, identityProvider, origin } = console;
  const secret = cookie.read(request);
  const session = secret === null ? null : await store.sessions.find(secret);
  cookie.clear(reply);
  if (session === null) return {};
  await signOutSession(console, session, request);
  if (session.source !== 'oidc' || identityProvider === null) return {};
  const signOutUrl = await identityProvider.signOutUrl(`${origin}/console/sign-in`).catch(() => null);
  return signOutUrl === null ? {} : { signOutUrl };
});

/** The handler of every route without a session. */
export const publicHandlers: readonly PublicHandler[] = [
  listSignInMethods,
  offerPasskey,
  signInByPasskey,
  offerFirstPasskey,
  readSetUpToken,
  signInToDemo,
  signInLocally,
  setUp,
  signOut,
];

/** Every declared endpoint without a session. */
export const publicRoutes: readonly PublicRoute[] = publicHandlers.map(({ route }) => route);
