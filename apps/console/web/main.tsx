import './client/configure-zod.ts';
import './style.css';
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import type { CurrentSession } from '../api/current-session.ts';
import { ApiError, isSignedOut } from './client/api-client.ts';
import { clearOnPageHide, endSession, followOtherWindows, onSessionEnd, setCurrentMember } from './client/session.ts';
import { unreachableComponent } from './client/unreachable-component.ts';
import { Language } from './labels/language.tsx';
import { preloadAuthDialogs } from './parts/auth/lazy-auth-dialogs.ts';
import { router } from './router.tsx';
import { recallTheme } from './theme.ts';

// Whatever meets the end of the session first: the frame asks who it is, over what is shown. A session that somebody ended takes that with it.
const onError = (error: unknown, query?: { queryKey?: readonly unknown[] }) => {
  if (error instanceof ApiError && error.code === 'SESSION_ENDED') return endSession(doorAfter(location));
  if (isSignedOut(error) && query?.queryKey?.[0] !== 'me') void client.invalidateQueries({ queryKey: ['me'] });
};
const doorAfter = ({ pathname, search }: Location): string =>
  `/console/sign-in?${new URLSearchParams({ to: pathname.replace(/^\/console/, '') + search, ended: 'true' })}`;
const askAgainMs = 3_000;
const client: QueryClient = new QueryClient({
  queryCache: new QueryCache({
    onError,
    onSuccess: (data, { queryKey }) => queryKey[0] === 'me' && setCurrentMember((data as CurrentSession).member.id),
  }),
  mutationCache: new MutationCache({ onError: (error) => onError(error) }),
  defaultOptions: {
    queries: {
      // A refusal will be one again; what does not answer is asked again at once, and then until it does.
      retry: (failures, error) => unreachableComponent(error) !== null && failures < 1,
      retryDelay: 500,
      refetchInterval: ({ state }) => unreachableComponent(state.error) !== null && askAgainMs,
      staleTime: 5_000,
      // Whether anybody answers is found out by asking.
      networkMode: 'always',
    },
    mutations: { networkMode: 'always' },
  },
});

recallTheme();
const place = document.getElementById('root');
if (place) {
  const root = createRoot(place);
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
