import { type ComponentProps, lazy, Suspense, useEffect } from 'react';

const loadNewKey = async () => ({ default: (await import('./new-key.tsx')).NewKey });
const LazyNewKey = lazy(loadNewKey);

const preloadDelayMs = 3_000;

/** The dialog that creates or replaces a key; not among the scripts of the first screen, which are limited to 150 kB. */
export function NewKey(props: ComponentProps<typeof LazyNewKey>) {
  return (
    <Suspense>
      <LazyNewKey {...props} />
    </Suspense>
  );
}

/** Loads the dialog soon after the screen: by the time it is needed the server may run another version. */
export function usePreloadNewKey(): void {
  useEffect(() => {
    const timer = setTimeout(() => void loadNewKey().catch(() => {}), preloadDelayMs);
    return () => clearTimeout(timer);
  }, []);
}
