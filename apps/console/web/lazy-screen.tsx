import { useQuery } from '@tanstack/react-query';
import type { ComponentType } from 'react';
import { NetworkError } from './client/api-client.ts';
import { useCurrentScreen } from './frame/current-screen.ts';
import { useLabels } from './labels/language.tsx';
import { PendingQuery } from './parts/query/pending-query.tsx';

const patienceMs = 4_000;

/** A screen in a file of its own. One that does not come says so in its place, and comes as soon as it can be had. */
export function lazyScreen(name: string, load: () => Promise<ComponentType>) {
  let Known: ComponentType | null = null;
  let hasFailed = false;
  const come = async () => {
    try {
      Known ??= await inTime(load());
    } catch (failure) {
      if (hasFailed) await loadAnew();
      hasFailed = true;
      throw failure;
    }
    return true;
  };
  // biome-ignore lint/correctness/noComponentHookFactories: made once for each route, where routes are declared
  function Screen() {
    const query = useQuery({
      queryKey: ['screen', name],
      queryFn: come,
      staleTime: Number.POSITIVE_INFINITY,
      // On the way here it was asked for already.
      retry: false,
      // Its coming is nothing that is read of it.
      notifyOnChangeProps: 'all',
    });
    return Known ? <Known /> : <Missed query={query} />;
  }
  return Object.assign(Screen, { preload: () => come().then(noop, noop) });
}

const noop = () => {};

function Missed({ query }: Parameters<typeof PendingQuery>[0]) {
  const { product, screens } = useLabels();
  const screen = useCurrentScreen();
  const said = (
    <>
      <h1 className="late">{screen ? screens[screen.name] : product}</h1>
      <PendingQuery query={query} />
    </>
  );
  return screen ? said : <main className="alone">{said}</main>;
}

function inTime<Value>(work: Promise<Value>): Promise<Value> {
  const { promise, resolve, reject } = Promise.withResolvers<Value>();
  const timer = setTimeout(() => reject(new NetworkError()), patienceMs);
  work.then(resolve, (cause: unknown) => reject(new NetworkError({ cause }))).finally(() => clearTimeout(timer));
  return promise;
}

const place = 'loaded-anew';
const againMs = 30_000;

/**
 * Some browsers keep that a script did not come, and one of another version is there under another name: then the page itself has to ask. Nothing is
 * lost by it on a screen that is not there.
 */
async function loadAnew(): Promise<void> {
  const answer = await fetch('/console/icon.svg', { cache: 'no-store', signal: AbortSignal.timeout(patienceMs) }).catch(
    () => null,
  );
  const before = Number(sessionStorage.getItem(place) ?? 0);
  if (!answer?.ok || Date.now() - before < againMs) return;
  sessionStorage.setItem(place, String(Date.now()));
  location.reload();
}
