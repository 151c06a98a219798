import {
  createRootRoute,
  createRoute,
  createRouter,
  Outlet,
  redirect,
  retainSearchParams,
} from '@tanstack/react-router';
import { Broken, Missing } from './parts/dead-end.tsx';
import { screenOf } from './screen-of.tsx';
import { Shell } from './shell.tsx';

const root = createRootRoute({ component: Outlet });
const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  // Where to go on afterwards: a place of this console, never an address.
  validateSearch: (search): { to?: string; ended?: boolean } => ({
    ...(typeof search.to === 'string' && /^\/(?![/\\])/.test(search.to) ? { to: search.to } : {}),
    ...(search.ended === true ? { ended: true } : {}),
  }),
  component: screenOf('SignIn', async () => (await import('./screens/sign-in.tsx')).SignIn),
});
const cameBack = createRoute({
  getParentRoute: () => root,
  path: '/came-back',
  component: screenOf('CameBack', async () => (await import('./screens/came-back.tsx')).CameBack),
});
const setUp = createRoute({
  getParentRoute: () => root,
  path: '/set-up',
  component: screenOf('SetUp', async () => (await import('./screens/set-up.tsx')).SetUp),
});
export interface FrameSearch {
  /** Whose data is shown; links between screens keep it. */
  readonly tenant?: string;
}
const frame = createRoute({
  getParentRoute: () => root,
  id: 'frame',
  validateSearch: (search): FrameSearch => ({ tenant: text(search.tenant) }) as FrameSearch,
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

export interface KeysSearch {
  readonly view?: string;
  readonly filter?: string;
  readonly key?: string;
}
const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);
const keys = createRoute({
  getParentRoute: () => frame,
  path: '/keys',
  validateSearch: (search): KeysSearch =>
    ({ view: text(search.view), filter: text(search.filter), key: text(search.key) }) as KeysSearch,
  component: screenOf('Keys', async () => (await import('./screens/keys.tsx')).Keys),
});

export interface PlaygroundSearch {
  readonly operation?: string;
  readonly tenant?: string;
  readonly mode?: 'rest' | 'mcp';
  readonly as?: string;
  /** The parameters as JSON: a link shares what was asked, never what was answered. */
  readonly with?: string;
}
const playground = createRoute({
  getParentRoute: () => frame,
  path: '/playground',
  validateSearch: (search): PlaygroundSearch =>
    ({
      operation: text(search.operation),
      tenant: text(search.tenant),
      mode: search.mode === 'mcp' ? 'mcp' : undefined,
      as: text(search.as),
      with: text(search.with),
    }) as PlaygroundSearch,
  component: screenOf('Playground', async () => (await import('./screens/playground.tsx')).Playground),
});
export interface FeedsSearch {
  readonly feed?: string;
}
const feeds = createRoute({
  getParentRoute: () => frame,
  path: '/feeds',
  validateSearch: (search): FeedsSearch => ({ feed: text(search.feed) }) as FeedsSearch,
  component: screenOf('Feeds', async () => (await import('./screens/feeds.tsx')).Feeds),
});
export interface AuditSearch {
  /** Days, both included. */
  readonly from?: string;
  readonly to?: string;
  /** As events name who did it, or a kind: `cli`. */
  readonly actor?: string;
  readonly act?: string;
  /** Kind of the thing concerned, and which. */
  readonly subject?: string;
  readonly id?: string;
  readonly cursor?: string;
  readonly event?: number;
}
export interface LettersSearch {
  readonly reason?: string;
  readonly state?: string;
  readonly topic?: string;
  /** Minutes of UTC, both included. */
  readonly from?: string;
  readonly to?: string;
  readonly tenant?: string;
  readonly cursor?: string;
  readonly letter?: string;
}
const deadLetters = createRoute({
  getParentRoute: () => frame,
  path: '/feeds/dead-letters',
  validateSearch: (search): LettersSearch =>
    ({
      reason: text(search.reason),
      state: text(search.state),
      topic: text(search.topic),
      from: text(search.from),
      to: text(search.to),
      tenant: text(search.tenant),
      cursor: text(search.cursor),
      letter: text(search.letter),
    }) as LettersSearch,
  component: screenOf('DeadLetters', async () => (await import('./screens/dead-letters.tsx')).DeadLetters),
});
const audit = createRoute({
  getParentRoute: () => frame,
  path: '/audit',
  validateSearch: (search): AuditSearch =>
    ({
      from: text(search.from),
      to: text(search.to),
      actor: text(search.actor),
      act: text(search.act),
      subject: text(search.subject),
      id: text(search.id),
      cursor: typeof search.cursor === 'number' ? String(search.cursor) : text(search.cursor),
      event: typeof search.event === 'number' ? search.event : undefined,
    }) as AuditSearch,
  component: screenOf('Audit', async () => (await import('./screens/audit.tsx')).Audit),
});
const people = createRoute({
  getParentRoute: () => frame,
  path: '/people',
  component: screenOf('People', async () => (await import('./screens/people.tsx')).People),
});

export const router = createRouter({
  routeTree: root.addChildren([
    signIn,
    setUp,
    cameBack,
    frame.addChildren([home, keys, playground, feeds, deadLetters, audit, people]),
  ]),
  basepath: '/console',
  defaultPreload: 'intent',
  defaultErrorComponent: Broken,
  defaultNotFoundComponent: Missing,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
