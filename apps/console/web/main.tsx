import './client/configure-zod.ts';
import './style.css';
import { QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { type CurrentSession, readCurrentSession } from '../api/current-session.ts';
import { ApiError } from './client/api-client.ts';
import {
  clearOnPageHide,
  endSession,
  followOtherWindows,
  onSessionEnd,
  onSignedOut,
  setCurrentMember,
} from './client/session.ts';
import { unreachableComponent } from './client/unreachable-component.ts';
import { Language } from './labels/language.tsx';
import { preloadAuthDialogs } from './parts/auth/lazy-auth-dialogs.ts';
import { router } from './router.tsx';
import { recallTheme } from './theme.ts';

// On an expired session the frame shows the sign-in dialog over the screen. A session that was ended elsewhere clears the page.
onSignedOut((error, path) => {
  if (error instanceof ApiError && error.code === 'SESSION_ENDED') return endSession(signInUrl(location));
  if (path !== readCurrentSession.path) void client.invalidateQueries({ queryKey: ['me'] });
});
const signInUrl = ({ pathname, search }: Location): string =>
  `/console/sign-in?${new URLSearchParams({ to: pathname.replace(/^\/console/, '') + search, ended: 'true' })}`;
const retryIntervalMs = 3_000;
const client: QueryClient = new QueryClient({
  queryCache: new QueryCache({
    onSuccess: (data, { queryKey }) => queryKey[0] === 'me' && setCurrentMember((data as CurrentSession).member.id),
  }),
  defaultOptions: {
    queries: {
      // Error responses are not retried; unreachable components are, once after 500 ms and then every 3 s.
      retry: (failures, error) => unreachableComponent(error) !== null && failures < 1,
      retryDelay: 500,
      refetchInterval: ({ state }) => unreachableComponent(state.error) !== null && retryIntervalMs,
      staleTime: 5_000,
      // Reachability is determined by requests, not by the browser's network state.
      networkMode: 'always',
    },
    mutations: { networkMode: 'always' },
  },
});

recallTheme();
const container = document.getElementById('root');
if (container) {
  const root = createRoot(container);
  onSessionEnd((to) => {
    root.unmount();
    location.replace(to);
  });
  clearOnPageHide();
  preloadAuthDialogs();
  followOtherWindows(() => void client.invalidateQueries({ queryKey: ['me'] }));
  root.render(
    <StrictMode>
      <Language>
        <QueryClientProvider client={client}>
          <RouterProvider router={router} />
        </QueryClientProvider>
      </Language>
    </StrictMode>,
  );
}
