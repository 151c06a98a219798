import { type ComponentProps, lazy, Suspense, useEffect } from 'react';

const loadKeyDetail = async () => ({ default: (await import('./key-detail.tsx')).KeyDetail });
const LazyKeyDetail = lazy(loadKeyDetail);

const preloadDelayMs = 3_000;

/** One key at the side of the list; not among the scripts of the first screen, which are limited to 150 kB. */
export function KeyDetail(props: ComponentProps<typeof LazyKeyDetail>) {
  return (
    <Suspense>
      <LazyKeyDetail {...props} />
    </Suspense>
  );
}

/** Loads the detail soon after the list: by the time it is needed the server may run another version. */
export function usePreloadKeyDetail(): void {
  useEffect(() => {
    const timer = setTimeout(() => void loadKeyDetail().catch(() => {}), preloadDelayMs);
    return () => clearTimeout(timer);
  }, []);
}
