import { useQuery } from '@tanstack/react-query';
import type { ComponentType } from 'react';
import { NetworkError } from './client/api-client.ts';
import { useCurrentScreen } from './frame/current-screen.ts';
import { useLabels } from './labels/language.tsx';
import { PendingQuery } from './parts/query/pending-query.tsx';

const loadTimeoutMs = 4_000;

/** A screen in its own bundle. While the bundle cannot be loaded the error is shown in its place, and the load is retried. */
export function lazyScreen(name: string, load: () => Promise<ComponentType>) {
  let Loaded: ComponentType | null = null;
  let hasFailed = false;
  const loadScreen = async () => {
    try {
      Loaded ??= await withTimeout(load());
    } catch (failure) {
      if (hasFailed) await reloadPage();
      hasFailed = true;
      throw failure;
    }
    return true;
  };
  // biome-ignore lint/correctness/noComponentHookFactories: created once per route, where routes are declared
  function Screen() {
    const query = useQuery({
      queryKey: ['screen', name],
      queryFn: loadScreen,
      staleTime: Number.POSITIVE_INFINITY,
      // Navigation has already preloaded it.
      retry: false,
      // The screen reads no property of the query, which would otherwise not notify.
      notifyOnChangeProps: 'all',
    });
    return Loaded ? <Loaded /> : <LoadingScreen query={query} />;
  }
  return Object.assign(Screen, { preload: () => loadScreen().then(noop, noop) });
}

const noop = () => {};

function LoadingScreen({ query }: Parameters<typeof PendingQuery>[0]) {
  const { product, screens } = useLabels();
  const screen = useCurrentScreen();
  const content = (
    <>
      <h1 className="late">{screen ? screens[screen.name] : product}</h1>
      <PendingQuery query={query} />
    </>
  );
  return screen ? content : <main className="alone">{content}</main>;
}

function withTimeout<Value>(work: Promise<Value>): Promise<Value> {
  const { promise, resolve, reject } = Promise.withResolvers<Value>();
  const timer = setTimeout(() => reject(new NetworkError()), loadTimeoutMs);
  work.then(resolve, (cause: unknown) => reject(new NetworkError({ cause }))).finally(() => clearTimeout(timer));
  return promise;
}

const reloadedAtKey = 'reloaded-at';
const minReloadIntervalMs = 30_000;

/**
 * Reloads the page if the console responds. Some browsers cache the failure to load a script, and after an update scripts have other names. No
 * input is lost, since the screen is not loaded.
 */
async function reloadPage(): Promise<void> {
  const response = await fetch('/console/icon.svg', {
    cache: 'no-store',
    signal: AbortSignal.timeout(loadTimeoutMs),
  }).catch(() => null);
  const before = Number(sessionStorage.getItem(reloadedAtKey) ?? 0);
  if (!response?.ok || Date.now() - before < minReloadIntervalMs) return;
  sessionStorage.setItem(reloadedAtKey, String(Date.now()));
  location.reload();
}
