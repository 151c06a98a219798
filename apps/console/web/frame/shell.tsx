import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, Outlet, useNavigate, useRouter, useSearch } from '@tanstack/react-router';
import { Suspense, useEffect, useRef } from 'react';
import { readCurrentSession } from '../../api/current-session.ts';
import { ApiError, call } from '../client/api-client.ts';
import { useLabels } from '../labels/language.tsx';
import { SessionExpiredDialog } from '../parts/auth/lazy-auth-dialogs.ts';
import { PendingQuery } from '../parts/query/pending-query.tsx';
import { useCurrentScreen } from './current-screen.ts';
import { CurrentUser, escapeNames, useCurrentUser, useTenant } from './current-user.ts';
import { Forbidden } from './forbidden.tsx';
import { useAction } from './keyboard/actions.ts';
import { Keyboard } from './keyboard/keyboard.tsx';
import { Rail } from './rail.tsx';
import { ReauthenticationPrompt } from './reauthentication-prompt.tsx';
import { ConnectionMonitor } from './status/connection-monitor.tsx';
import { SignOutError } from './status/sign-out-error.tsx';
import { StaleNotice } from './status/stale-notice.tsx';
import { selectTenant } from './tenant-search.ts';

export { useCurrentUser, useTenant } from './current-user.ts';
export { useAction } from './keyboard/actions.ts';
export { ScreenHeader } from './screen-header.tsx';
export { useSettled } from './status/settled-status.tsx';

/** The frame of every screen: navigation, and how far the shown data is settled. */
export function Shell() {
  const { frame, product } = useLabels();
  const router = useRouter();
  const client = useQueryClient();
  const navigate = useNavigate();
  const me = useQuery({
    queryKey: ['me'],
    queryFn: ({ signal }) => call(readCurrentSession, {}, { signal }),
    staleTime: 60_000,
    select: escapeNames,
  });
  const isSignedOut = me.error instanceof ApiError && me.error.status === 401;
  const wasSignedIn = me.data !== undefined;
  useEffect(() => {
    if (!isSignedOut || wasSignedIn) return;
    const { href } = router.history.location;
    void navigate({ to: '/sign-in', search: { to: href.replace(/^\/console/, '') || '/' }, replace: true });
  }, [isSignedOut, wasSignedIn, navigate, router]);
  if (!me.data)
    return (
      <main className="alone">
        {!isSignedOut && (
          <>
            <h1 className="late">{product}</h1>
            <PendingQuery query={me} />
          </>
        )}
      </main>
    );
  return (
    <CurrentUser value={me.data}>
      <ConnectionMonitor isOver={isSignedOut}>
        <a className="skip" href="#content">
          {frame.skip}
        </a>
        <div className="frame">
          <Rail />
          <main id="content" tabIndex={-1}>
            <SignOutError />
            <CurrentScreen />
            <StaleNotice />
          </main>
        </div>
        <Keyboard />
      </ConnectionMonitor>
      <ReauthenticationPrompt />
      <Suspense>{isSignedOut && <SessionExpiredDialog done={() => void client.invalidateQueries()} />}</Suspense>
    </CurrentUser>
  );
}

/** The screen, where the member's role may open it. */
function CurrentScreen() {
  const { frame } = useLabels();
  const { member } = useCurrentUser();
  const screen = useCurrentScreen();
  const requestedTenant = useSearch({ from: '/frame' }).tenant;
  const tenant = useTenant();
  // The focused element may have been removed with the previous screen. A page that was just opened starts at its top.
  const before = useRef(screen);
  useEffect(() => {
    if (before.current === screen) return;
    before.current = screen;
    if (document.activeElement === document.body) document.getElementById('content')?.focus({ preventScroll: true });
  }, [screen]);
  if (screen && !screen.roles.includes(member.role)) return <Forbidden screen={screen} />;
  return (
    <>
      {requestedTenant !== undefined && tenant === null && (
        <p className="note note-warn row apart" role="status">
          <span>▲ {frame.noSuchTenant}</span>
          <Link className="button" to="." search={selectTenant(undefined)} activeProps={{}} replace>
            {frame.allTenants}
          </Link>
        </p>
      )}
      <Outlet />
    </>
  );
}

/** Binds the shortcut that focuses the filter of a screen. */
export function useFindShortcut(find: () => HTMLElement | null): void {
  useAction('find', () => find()?.focus());
}
