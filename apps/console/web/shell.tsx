import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, Outlet, useNavigate, useRouter, useSearch } from '@tanstack/react-router';
import { Suspense, useEffect, useRef } from 'react';
import { ask, Refused } from './ask.ts';
import type { Me } from './asked.ts';
import { useAct } from './frame/acts.ts';
import { AsOf } from './frame/as-of.tsx';
import { Forbidden } from './frame/forbidden.tsx';
import { Keyboard } from './frame/keyboard.tsx';
import { NotOut } from './frame/not-out.tsx';
import { Pulse } from './frame/pulse.tsx';
import { Rail } from './frame/rail.tsx';
import { Signed, useMe, useTenant } from './frame/signed.ts';
import { narrowedTo } from './frame/tenant-search.ts';
import { useScreen } from './frame/use-screen.ts';
import { SignInAgain } from './parts/asking-who.ts';
import { Unanswered } from './parts/unanswered.tsx';
import { useWords } from './words/words.tsx';

export { useAct } from './frame/acts.ts';
export { Head } from './frame/head.tsx';
export { useSettled } from './frame/settled-line.tsx';
export { useMe, useTenant } from './frame/signed.ts';

/** The frame of every screen: where one is, and how far all that is shown is settled. */
export function Shell() {
  const { frame, product } = useWords();
  const router = useRouter();
  const client = useQueryClient();
  const navigate = useNavigate();
  const me = useQuery({ queryKey: ['me'], queryFn: ({ signal }) => ask<Me>('/me', signal), staleTime: 60_000 });
  const isSignedOut = me.error instanceof Refused && me.error.status === 401;
  const hasBeenIn = me.data !== undefined;
  useEffect(() => {
    if (!isSignedOut || hasBeenIn) return;
    const { href } = router.history.location;
    void navigate({ to: '/sign-in', search: { to: href.replace(/^\/console/, '') || '/' }, replace: true });
  }, [isSignedOut, hasBeenIn, navigate, router]);
  if (!me.data)
    return (
      <main className="alone">
        {!isSignedOut && (
          <>
            <h1 className="late">{product}</h1>
            <Unanswered query={me} />
          </>
        )}
      </main>
    );
  return (
    <Signed value={me.data}>
      <Pulse isOver={isSignedOut}>
        <a className="skip" href="#content">
          {frame.skip}
        </a>
        <div className="frame">
          <Rail />
          <main id="content" tabIndex={-1}>
            <NotOut />
            <InSight />
            <AsOf />
          </main>
        </div>
        <Keyboard />
      </Pulse>
      <Suspense>{isSignedOut && <SignInAgain done={() => void client.invalidateQueries()} />}</Suspense>
    </Signed>
  );
}

/** The screen, where it is one of this person's. */
function InSight() {
  const { frame } = useWords();
  const { person } = useMe();
  const screen = useScreen();
  const narrowedBy = useSearch({ from: '/frame' }).tenant;
  const tenant = useTenant();
  // What had the focus may have gone with the screen it stood on; a page just opened begins at its beginning.
  const before = useRef(screen);
  useEffect(() => {
    if (before.current === screen) return;
    before.current = screen;
    if (document.activeElement === document.body) document.getElementById('content')?.focus({ preventScroll: true });
  }, [screen]);
  if (screen && !screen.roles.includes(person.role)) return <Forbidden screen={screen} />;
  return (
    <>
      {narrowedBy !== undefined && tenant === null && (
        <p className="note note-warn row apart" role="status">
          <span>▲ {frame.noSuchTenant}</span>
          <Link className="button" to="." search={narrowedTo(undefined)} activeProps={{}} replace>
            {frame.allTenants}
          </Link>
        </p>
      )}
      <Outlet />
    </>
  );
}

/** Every screen waits for the same key to go to its filter. */
export function useSlash(find: () => HTMLElement | null): void {
  useAct('find', () => find()?.focus());
}
