import './style.css';
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { isOut, Refused } from './ask.ts';
import type { Me } from './asked.ts';
import { fetchAhead } from './parts/asking-who.ts';
import { router } from './router.tsx';
import { endHere, followOtherWindows, forgetOnLeaving, meet, onEnd } from './session.ts';
import { silentOf } from './silence.ts';
import { recallTheme } from './theme.ts';
import { Language } from './words/words.tsx';

// Whatever meets the end of the session first: the frame asks who it is, over what is shown. A session that somebody ended takes that with it.
const onError = (error: unknown, query?: { queryKey?: readonly unknown[] }) => {
  if (error instanceof Refused && error.code === 'SESSION_ENDED') return endHere(doorAfter(location));
  if (isOut(error) && query?.queryKey?.[0] !== 'me') void client.invalidateQueries({ queryKey: ['me'] });
};
const doorAfter = ({ pathname, search }: Location): string =>
  `/console/sign-in?${new URLSearchParams({ to: pathname.replace(/^\/console/, '') + search, ended: 'true' })}`;
const askAgainMs = 3_000;
const client: QueryClient = new QueryClient({
  queryCache: new QueryCache({
    onError,
    onSuccess: (answer, { queryKey }) => queryKey[0] === 'me' && meet((answer as Me).person.id),
  }),
  mutationCache: new MutationCache({ onError: (error) => onError(error) }),
  defaultOptions: {
    queries: {
      // A refusal will be one again; what does not answer is asked again at once, and then until it does.
      retry: (failures, error) => silentOf(error) !== null && failures < 1,
      retryDelay: 500,
      refetchInterval: ({ state }) => silentOf(state.error) !== null && askAgainMs,
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
  onEnd((to) => {
    root.unmount();
    location.replace(to);
  });
  forgetOnLeaving();
  fetchAhead();
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
