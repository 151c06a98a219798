import '@fontsource-variable/ibm-plex-sans/wght.css';
import '@fontsource/ibm-plex-mono/latin-400.css';
import '@fontsource/ibm-plex-mono/latin-ext-400.css';
import './style.css';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Refused } from './ask.ts';
import { router } from './router.tsx';
import { Language } from './words/words.tsx';

const client = new QueryClient({
  defaultOptions: {
    queries: {
      // A refusal will be one again; what does not answer may answer soon.
      retry: (failures, error) => !(error instanceof Refused && error.status < 500) && failures < 2,
      staleTime: 5_000,
    },
  },
});

document.documentElement.dataset.theme = localStorage.getItem('theme') ?? 'system';
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
