import './style.css';
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Refused } from './ask.ts';
import { router } from './router.tsx';
import { recallTheme } from './theme.ts';
import { Language } from './words/words.tsx';

// Whatever meets the end of the session first: the frame asks who it is.
const onError = (error: unknown, query?: { queryKey?: readonly unknown[] }) => {
  if (error instanceof Refused && error.code === 'NOT_SIGNED_IN' && query?.queryKey?.[0] !== 'me')
    void client.invalidateQueries({ queryKey: ['me'] });
};
const client: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError }),
  mutationCache: new MutationCache({ onError: (error) => onError(error) }),
  defaultOptions: {
    queries: {
      // A refusal will be one again; what does not answer may answer soon.
      retry: (failures, error) => !(error instanceof Refused && error.status < 500) && failures < 2,
      staleTime: 5_000,
    },
  },
});

recallTheme();
const root = document.getElementById('root');
if (root)
  createRoot(root).render(
    <StrictMode>
      <Language>
        <QueryClientProvider client={client}>
          <RouterProvider router={router} />
        </QueryClientProvider>
      </Language>
    </StrictMode>,
  );
