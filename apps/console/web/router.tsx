import {
  createRootRoute,
  createRoute,
  createRouter,
  Outlet,
  redirect,
  retainSearchParams,
} from '@tanstack/react-router';
import { NotFound, ScreenError } from './frame/route-errors.tsx';
import { Shell } from './frame/shell.tsx';
import { lazyScreen } from './lazy-screen.tsx';
import { parseAuditSearch } from './screens/audit/audit-search.ts';
import { parseDeadLettersSearch } from './screens/dead-letters/dead-letters-search.ts';
import { parseFeedsSearch } from './screens/feeds/feeds-search.ts';
import { parseKeysSearch } from './screens/keys/keys-search.ts';
import { parsePlaygroundSearch } from './screens/playground/playground-search.ts';
import { parseText } from './screens/search-params.ts';

const root = createRootRoute({ component: Outlet });
const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  // Where to go on afterwards: a path of this console, never a URL.
  validateSearch: (search): { to?: string; ended?: boolean } => ({
    ...(typeof search.to === 'string' && /^\/(?![/\\])/.test(search.to) ? { to: search.to } : {}),
    ...(search.ended === true ? { ended: true } : {}),
  }),
  component: lazyScreen('SignIn', async () => (await import('./screens/sign-in.tsx')).SignIn),
});
const oidcPopupCallback = createRoute({
  getParentRoute: () => root,
  path: '/oidc-popup',
  component: lazyScreen(
    'OidcPopupCallback',
    async () => (await import('./screens/oidc-popup-callback.tsx')).OidcPopupCallback,
  ),
});
const setUp = createRoute({
  getParentRoute: () => root,
  path: '/set-up',
  component: lazyScreen('SetUp', async () => (await import('./screens/set-up.tsx')).SetUp),
});
export interface FrameSearch {
  /** Whose data is shown; links between screens keep it. */
  readonly tenant?: string;
}
const frame = createRoute({
  getParentRoute: () => root,
  id: 'frame',
  validateSearch: (search): FrameSearch => ({ tenant: parseText(search.tenant) }) as FrameSearch,
  search: { middlewares: [retainSearchParams<FrameSearch>(['tenant'])] },
  component: Shell,
});
const home = createRoute({
  getParentRoute: () => frame,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/feeds' });
  },
});

const keys = createRoute({
  getParentRoute: () => frame,
  path: '/keys',
  validateSearch: parseKeysSearch,
  component: lazyScreen('Keys', async () => (await import('./screens/keys.tsx')).Keys),
});

const playground = createRoute({
  getParentRoute: () => frame,
  path: '/playground',
  validateSearch: parsePlaygroundSearch,
  component: lazyScreen('Playground', async () => (await import('./screens/playground.tsx')).Playground),
});
const feeds = createRoute({
  getParentRoute: () => frame,
  path: '/feeds',
  validateSearch: parseFeedsSearch,
  component: lazyScreen('Feeds', async () => (await import('./screens/feeds.tsx')).Feeds),
});
const deadLetters = createRoute({
  getParentRoute: () => frame,
  path: '/feeds/dead-letters',
  validateSearch: parseDeadLettersSearch,
  component: lazyScreen('DeadLetters', async () => (await import('./screens/dead-letters.tsx')).DeadLetters),
});
const audit = createRoute({
  getParentRoute: () => frame,
  path: '/audit',
  validateSearch: parseAuditSearch,
  component: lazyScreen('Audit', async () => (await import('./screens/audit.tsx')).Audit),
});
const members = createRoute({
  getParentRoute: () => frame,
  path: '/members',
  component: lazyScreen('Members', async () => (await import('./screens/members.tsx')).Members),
});

export const router = createRouter({
  routeTree: root.addChildren([
    signIn,
    setUp,
    oidcPopupCallback,
    frame.addChildren([home, keys, playground, feeds, deadLetters, audit, members]),
  ]),
  basepath: '/console',
  defaultPreload: 'intent',
  defaultErrorComponent: ScreenError,
  defaultNotFoundComponent: NotFound,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
